import type { Hex } from 'viem';
import { NodeError } from '../../../shared/evm/node-error.ts';

/** Makes a header of 4 KB; those of an answer have 10 KB in all (API Gateway quotas). */
const MAX_BYTES = 2_047;

/** The headers that tell the bytes of a revert; the first ones of many, and then how many there are. */
export function revertHeaders(error: unknown): Record<string, string> {
  const data = error instanceof NodeError ? error.data : undefined;
  if (data === undefined) return {};
  const length = byteLength(data);
  if (length <= MAX_BYTES) return { 'x-revert-data': data };
  return { 'x-revert-data': data.slice(0, 2 + 2 * MAX_BYTES), 'x-revert-data-bytes': String(length) };
}

const byteLength = (data: Hex): number => (data.length - 2) / 2;
