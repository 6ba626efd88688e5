import { invalidParameter } from '../http/middleware/input.ts';

export const MAX_UINT128 = 2n ** 128n - 1n;
export const MAX_UINT256 = 2n ** 256n - 1n;
/** In wei. */
export const GWEI = 10n ** 9n;

/** Of an amount in a schema; checked in full by parseAmount. */
export const amountPattern = '^[0-9]{1,78}$';

/** An amount in base units, such as wei. Throws the 400 that names the parameter if it is 0 or above `maximum`. */
export function parseAmount(name: string, text: string, maximum: bigint): bigint {
  const amount = BigInt(text);
  if (amount === 0n || amount > maximum) {
    const bits = maximum.toString(2).length;
    throw invalidParameter(name, text, `an integer of base units from 1 to 2^${bits} - 1`);
  }
  return amount;
}

/** A quantity as JSON-RPC writes it. */
export function toQuantity(value: bigint | number): `0x${string}` {
  return `0x${value.toString(16)}`;
}
