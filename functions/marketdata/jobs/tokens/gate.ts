/** The gate for a coin's price by its contracts: which price counts, and whether it is published. */
import { createHash } from 'node:crypto';
import { CONFIRMING_RUNS, FACTORS, isFar, isNear } from '../../../../shared/marketdata/gate/bounds.ts';
import type { TokenPrice } from '../../../../shared/marketdata/sources/token.ts';
import { elapsedMs, HOUR_MS, MAX_CLOCK_LEAD_MS } from '../../../../shared/platform/time.ts';

/** A coin's price from a source of token prices, in USD. */
export interface Offer {
  readonly price: number;
  /** A digest of the coin's contracts. */
  readonly contracts: string;
}

/** A coin's price, by its contracts. */
export interface CoinPrice extends Offer {
  /** The latest time of that price among its tokens, in milliseconds since the epoch. */
  readonly at: number;
  /** A token with that price. */
  readonly token: string;
}

/** The provider's own last price of a coin. Times in milliseconds since the epoch. */
export interface Reference {
  /** In USD; null: unknown. */
  readonly price: number | null;
  /** The time of that price. */
  readonly at: number;
}

/** A price that is held back and not published. */
export interface HeldPrice extends Offer {
  /** When the coin's prices began to be held back. */
  readonly since: number;
  /** Consecutive runs with this price, and the time of the last one. */
  readonly runs: number;
  readonly countedAt: number;
  /** The time of the reference that the price contradicts; null: none. */
  readonly refusedBy: number | null;
}

/** The state of a coin when a source offers a price for it. */
export interface CoinState {
  readonly reference: Reference;
  /** The last published price; undefined: none. `contracts` is undefined if unknown. */
  readonly accepted: { readonly price: number; readonly contracts: string | undefined } | undefined;
  readonly held: HeldPrice | undefined;
}

interface Run {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly intervalMs: number;
}

export const LEAST_CONFIDENCE = 0.9;
const MAX_AGE_MS = 6 * HOUR_MS;
/** The close of the last day, or of the one before until the last is rolled up. */
const COUNTS_FOR_MS = 48 * HOUR_MS;
/** A reference of the same hour is comparable, whatever was published before. */
const SAME_TIME_MS = HOUR_MS;

/**
 * The median of the prices of a coin's tokens that agree within 5 %, if they are more than half of those with a confidence of
 * at least 0.9 that are at most six hours old. Otherwise undefined: of two different prices, either may be the coin's.
 */
export function agreedPrice(
  prices: readonly TokenPrice[],
  tokens: readonly string[],
  now: number,
): CoinPrice | undefined {
  const counting = prices
    .filter(({ confidence, at }) => confidence >= LEAST_CONFIDENCE && now - at <= MAX_AGE_MS)
    .toSorted((a, b) => a.price - b.price);
  const groups = counting.map(({ price: lowest }, index) =>
    counting.slice(index).filter(({ price }) => price <= lowest * FACTORS.contracts),
  );
  const agreeing = groups.reduce((a, b) => (b.length > a.length ? b : a), []);
  if (agreeing.length * 2 <= counting.length) return undefined;
  const middle = (agreeing.length - 1) / 2;
  const below = agreeing[Math.floor(middle)];
  const above = agreeing[Math.ceil(middle)];
  if (!below || !above) return undefined;
  return {
    price: (below.price + above.price) / 2,
    at: Math.max(...agreeing.map(({ at }) => at)),
    token: below.token,
    contracts: contractsKey(tokens),
  };
}

/**
 * Why an offer is held back; undefined: it is published. A price within 1.5 times the provider's own passes at once, and so
 * does one close to the price before. Any other is held back until three consecutive runs agree. That does not help a price
 * that contradicts the provider's, or one beyond threefold after a coin's contracts changed: such a price would be wrong in
 * every run.
 */
export function heldBack(offer: Offer, state: CoinState, run: Run): HeldPrice | undefined {
  const { reference, accepted, held } = state;
  if (isRecent(reference, run.now) && isLike(reference, offer.price)) return undefined;
  const isRefused = contradicts(offer, state, run.now);
  if (!isRefused && accepted && !isStep(offer.price, accepted.price, reference)) return undefined;
  const next = counted(offer, held, run);
  const isSameToken = accepted === undefined || accepted.contracts === offer.contracts;
  if (!isRefused && isSameToken && next.runs >= CONFIRMING_RUNS) return undefined;
  return { ...next, refusedBy: isRefused ? reference.at : null };
}

/** Whether a reference counts by its age alone. */
export function isRecent({ price, at }: Reference, now: number): boolean {
  return price !== null && elapsedMs(at, now, MAX_CLOCK_LEAD_MS) <= COUNTS_FOR_MS;
}

export function isLike({ price: own }: Reference, price: number): boolean {
  return own !== null && isNear(own, price);
}

/** The key of a coin's contracts, in any order. */
function contractsKey(tokens: readonly string[]): string {
  return createHash('sha256').update(tokens.toSorted().join()).digest('base64url').slice(0, 8);
}

/** A reference that refused a price counts at any age, until there is a newer one. */
function contradicts({ price }: Offer, { reference, accepted, held }: CoinState, now: number): boolean {
  if (reference.price === null || isLike(reference, price)) return false;
  if (held?.refusedBy === reference.at) return true;
  if (!isRecent(reference, now)) return false;
  const isSteady = accepted !== undefined && isNear(accepted.price, price);
  const isOfNow = elapsedMs(reference.at, now, MAX_CLOCK_LEAD_MS) <= SAME_TIME_MS;
  return !isSteady || isOfNow || isFar(reference.price, price);
}

/** True if the price moved threefold, or away from a price that both the provider and the run before had. */
function isStep(price: number, before: number, reference: Reference): boolean {
  return isFar(before, price) || (isLike(reference, before) && !isLike(reference, price));
}

/** The offer, counted once in a run: concurrent jobs, or a clock that was set back, do not count again. */
function counted(
  { price, contracts }: Offer,
  held: HeldPrice | undefined,
  { now, intervalMs }: Run,
): Omit<HeldPrice, 'refusedBy'> {
  const since = Math.min(held?.since ?? now, now);
  const isSame = held && held.runs > 0 && held.contracts === contracts && isNear(held.price, price);
  if (!isSame) return { price, contracts, since, runs: 1, countedAt: now };
  const isAnotherRun = now - held.countedAt >= intervalMs / 2;
  if (isAnotherRun) return { ...held, since, runs: held.runs + 1, countedAt: now };
  return { ...held, since, countedAt: Math.min(held.countedAt, now) };
}
