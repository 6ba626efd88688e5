import { invalidItem } from '../../../shared/http/middleware/input.ts';
import { parseInstant } from '../../../shared/platform/instant.ts';
import { MAX_CLOCK_LEAD_MS } from '../../../shared/platform/time.ts';

/**
 * The instants of a list, in its order; milliseconds since the epoch. A date without a time is its start. Throws 400 that names
 * the invalid one, and its number if there are several.
 */
export function instantsOf(texts: readonly string[], now: number): number[] {
  return texts.map((text, index) => {
    const parsed = parseInstant(text);
    if (!parsed)
      throw invalidItem(
        'at',
        texts,
        index,
        'an ISO 8601 date or time, such as 2026-01-31 or 2026-01-31T12:00:00Z',
      );
    if (parsed.first > now + MAX_CLOCK_LEAD_MS)
      throw invalidItem('at', texts, index, 'a time that is not in the future');
    return parsed.first;
  });
}

/** One instant of the past, in milliseconds since the epoch; now, if a client's clock is ahead. Throws 400 for an invalid one. */
export function instantOf(text: string, now: number): number {
  return Math.min(now, ...instantsOf([text], now));
}
