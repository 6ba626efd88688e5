import { ApiError } from '../../../shared/http/errors.ts';
import { invalidParameter } from '../../../shared/http/middleware/input.ts';
import { MAX_CLOCK_LEAD_MS } from '../../../shared/marketdata/gate/bounds.ts';
import { parseInstant } from '../../../shared/marketdata/instant.ts';
import { MAX_INSTANTS } from './limits.ts';

/**
 * The instants of a list, in its order; milliseconds since the epoch. A date without a time is its first instant.
 * Throws 400 that names the one that cannot be used, and its number if there are several.
 */
export function instantsOf(list: string, now: number): number[] {
  const texts = list.split(',');
  if (texts.length > MAX_INSTANTS) {
    const allowed = `1 to ${MAX_INSTANTS}, separated by commas`;
    throw new ApiError(400, `Invalid parameter at: ${texts.length} instants; allowed: ${allowed}`);
  }
  return texts.map((text, index) => {
    const name = texts.length > 1 ? `at, number ${index + 1}` : 'at';
    const parsed = parseInstant(text);
    if (!parsed)
      throw invalidParameter(
        name,
        text,
        'an ISO 8601 date or time, such as 2026-01-31 or 2026-01-31T12:00:00Z',
      );
    if (parsed.first > now + MAX_CLOCK_LEAD_MS)
      throw invalidParameter(name, text, 'a time that is not in the future');
    return parsed.first;
  });
}
