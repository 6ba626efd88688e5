import { PAST_RATES_NAME, pastRatesText, readPastRates } from '../../../../shared/marketdata/past-rates.ts';
import type { DayRates } from '../../../../shared/marketdata/provider.ts';
import { dayOfRate, type EuroRates, ratesLastUntil } from '../../../../shared/marketdata/rates.ts';
import { replacing, retryOnConflict } from '../../../../shared/platform/objects.ts';
import { type Bucket, openFrom } from '../../../../shared/platform/stored-object.ts';

/**
 * Adds the published rates to those of past days. Fetches all past rates if none are stored, or if days before the published
 * one are missing.
 */
export async function addToPast(
  published: EuroRates,
  bucket: Bucket,
  fetchPast: () => Promise<readonly DayRates[]>,
): Promise<void> {
  const { day } = published;
  const ofDay = Object.entries(published.rates).filter(([code]) => dayOfRate(published, code) === day);
  await retryOnConflict(async () => {
    const { content: stored = [], etag } = await openFrom(bucket)(PAST_RATES_NAME, (bytes) =>
      readPastRates(Buffer.from(bytes).toString()),
    );
    const last = stored.findLast((one) => one.day <= day)?.day;
    const isComplete = last !== undefined && Date.parse(day) < ratesLastUntil(last);
    const days = [
      ...(isComplete ? [] : await fetchPast()),
      ...stored,
      { day, rates: Object.fromEntries(ofDay) },
    ];
    const content = pastRatesText(new Map(days.map((one) => [one.day, one])).values());
    if (content !== pastRatesText(stored))
      await bucket.put(PAST_RATES_NAME, content, 'text/csv', replacing(etag));
  });
}
