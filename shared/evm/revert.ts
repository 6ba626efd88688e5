import type { Hex } from 'viem';
import { decodeAbiParameters } from 'viem/utils';
import { oneLine } from '../platform/one-line.ts';

const ERROR_STRING = '0x08c379a0'; // Error(string)
const PANIC = '0x4e487b71'; // Panic(uint256)
const MAX_REASON = 200;

/** The bytes of a revert in the `data` of a node's error; undefined if there are none. */
export function revertData(data: unknown): Hex | undefined {
  if (typeof data !== 'string') return undefined;
  // Some nodes write a word before them (Nethermind, and others after Parity).
  return /^(?:Reverted )?(0x(?:[0-9a-f]{2})*)$/i.exec(data)?.[1] as Hex | undefined; // its form was checked
}

/** The reason in a contract's data; undefined if there is none (docs.soliditylang.org, "Error handling"). */
export function revertReason(data: Hex): string | undefined {
  if (data.length < 10) return undefined;
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

/** A text that a contract chose, made harmless: in one line, and not too long. */
function printable(text: string): string | undefined {
  const clean = oneLine(text);
  return clean.length > MAX_REASON ? `${clean.slice(0, MAX_REASON)}…` : clean || undefined;
}
