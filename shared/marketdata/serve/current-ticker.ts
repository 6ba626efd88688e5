import type { RegistryEntry } from '../../registry/entries.ts';
import { isStale } from '../freshness.ts';
import type { Origin } from '../provenance.ts';
import type { Kept, ProviderClient } from '../provider.ts';
import type { Snapshot } from '../store/snapshot.ts';
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

/**
 * The greatest age of a price that is used to compute or to judge, in milliseconds since its source made it; such a price is never
 * a disputed one. `shown`: the price is shown with its time and quality, at most until its `staleUntil`, so it may be disputed,
 * or the old price of a coin that is hardly traded.
 */
export type MaxAge = number | 'shown';

/** What a caller wants of a price now. */
export interface PriceOptions {
  readonly maxAge: MaxAge;
  /** By default the entry in the container's registry. */
  readonly coin?: RegistryEntry | undefined;
  /** By default the container's. */
  readonly snapshot?: Snapshot | undefined;
  /** After this time (of the monotonic clock) nothing more is read. */
  readonly readUntil?: number;
}

/** Of a caller that may pay for a request. */
export interface PayingOptions extends PriceOptions, Errand {
  /** Loads the provider's client, which most requests do not need. */
  readonly open: () => Promise<ProviderClient<'ticker'>>;
}

/** A known price in USD. Times in milliseconds since the epoch. */
export interface Known {
  readonly price: number | null;
  readonly madeAt: number;
  /** The time until which no newer price is looked for. */
  readonly answersUntil: number;
  readonly staleUntil: number;
  readonly quality?: 'disputed' | undefined;
}

export interface KnownTicker extends Known, Omit<Kept<Ticker>, keyof Known> {}

/** A ticker with its provenance, given the time until which it is fresh. */
export function currentOf(
  { data, source, madeAt, storedAt, freshUntil, quality }: Kept<Ticker>,
  until: number,
  now = Date.now(),
): CurrentTicker {
  const stale = isStale({ freshUntil: until, storedAt, madeAt: tickerMadeAt(data) }, now);
  return { ticker: data, quality: stale ? 'stale' : (quality ?? 'exact'), source, madeAt, freshUntil };
}

/** Whether a caller may use the price. */
export function isUsable({ price, madeAt, quality }: Known, maxAge: MaxAge, now: number): boolean {
  if (maxAge === 'shown') return true;
  return price !== null && price > 0 && quality !== 'disputed' && now - madeAt < maxAge;
}
