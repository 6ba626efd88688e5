import { isStale } from '../freshness.ts';
import type { Origin } from '../provenance.ts';
import type { Kept } from '../provider-client.ts';
import { type Ticker, tickerMadeAt } from '../ticker.ts';

/** A coin's ticker, with what callers are told about it. */
export interface CurrentTicker extends Origin {
  readonly ticker: Ticker;
}

/** On whose behalf a provider may be asked, and until when. */
export interface Errand {
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /** A pseudonym of the client whose share of the budget pays. */
  readonly client?: (() => string) | undefined;
}

/** What callers are told of a ticker that is fresh until then. */
export function currentOf(
  { data, source, madeAt, storedAt, freshUntil, quality }: Kept<Ticker>,
  until: number,
  now = Date.now(),
): CurrentTicker {
  const stale = isStale({ freshUntil: until, storedAt, madeAt: tickerMadeAt(data) }, now);
  return { ticker: data, quality: stale ? 'stale' : (quality ?? 'exact'), source, madeAt, freshUntil };
}
