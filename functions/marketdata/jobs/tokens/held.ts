import { createHash } from 'node:crypto';
import { isFar, isNear } from '../../../../shared/marketdata/gate/implausible.ts';

/** What the provider itself said last of a coin, as far as is known. Times in milliseconds since the epoch. */
export interface Reference {
  /** In USD; null: nothing is known. */
  readonly price: number | null;
  /** When that was the price. */
  readonly at: number;
}

/** A price that a source of token prices gave for a coin. */
export interface Offer {
  readonly price: number;
  /** The contracts that the coin has, by `contractsKey`. */
  readonly contracts: string;
}

/** A price that is held back; nobody gets it. */
export interface Held extends Offer {
  /** When prices of the coin began to be held back. */
  readonly since: number;
  /** Runs in a row that brought about this price, and when the last of them was counted. */
  readonly runs: number;
  readonly countedAt: number;
  /** The time of the reference that the price contradicts; null: it contradicts none. */
  readonly refusedBy: number | null;
}

/** What is known of a coin when a source offers a price for it. */
export interface Known {
  readonly reference: Reference;
  /** What was published last; undefined: nothing was. `contracts` is undefined if they are not known. */
  readonly accepted: { readonly price: number; readonly contracts: string | undefined } | undefined;
  readonly held: Held | undefined;
}

interface Run {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly intervalMs: number;
}

const HOUR_MS = 3_600_000;
const RUNS = 3;
/** The close of the last day, or of the one before until that is rolled up. */
const COUNTS_FOR_MS = 48 * HOUR_MS;
/** A reference of the same hour is of the same price, whatever was published before. */
const SAME_TIME_MS = HOUR_MS;

/**
 * What keeps an offer from being published; undefined: nothing. A price within 1.5 times the provider's own passes at
 * once, and so does one without a step beside the price before. Any other is held back until three runs in a row brought
 * about the same. These do not help a price that contradicts the provider's, nor one beyond threefold of a coin whose
 * contracts have changed: such a price would be the same wrong one in every run.
 */
export function heldBack(offer: Offer, { reference, accepted, held }: Known, run: Run): Held | undefined {
  const { price, contracts } = offer;
  if (isOfLate(reference, run.now) && isLike(reference, price)) return undefined;
  const isRefused = contradicts(offer, { reference, accepted, held }, run.now);
  if (!isRefused && accepted && !isStep(price, accepted.price, reference)) return undefined;
  const next = counted(offer, held, run);
  const isSameToken = accepted === undefined || accepted.contracts === contracts;
  if (!isRefused && isSameToken && next.runs >= RUNS) return undefined;
  return { ...next, refusedBy: isRefused ? reference.at : null };
}

/** Whether a reference counts without anything that speaks for it. A time in the future is that of a wrong clock. */
export function isOfLate({ price, at }: Reference, now: number): boolean {
  return price !== null && Math.abs(now - at) <= COUNTS_FOR_MS;
}

export function isLike({ price: own }: Reference, price: number): boolean {
  return own !== null && isNear(own, price);
}

/** A digest of a coin's contracts, in whatever order. */
export function contractsKey(tokens: readonly string[]): string {
  return createHash('sha256').update(tokens.toSorted().join()).digest('base64url').slice(0, 8);
}

/** A reference that has refused a price counts, however old it becomes, until there is a newer one. */
function contradicts({ price }: Offer, { reference, accepted, held }: Known, now: number): boolean {
  if (reference.price === null || isLike(reference, price)) return false;
  if (held?.refusedBy === reference.at) return true;
  if (!isOfLate(reference, now)) return false;
  const isSteady = accepted !== undefined && isNear(accepted.price, price);
  return !isSteady || Math.abs(now - reference.at) <= SAME_TIME_MS || isFar(reference.price, price);
}

/** Threefold; or a price that leaves what both the provider, however long ago, and the run before said. */
function isStep(price: number, before: number, reference: Reference): boolean {
  return isFar(before, price) || (isLike(reference, before) && !isLike(reference, price));
}

/** The offer, counted once in a run: two jobs at once, or a clock that was set back, are not another one. */
function counted(offer: Offer, held: Held | undefined, { now, intervalMs }: Run): Omit<Held, 'refusedBy'> {
  const since = Math.min(held?.since ?? now, now);
  const isSame =
    held && held.runs > 0 && held.contracts === offer.contracts && isNear(held.price, offer.price);
  if (!isSame) return { ...offer, since, runs: 1, countedAt: now };
  const isAnotherRun = now - held.countedAt >= intervalMs / 2;
  if (isAnotherRun) return { ...held, since, runs: held.runs + 1, countedAt: now };
  return { ...held, since, countedAt: Math.min(held.countedAt, now) };
}
