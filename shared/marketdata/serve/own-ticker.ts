/** A coin's ticker that was fetched for an earlier caller. */
import type { Environment } from '../../platform/environment.ts';
import { elapsedMs } from '../../platform/time.ts';
import { lifetimes } from '../freshness.ts';
import type { Kept } from '../provider.ts';
import type { StoredTicker } from '../store/coin-object.ts';
import { coinFetchedOf } from '../store/coin-objects.ts';
import type { Ticker } from '../ticker.ts';

export interface OwnTicker extends Kept<Ticker> {
  /** The time until which no newer one is fetched, in milliseconds since the epoch. */
  readonly answersUntil: number;
}

/** Undefined without one. Never throws. */
export async function ownTicker(
  environment: Environment,
  id: string,
  isActive: boolean | undefined,
): Promise<OwnTicker | undefined> {
  const fetched = coinFetchedOf(environment);
  const { ticker } = await fetched.read(id).catch(() => fetched.peek(id));
  return ticker && keptTicker(ticker, environment, isActive);
}

/** A fetched ticker with its lifetime, which is long for an inactive coin. */
export function keptTicker(
  ticker: StoredTicker,
  { TICKER_FRESH_SECONDS }: Environment,
  isActive: boolean | undefined,
): OwnTicker {
  const usualMs = Number(TICKER_FRESH_SECONDS) * 1000;
  const freshMs = isActive === false ? lifetimes.inactiveMs : usualMs;
  const until = ticker.storedAt + freshMs;
  return {
    ...ticker,
    // A clock that was set back does not make it last.
    answersUntil: elapsedMs(ticker.storedAt) < freshMs ? until : 0,
    // A coin may be traded again, and caches cannot be invalidated.
    freshUntil: Math.min(until, Date.now() + usualMs),
    staleUntil: until + lifetimes.ticker.staleForMs,
  };
}
