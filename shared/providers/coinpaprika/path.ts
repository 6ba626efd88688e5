import { ApiError } from '../../http/errors.ts';

/**
 * A coin id as a segment of the provider's path. Throws 404 for `.` and `..`: a URL has no way to write them, not
 * even percent-encoded (WHATWG URL, "dot path segments"), so they would ask for another path.
 */
export function pathSegment(coinId: string): string {
  if (coinId === '.' || coinId === '..') throw ApiError.unknownCoin(coinId);
  return encodeURIComponent(coinId.toWellFormed());
}
