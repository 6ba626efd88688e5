import { MAX_CLOCK_LEAD_MS } from '../../../../shared/marketdata/gate/bounds.ts';
import { lifetimes } from '../../../../shared/marketdata/lifetimes.ts';
import type { CoinQuotes } from '../../../../shared/marketdata/sources/source-map.ts';
import { count } from '../../../../shared/platform/metrics.ts';
import { sourcesStore } from '../sources-store.ts';

/** What markets said of late; undefined if that cannot be had. Never throws: a list is published without it too. */
export async function recentQuotes(
  bucket: string | undefined,
  intervalSeconds: number,
): Promise<CoinQuotes | undefined> {
  if (!bucket) return undefined;
  try {
    const quotes = await sourcesStore(bucket).quotes();
    const ageMs = Date.now() - (quotes?.takenAt ?? 0);
    const isRecent =
      ageMs >= -MAX_CLOCK_LEAD_MS && ageMs <= lifetimes.snapshot.intervals * intervalSeconds * 1000;
    return isRecent ? quotes : undefined;
  } catch {
    count('SharedStoreFailures');
    return undefined;
  }
}
