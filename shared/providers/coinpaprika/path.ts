import { ApiError } from '../../http/errors.ts';

/**
 * A path with a coin's id as one of its segments. Throws 404 for `.` and `..`: a URL has no way to write them, not
 * even percent-encoded (WHATWG URL, "dot path segments"), so they would ask for another path.
 */
export function coinPath([before = '', after = '']: TemplateStringsArray, coinId: string): string {
  if (coinId === '.' || coinId === '..') throw ApiError.unknownCoin(coinId);
  return before + encodeURIComponent(coinId.toWellFormed()) + after;
}
