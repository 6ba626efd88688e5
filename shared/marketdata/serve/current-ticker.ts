import { isStale } from '../freshness.ts';
import type { Origin } from '../provenance.ts';
import type { Kept } from '../provider.ts';
import { type Ticker, tickerMadeAt } from '../ticker.ts';

/** A coin's ticker with its provenance. */
export interface CurrentTicker extends Origin {
  readonly ticker: Ticker;
}

/** Who pays for a provider request, and its deadline. */
export interface Errand {
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /** A pseudonym of the client that is charged. */
  readonly client?: (() => string) | undefined;
}

/** A ticker with its provenance, given the time until which it is fresh. */
export function currentOf(
  { data, source, madeAt, storedAt, freshUntil, quality }: Kept<Ticker>,
  until: number,
  now = Date.now(),
): CurrentTicker {
  const stale = isStale({ freshUntil: until, storedAt, madeAt: tickerMadeAt(data) }, now);
  return { ticker: data, quality: stale ? 'stale' : (quality ?? 'exact'), source, madeAt, freshUntil };
}
