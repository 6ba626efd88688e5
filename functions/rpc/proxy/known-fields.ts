import { refuseUnknown } from '../../../shared/http/middleware/body.ts';
import { invalidParameter } from '../../../shared/http/middleware/input.ts';

export const QUANTITY = /^0x(0|[1-9a-f][0-9a-f]{0,15})$/i;

/**
 * The fields of an object, without null ones, which count as absent. Throws 400 for a field that is not allowed in `where`:
 * some nodes ignore the case of names, and use the last of two that differ only in case.
 */
export function knownFields(
  given: Record<string, unknown>,
  allowed: readonly string[],
  where: string,
): Record<string, unknown> {
  refuseUnknown(given, allowed, where);
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}

/** Throws 400 for anything but a hexadecimal number of JSON-RPC, and for more than `most`. */
export function quantityIn(name: string, value: unknown, most: bigint): bigint {
  if (typeof value === 'string' && QUANTITY.test(value) && BigInt(value) <= most) return BigInt(value);
  throw invalidParameter(name, value, `a number in hexadecimal, at most 0x${most.toString(16)} (${most})`);
}
