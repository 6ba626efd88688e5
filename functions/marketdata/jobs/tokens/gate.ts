/** The gate for a coin's price by its contracts: which price counts, and what keeps it from being published. */
import { createHash } from 'node:crypto';
import { isFar, isNear } from '../../../../shared/marketdata/gate/implausible.ts';
import type { TokenPrice } from '../../../../shared/marketdata/sources/token.ts';
import { HOUR_MS } from '../../../../shared/platform/time.ts';

/** A price that a source of token prices gave for a coin, in USD. */
export interface Offer {
  readonly price: number;
  /** A digest of the contracts that the coin has. */
  readonly contracts: string;
}

/** What a coin costs, by its contracts. */
export interface CoinPrice extends Offer {
  /** When one of them last had that price, in milliseconds since the epoch. */
  readonly at: number;
  /** One that has it. */
  readonly token: string;
}

/** The provider's own last price of a coin, as far as it is known. Times in milliseconds since the epoch. */
export interface Reference {
  /** In USD; null: nothing is known. */
  readonly price: number | null;
  /** When that was the price. */
  readonly at: number;
}

/** A price that is held back; nobody gets it. */
export interface HeldPrice extends Offer {
  /** When prices of the coin began to be held back. */
  readonly since: number;
  /** Runs in a row that brought about this price, and when the last of them was counted. */
  readonly runs: number;
  readonly countedAt: number;
  /** The time of the reference that the price contradicts; null: it contradicts none. */
  readonly refusedBy: number | null;
}

/** What is known of a coin when a source offers a price for it. */
export interface CoinState {
  readonly reference: Reference;
  /** What was published last; undefined: nothing was. `contracts` is undefined if they are not known. */
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
const AGREEMENT = 1.05;
const RUNS = 3;
/** The close of the last day, or of the one before until that is rolled up. */
const COUNTS_FOR_MS = 48 * HOUR_MS;
/** A reference of the same hour is of the same price, whatever was published before. */
const SAME_TIME_MS = HOUR_MS;

/**
 * The median of the prices of a coin's tokens that agree within 5 %, if these are more than half of those that count: with
 * a confidence of at least 0.9, and not older than six hours. Undefined if there is none: of two that differ, nobody can
 * tell which contract is the coin's.
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
    counting.slice(index).filter(({ price }) => price <= lowest * AGREEMENT),
  );
  const agreeing = groups.reduce((a, b) => (b.length > a.length ? b : a), []);
  if (agreeing.length * 2 <= counting.length) return undefined;
  const middle = (agreeing.length - 1) / 2;
  const [below, above] = [agreeing[Math.floor(middle)], agreeing[Math.ceil(middle)]];
  if (!below || !above) return undefined;
  return {
    price: (below.price + above.price) / 2,
    at: Math.max(...agreeing.map(({ at }) => at)),
    token: below.token,
    contracts: contractsKey(tokens),
  };
}

/**
 * What keeps an offer from being published; undefined: nothing. A price within 1.5 times the provider's own passes at
 * once, and so does one without a step beside the price before. Any other is held back until three runs in a row brought
 * about the same. These do not help a price that contradicts the provider's, nor one beyond threefold of a coin whose
 * contracts have changed: such a price would be the same wrong one in every run.
 */
export function heldBack(offer: Offer, state: CoinState, run: Run): HeldPrice | undefined {
  const { reference, accepted, held } = state;
  if (isRecent(reference, run.now) && isLike(reference, offer.price)) return undefined;
  const isRefused = contradicts(offer, state, run.now);
  if (!isRefused && accepted && !isStep(offer.price, accepted.price, reference)) return undefined;
  const next = counted(offer, held, run);
  const isSameToken = accepted === undefined || accepted.contracts === offer.contracts;
  if (!isRefused && isSameToken && next.runs >= RUNS) return undefined;
  return { ...next, refusedBy: isRefused ? reference.at : null };
}

/** Whether a reference counts without anything that speaks for it. A time in the future is that of a wrong clock. */
export function isRecent({ price, at }: Reference, now: number): boolean {
  return price !== null && Math.abs(now - at) <= COUNTS_FOR_MS;
}

export function isLike({ price: own }: Reference, price: number): boolean {
  return own !== null && isNear(own, price);
}

/** The same in whatever order the contracts are. */
function contractsKey(tokens: readonly string[]): string {
  return createHash('sha256').update(tokens.toSorted().join()).digest('base64url').slice(0, 8);
}

/** A reference that has refused a price counts, however old it becomes, until there is a newer one. */
function contradicts({ price }: Offer, { reference, accepted, held }: CoinState, now: number): boolean {
  if (reference.price === null || isLike(reference, price)) return false;
  if (held?.refusedBy === reference.at) return true;
  if (!isRecent(reference, now)) return false;
  const isSteady = accepted !== undefined && isNear(accepted.price, price);
  return !isSteady || Math.abs(now - reference.at) <= SAME_TIME_MS || isFar(reference.price, price);
}

/** Threefold; or a price that leaves what both the provider, however long ago, and the run before said. */
function isStep(price: number, before: number, reference: Reference): boolean {
  return isFar(before, price) || (isLike(reference, before) && !isLike(reference, price));
}

/** The offer, counted once in a run: two jobs at once, or a clock that was set back, are not another one. */
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
