import { type Hex, numberToHex, size } from 'viem';

/** The one function to which the code answers. */
export const CALLBACK: Hex = '0x12345678';

/** Runtime code of a contract that reverts with the data, and answers 42 to a call of `CALLBACK`. */
export function revertingCode(data: Hex): Hex {
  const length = numberToHex(size(data), { size: 2 }).slice(2);
  const [callback, digits] = [CALLBACK, data].map((text) => text.slice(2));
  // if (selector == CALLBACK) goto 0x1a
  const choice = `5f3560e01c63${callback}14601a57`;
  // codecopy(0, 0x23, length); revert(0, length)
  const refusal = `61${length}60235f3961${length}5ffd`;
  // 0x1a: mstore(0, 42); return(0, 32); the data begin at 0x23
  const answer = '5b602a5f5260205ff3';
  return `0x${choice}${refusal}${answer}${digits}`;
}
