/** A coin's row of a list, judged by the coin's own past and by markets. */
import type { Kept } from '../provider.ts';
import type { Revision, Sample } from '../store/samples.ts';
import { type Belief, type Dispute, type Memory, noMemory } from '../store/snapshot-memory.ts';
import type { OwnRow } from '../store/snapshot-writer.ts';
import { type Ticker, tickerMadeAt } from '../ticker.ts';
import { FACTORS, isBeyond, isJudged, NEW_UNIT_FACTOR, PARTS, priceStepIn, TAKEN_BACK_MS } from './bounds.ts';
import { inUnitSince, judge, supplyIn, withBelieved } from './figures.ts';
import type { Opinion } from './witness.ts';

export interface JudgedRow {
  /** The row to publish: the list's, or the last believed one while the new price is held back. */
  readonly row: OwnRow;
  readonly sample: { readonly ticker: Ticker } & Pick<Sample, 'isUnconfirmed' | 'isNewUnit'>;
  readonly revision?: Revision | undefined;
  /** Why the price is disputed, in words. */
  readonly disputed?: string | undefined;
  /** Why it is held back, in words. */
  readonly held?: string | undefined;
}

interface Context {
  /** Undefined for a coin that never had a believed row. */
  readonly belief: Belief | undefined;
  /** What a coin without a believed row waits for. */
  readonly waiting: Memory | undefined;
  readonly opinion: Opinion;
  /** Whether there is no earlier list: the first one is believed. */
  readonly isFirst: boolean;
  /** Milliseconds since the epoch. */
  readonly takenAt: number;
}

/**
 * A price within what the time since the last believed one allows is believed, and so is any that a market agrees with. What two
 * markets contradict is disputed, until one agrees or the price returns: silence is no agreement. Any other step is held back
 * until three lists agree, and the believed row is carried over meanwhile.
 */
export function judgeRow(ticker: Ticker, { belief, waiting, opinion, isFirst, takenAt }: Context): JudgedRow {
  const { id } = ticker;
  const { price } = ticker.quotes.USD;
  const { verdict, middle = 0, sources } = opinion;
  const memory = belief?.memory ?? waiting ?? noMemory;
  const { dispute } = memory;
  const known = { held: memory.held.price, former: memory.former.price };
  const before = belief?.ticker.data;
  const at = tickerMadeAt(ticker) ?? takenAt;
  const elapsedMs = belief ? Math.max(0, at - belief.ticker.madeAt) : 0;
  const isStep = (was: number | null, is: number | null) => {
    if (was === null || is === null) return was !== is && !isFirst;
    return isBeyond(priceStepIn(elapsedMs), was, is);
  };
  const was = dispute ? dispute.price : (before?.quotes.USD.price ?? null);
  const judgement = judge({ was, is: price, at }, known, isStep);
  const shown = { ...ticker, sources };

  if (verdict === 'contradicts')
    return asDisputed({ against: middle, at, since: dispute?.since ?? at, price: was }, sourceNames(opinion));
  const isSettled = dispute !== undefined && settles(price, dispute);
  if (verdict === 'silent' && dispute && !isSettled && isJudged(at - dispute.at))
    return asDisputed(dispute, 'markets before');
  if (verdict === 'silent' && judgement.outcome === 'step' && !isSettled) {
    // The other figures wait at the same time, so that none waits longer than three lists.
    const { steps } = judgeFigures(before, memory.unitSince);
    const next = { ...memory, held: { ...steps, ...(judgement.held && { price: judgement.held }) } };
    const row = belief
      ? { ...carriedOver(belief.ticker), memory: next }
      : { ticker: shown, takenAt, memory: next, withheld: 'new' as const };
    return {
      row,
      sample: { ticker, isUnconfirmed: true },
      held: `${price} USD, which was ${was ?? 'unknown'}`,
    };
  }

  const isNewUnit =
    before !== undefined &&
    judgement.held !== undefined &&
    isUnitChange(before, ticker, verdict === 'agrees');
  const unitSince = isNewUnit ? at : memory.unitSince;
  const figures = judgeFigures(isNewUnit ? undefined : before, unitSince);
  const isUnwitnessed = verdict === 'silent' && judgement.former !== undefined;
  const next: Memory = {
    held: figures.memory.held,
    former: { ...figures.memory.former, ...(isUnwitnessed && { price: judgement.former }) },
    unitSince,
  };
  return {
    row: { ticker: figures.ticker, takenAt, memory: next },
    sample: { ticker, ...(isNewUnit && { isNewUnit }) },
    // What was held back since the redenomination stays out: its hour has prices in the old unit.
    revision: isNewUnit ? undefined : revisionOf(),
  };

  function judgeFigures(past: Ticker | undefined, since: number | undefined) {
    const inUnit = since === undefined ? shown : inUnitSince(shown, since);
    return past
      ? withBelieved(inUnit, past, withoutPrice(memory))
      : { ticker: inUnit, memory: noMemory, steps: {} };
  }

  function asDisputed(next: Dispute, by: string): JudgedRow {
    const figures = judgeFigures(before, memory.unitSince);
    // Markets confirm the price before a step that only repetition had confirmed.
    const former =
      known.former?.value && isWithinDispute(known.former.value, next.against) ? known.former : undefined;
    return {
      row: {
        ticker: figures.ticker,
        takenAt,
        quality: 'disputed',
        memory: {
          ...figures.memory,
          unitSince: memory.unitSince,
          dispute: former ? { ...next, price: former.value } : next,
        },
      },
      sample: { ticker, isUnconfirmed: true },
      revision: former && { id, from: former.since, isBelieved: false },
      disputed: `${id}: ${price} USD; ${next.against} at ${by}`,
    };
  }

  function revisionOf(): Revision | undefined {
    if (judgement.outcome === 'returned') {
      const { since } = known.former ?? { since: 0 };
      return at - since <= TAKEN_BACK_MS ? { id, from: since, isBelieved: false } : undefined;
    }
    const from = known.held?.since ?? dispute?.since;
    const last = known.held?.value ?? (dispute && before?.quotes.USD.price);
    return from !== undefined && last && !isStep(last, price) ? { id, from, isBelieved: true } : undefined;
  }
}

/** A row carried over from an earlier snapshot. */
export function carriedOver(known: Kept<Ticker>): OwnRow {
  const { data: ticker, storedAt: takenAt, source, quality } = known;
  return { ticker, takenAt, source, quality };
}

function sourceNames({ sources }: Opinion): string {
  return (sources?.prices ?? []).map(({ exchange }) => exchange).join(', ');
}

function withoutPrice({
  held: { price: _held, ...held },
  former: { price: _former, ...former },
}: Memory): Memory {
  return { held, former };
}

/** Whether a price is again what markets last said, or what it was before the dispute. */
function settles(price: number | null, { against, price: before }: Dispute): boolean {
  if (price === null) return false;
  return isWithinDispute(price, against) || (before !== null && isWithinDispute(price, before));
}

function isWithinDispute(price: number, of: number): boolean {
  return Math.abs(price - of) <= of * PARTS.disputed;
}

/**
 * Whether a confirmed step is a redenomination: the number of coins moved against the price, or markets confirm a rise that no
 * trade makes at once.
 */
function isUnitChange(before: Ticker, now: Ticker, isWitnessed: boolean): boolean {
  const was = before.quotes.USD.price;
  const is = now.quotes.USD.price;
  if (!was || !is || !isBeyond(FACTORS.another, was, is)) return false;
  const [supplyBefore, supply] = [supplyIn(before), supplyIn(now)];
  const isOpposite = supplyBefore && supply && !isBeyond(FACTORS.near, supplyBefore * was, supply * is);
  return Boolean(isOpposite) || (isWitnessed && is > was * NEW_UNIT_FACTOR);
}
