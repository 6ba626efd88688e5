import { isSuddenDrop } from '../../platform/is-sudden-drop.ts';
import { MAX_CLOCK_LEAD_MS } from '../../platform/time.ts';
import type { Kept, Labels } from '../provider.ts';
import type { OwnRow, Snapshot } from '../store/snapshot.ts';
import { describeLeftOut, type LeftOut, type Ticker, type TickerList } from '../ticker.ts';
import { Implausible, isJump, isTenth } from './implausible.ts';
import { checkFigures, isOlder, plausibleRow } from './ticker.ts';

/** The list without implausible rows, which count among the unreadable ones. */
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

/** The time after which the new size is accepted: a smaller snapshot is better than none. */
const COMPARED_FOR_MS = 24 * 3_600_000;
/** The first ranks belong to one coin each; ties further down are normal. */
const UNIQUE_RANKS = 100;

/** What a new list is compared with. */
export interface LastSnapshots {
  readonly published?: Snapshot | undefined;
  /** The provider's last list: the published one, or the one before other sources replaced it. */
  readonly list?: Snapshot | undefined;
}

export interface AcceptedTickers extends TickerList {
  /** Rows of the last list that replace implausible or older ones. */
  readonly carried: readonly OwnRow[];
}

/**
 * The publishable part of a list. `takenAt` is when the provider made the list (ms since the epoch); `labelsOf` returns the
 * registry's name of a coin. Throws Implausible if the list contradicts the last one as a whole, or loses too many rows.
 */
export function acceptTickers(
  list: TickerList,
  takenAt: number,
  last: LastSnapshots,
  labelsOf: (id: string) => Labels | undefined = () => undefined,
): AcceptedTickers {
  const { tickers } = list;
  const published = notFuture(last.published);
  const previous = notFuture(last.list);
  if (takenAt <= Math.max(published?.takenAt ?? 0, previous?.takenAt ?? 0)) {
    throw new Implausible('Older', 'a list that is not newer than the published one');
  }
  if (tickers.length === 0) throw new Implausible('Empty', 'no tickers');
  const known = tickers.flatMap((ticker) => {
    const held = previous?.ticker(ticker.id);
    return held ? [{ ticker, held }] : [];
  });
  const older = new Set(known.flatMap(({ ticker, held }) => (isOlder(ticker, held.data) ? [ticker.id] : [])));
  if (isTenth(older.size, known.length)) {
    throw new Implausible(
      'Older',
      `${older.size} of ${known.length} tickers are older than the published ones`,
    );
  }
  if (previous && takenAt - previous.takenAt < COMPARED_FOR_MS) compareLists(tickers, previous.rows, known);

  const held = new Map(known.map((pair) => [pair.ticker.id, pair.held]));
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
  const carried = [...lost].filter((id) => !listed.has(id)).flatMap((id) => ownRow(previous?.ticker(id)));
  return { ...accepted, carried };
}

/** A list from the future comes from a wrong clock, and no true list could follow it. */
function notFuture(snapshot: Snapshot | undefined): Snapshot | undefined {
  return snapshot && snapshot.takenAt <= Date.now() + MAX_CLOCK_LEAD_MS ? snapshot : undefined;
}

/** Throws Implausible for changes that single rows may have, but not a whole list. */
function compareLists(
  tickers: readonly Ticker[],
  rowsBefore: number,
  known: readonly { readonly ticker: Ticker; readonly held: Kept<Ticker> }[],
): void {
  if (isSuddenDrop(tickers.length, rowsBefore)) {
    throw new Implausible('Drop', `${tickers.length} tickers, where the published list has ${rowsBefore}`);
  }
  const prices = known.flatMap(({ ticker, held }) => {
    const was = held.data.quotes.USD.price;
    const is = ticker.quotes.USD.price;
    return was === null || is === null ? [] : [[was, is] as const];
  });
  if (isJump(prices)) {
    throw new Implausible('Jump', `the prices of a tenth of all ${known.length} coins jumped at once`);
  }
  const relabelled = known.filter(({ ticker, held: { data: before } }) => {
    const isRenamed = before.name !== ticker.name || before.symbol !== ticker.symbol;
    return isRenamed || (before.rank && !ticker.rank);
  }).length;
  // A few coins may be renamed; a whole column of other labels is the provider's mistake.
  if (isTenth(relabelled, known.length)) {
    const those = `${relabelled} of ${known.length} coins`;
    throw new Implausible('Text', `${those} have another name or symbol than published, or no rank`);
  }
}

/** The coin of each first rank: the one that had it before, otherwise the one with the largest market cap. */
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

/** A row carried over from an earlier snapshot; undefined once it is too old. */
export function ownRow(known: Kept<Ticker> | undefined): OwnRow[] {
  if (!known || Date.now() >= known.staleUntil) return [];
  const { data: ticker, storedAt: takenAt, source, quality } = known;
  return [{ ticker, takenAt, source, quality }];
}
