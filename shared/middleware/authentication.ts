import { hash, timingSafeEqual } from 'node:crypto';
import { readSecret } from '../environment.ts';
import { ApiError } from '../errors.ts';
import type { ChainMiddleware, ChainRequest } from './chain-request.ts';

/** The header that carries the caller's key. */
export const API_KEY_HEADER = 'x-api-key';
const SECRET = 'CLIENT_API_KEY';

/**
 * In production, lets only callers pass whose `x-api-key` is `CLIENT_API_KEY`: 401 `Unauthorized` otherwise, and
 * 500 where that key is not set. Outside production everybody passes.
 *
 * Ordering: first of all refusals, so that a caller without a key learns nothing else.
 */
export function authentication(): ChainMiddleware {
  const authenticateBefore = (request: ChainRequest): void => {
    if (process.env.NODE_ENV !== 'production') return;
    const expected = readSecret(SECRET);
    const given = headerValues(request.event.headers, API_KEY_HEADER);
    if (given.length !== 1 || !isKey(given[0] ?? '', expected)) throw ApiError.unauthorized();
  };

  return { before: authenticateBefore };
}

function headerValues(
  headers: Readonly<Record<string, string | undefined>> | undefined,
  name: string,
): string[] {
  const values: string[] = [];
  for (const key in headers) {
    const value = headers[key];
    if (value !== undefined && key.length === name.length && key.toLowerCase() === name) values.push(value);
  }
  return values;
}

let configured = { key: '', digest: digest('') };

/** Compares digests, so that the time taken tells neither where the texts differ nor how long they are. */
function isKey(given: string, expected: string): boolean {
  // The key hardly ever changes, and its digest is a tenth of a warm request.
  if (configured.key !== expected) configured = { key: expected, digest: digest(expected) };
  return timingSafeEqual(digest(given), configured.digest);
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
