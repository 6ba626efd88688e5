import { isSuddenDrop } from '../../platform/is-sudden-drop.ts';
import type { Labels } from '../provider.ts';
import type { Kept } from '../provider-client.ts';
import type { OwnRow } from '../snapshot/encode.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { describeLeftOut, type LeftOut, type Ticker, type TickerList } from '../ticker.ts';
import { MAX_CLOCK_LEAD_MS } from './bounds.ts';
import { checkFigures } from './figures.ts';
import { Implausible } from './implausible.ts';
import { isJump } from './jump.ts';
import { isOlder, plausibleRow } from './ticker.ts';

/** The list without the rows that cannot be true, which it names among the unreadable ones. */
export function plausibleTickers(list: TickerList): TickerList {
  return passing(list, (ticker) => {
    if (ticker.last_updated === null) throw new Implausible('Time', 'no time');
    return plausibleRow(ticker, {});
  });
}

function passing({ tickers, unreadable }: TickerList, check: (ticker: Ticker) => Ticker): TickerList {
  const refused: LeftOut[] = [];
  const plausible = tickers.flatMap((ticker) => {
    try {
      return [check(ticker)];
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
/** Each of the first ranks is one coin's; a tie far below is nobody's mistake. */
const UNIQUE_RANKS = 100;

export interface AcceptedTickers extends TickerList {
  /** Rows of the snapshot before, in place of those that cannot be true or are older. */
  readonly carried: readonly OwnRow[];
}

/**
 * What of a list may follow a published snapshot. `takenAt` is when the provider made the list (ms since the epoch);
 * `labelsOf` is what the registry calls a coin. Throws Implausible if the list as a whole cannot be true beside that
 * snapshot, or with the rows that it loses.
 */
export function acceptTickers(
  list: TickerList,
  takenAt: number,
  published: Snapshot | undefined,
  labelsOf: (id: string) => Labels | undefined = () => undefined,
): AcceptedTickers {
  const { tickers } = list;
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
    const held = previous?.ticker(ticker.id);
    return held ? [{ ticker, held, known: held.data }] : [];
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
  const held = new Map(pairs.map((pair) => [pair.ticker.id, pair.held]));
  const newer = { ...list, tickers: tickers.filter(({ id }) => !older.has(id)) };
  const ofCoin = passing(newer, (ticker) => {
    const expected = { held: held.get(ticker.id), labels: labelsOf(ticker.id) };
    const plausible = plausibleRow(ticker, expected);
    checkFigures(plausible, expected.held);
    return plausible;
  });
  const holders = rankHolders(ofCoin.tickers, held);
  const accepted = passing(ofCoin, (ticker) => {
    const holder = holders.get(ticker.rank);
    if (!holder || holder.id === ticker.id) return ticker;
    throw new Implausible('Figure', `the rank ${ticker.rank}, which is that of ${holder.id}`);
  });
  if (isSuddenDrop(accepted.tickers.length, newer.tickers.length)) {
    const [first] = accepted.unreadable.slice(list.unreadable.length).map(describeLeftOut);
    const those = `${newer.tickers.length - accepted.tickers.length} of ${newer.tickers.length} tickers`;
    throw new Implausible('Drop', `${those} cannot be true, such as ${first}`);
  }
  const listed = new Set(accepted.tickers.map(({ id }) => id));
  const lost = new Set([...older, ...accepted.unreadable.map(({ row }) => row)]);
  const carried = [...lost].filter((id) => !listed.has(id)).flatMap((id) => carriedFrom(previous, id));
  return { ...accepted, carried };
}

/** By rank, of the first: the coin that had it before, else the one with the largest market cap. */
function rankHolders(
  tickers: readonly Ticker[],
  held: ReadonlyMap<string, Kept<Ticker>>,
): ReadonlyMap<number | null, Ticker> {
  const claim = ({ id, rank, quotes }: Ticker) =>
    held.get(id)?.data.rank === rank ? Number.POSITIVE_INFINITY : (quotes.USD.market_cap ?? 0);
  const holders = new Map<number | null, Ticker>();
  for (const ticker of tickers) {
    if (!ticker.rank || ticker.rank > UNIQUE_RANKS) continue;
    const other = holders.get(ticker.rank);
    if (!other || claim(ticker) > claim(other)) holders.set(ticker.rank, ticker);
  }
  return holders;
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
