import { isSuddenDrop } from '../../platform/is-sudden-drop.ts';
import type { Kept } from '../provider-client.ts';
import type { OwnRow } from '../snapshot/encode.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { LeftOut, Ticker, TickerList } from '../ticker.ts';
import { MAX_CLOCK_LEAD_MS } from './bounds.ts';
import { Implausible } from './implausible.ts';
import { isJump } from './jump.ts';
import { isOlder, plausibleRow } from './ticker.ts';

/** The list without the rows that cannot be true, which it names among the unreadable ones. */
export function plausibleTickers({ tickers, unreadable }: TickerList): TickerList {
  const refused: LeftOut[] = [];
  const plausible = tickers.flatMap((ticker) => {
    try {
      return [plausibleRow(ticker, {})];
    } catch (error) {
      if (!(error instanceof Implausible)) throw error;
      refused.push({ row: ticker.id, why: error.message });
      return [];
    }
  });
  return { tickers: plausible, unreadable: [...unreadable, ...refused] };
}

/** By then it is the provider's new size, and one snapshot is better than none. */
const COMPARED_FOR_MS = 24 * 3_600_000;
const REFUSED_SHARE = 0.1;

export interface AcceptedTickers {
  readonly tickers: readonly Ticker[];
  /** Rows of the snapshot before, kept because the provider's own cannot be true or are older. */
  readonly carried: readonly OwnRow[];
}

/**
 * What of a list may follow a published snapshot. `takenAt` is when the provider made the list (ms since the epoch).
 * Throws Implausible if the list as a whole cannot be true beside that snapshot.
 */
export function acceptTickers(
  { tickers, unreadable }: TickerList,
  takenAt: number,
  published: Snapshot | undefined,
): AcceptedTickers {
  // One from the future was taken by a wrong clock: nothing that is true could follow it.
  const isFuture = published && published.takenAt > Date.now() + MAX_CLOCK_LEAD_MS;
  const previous = isFuture ? undefined : published;
  if (previous && takenAt <= previous.takenAt) {
    throw new Implausible('Older', 'a list that is not newer than the published one');
  }
  const before = previous && takenAt - previous.takenAt < COMPARED_FOR_MS ? previous : undefined;
  if (tickers.length === 0) throw new Implausible('Empty', 'no tickers');
  if (before && isSuddenDrop(tickers.length, before.rows)) {
    throw new Implausible('Drop', `${tickers.length} tickers, where the published list has ${before.rows}`);
  }
  const pairs = tickers.flatMap((ticker) => {
    const known = previous?.ticker(ticker.id)?.data;
    return known ? [{ ticker, known }] : [];
  });
  const older = new Set(pairs.flatMap(({ ticker, known }) => (isOlder(ticker, known) ? [ticker.id] : [])));
  if (isTooMany(older.size, pairs.length)) {
    throw new Implausible(
      'Older',
      `${older.size} of ${pairs.length} tickers are older than the published ones`,
    );
  }
  if (before && isJump(pairs.flatMap(({ ticker, known }) => pricePair(known, ticker)))) {
    throw new Implausible('Jump', `the prices of a tenth of all ${pairs.length} coins jumped at once`);
  }
  const relabelled = pairs.filter(({ ticker, known }) => hasLostLabel(known, ticker)).length;
  if (before && isTooMany(relabelled, pairs.length)) {
    const those = `${relabelled} of ${pairs.length} coins`;
    throw new Implausible('Text', `${those} have another name or symbol than published, or no rank`);
  }
  const listed = new Set(tickers.map(({ id }) => id));
  const refused = unreadable.map(({ row }) => row).filter((id) => !listed.has(id));
  return {
    tickers: tickers.filter(({ id }) => !older.has(id)),
    carried: [...older, ...new Set(refused)].flatMap((id) => carriedFrom(previous, id)),
  };
}

/** A few coins may be renamed; a whole column of other labels is a mistake of the provider's. */
function isTooMany(count: number, all: number): boolean {
  return count > 1 && count >= all * REFUSED_SHARE;
}

function hasLostLabel(before: Ticker, after: Ticker): boolean {
  return before.name !== after.name || before.symbol !== after.symbol || (!!before.rank && !after.rank);
}

function pricePair(before: Ticker, after: Ticker): (readonly [number, number])[] {
  const [was, is] = [before.quotes.USD.price, after.quotes.USD.price];
  return was === null || is === null ? [] : [[was, is]];
}

function carriedFrom(previous: Snapshot | undefined, id: string): AcceptedTickers['carried'] {
  const known = previous?.ticker(id);
  return known ? ownRow(known) : [];
}

/** A row of an earlier snapshot as the next one keeps it; none past its time. */
export function ownRow({ data, storedAt, staleUntil, source, quality }: Kept<Ticker>): OwnRow[] {
  return Date.now() < staleUntil ? [{ ticker: data, takenAt: storedAt, source, quality }] : [];
}
