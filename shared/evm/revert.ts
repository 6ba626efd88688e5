import type { Hex } from 'viem';
import { decodeAbiParameters } from 'viem/utils';

const ERROR_STRING = '0x08c379a0'; // Error(string)
const PANIC = '0x4e487b71'; // Panic(uint256)
const MAX_REASON = 200;

/** The reason in a contract's data; undefined if there is none (docs.soliditylang.org, "Error handling"). */
export function revertReason(data: unknown): string | undefined {
  if (typeof data !== 'string' || !/^0x[0-9a-f]{8,}$/i.test(data)) return undefined;
  const selector = data.slice(0, 10).toLowerCase();
  const parameters: Hex = `0x${data.slice(10)}`;
  try {
    if (selector === ERROR_STRING) return printable(decodeAbiParameters([{ type: 'string' }], parameters)[0]);
    if (selector === PANIC) {
      return `panic 0x${decodeAbiParameters([{ type: 'uint256' }], parameters)[0].toString(16)}`;
    }
  } catch {
    // Its data only looks like one of the two.
  }
  return `custom error ${selector}`;
}

/** A text that a contract chose, made harmless: no control or direction characters, and not too long. */
function printable(text: string): string | undefined {
  const clean = text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '').trim();
  return clean.length > MAX_REASON ? `${clean.slice(0, MAX_REASON)}…` : clean || undefined;
}
