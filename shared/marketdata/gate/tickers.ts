import { isSuddenDrop } from '../../platform/is-sudden-drop.ts';
import { count } from '../../platform/metrics.ts';
import { DAY_MS, isoSeconds, MAX_CLOCK_LEAD_MS, MINUTE_MS } from '../../platform/time.ts';
import type { Kept } from '../provider.ts';
import type { CoinQuotes } from '../sources/source-map.ts';
import type { Snapshot } from '../store/snapshot.ts';
import { type Memories, memoriesIn, type NewSymbol, noMemory } from '../store/snapshot-memory.ts';
import type { OwnRow } from '../store/snapshot-writer.ts';
import { describeLeftOut, type LeftOut, type Ticker, type TickerList, tickerMadeAt } from '../ticker.ts';
import { isJudged, isJump, isTenth } from './bounds.ts';
import { Implausible } from './implausible.ts';
import { carriedOver, type JudgedRow, judgeRow } from './row.ts';
import { type LabelsOf, symbolsOf } from './symbols.ts';
import { isOlder, plausibleRow, withNames, withoutContradiction } from './ticker.ts';
import { opinionOf } from './witness.ts';

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
const COMPARED_FOR_MS = DAY_MS;
/** A feed without news for this long is an outage, whatever headers it has: its source renews it every ten minutes. */
export const NO_NEWS_MS = 30 * MINUTE_MS;
const nothing: Memories = { beliefs: new Map(), left: new Set(), waiting: new Map() };
/** The first ranks belong to one coin each; ties further down are normal. */
const UNIQUE_RANKS = 100;

/** What a new list is compared with. */
export interface LastSnapshots {
  readonly published?: Snapshot | undefined;
  /** The provider's last list: the published one, or the one before other sources replaced it. */
  readonly list?: Snapshot | undefined;
}

export interface ListOptions {
  /** When the provider responded, in milliseconds since the epoch. */
  readonly takenAt: number;
  readonly last: LastSnapshots;
  /** The registry's names of a coin. */
  readonly labelsOf?: LabelsOf | undefined;
  /** Prices of markets; undefined if none are current. */
  readonly quotes?: CoinQuotes | undefined;
}

export interface AcceptedTickers {
  /** When the provider made the list, by its rows' own times; milliseconds since the epoch. */
  readonly takenAt: number;
  readonly rows: readonly JudgedRow[];
  /** Believed rows of coins that the list lacks, or has false rows of. */
  readonly carried: readonly OwnRow[];
  /** Rows that are malformed or whose price cannot be true. */
  readonly unreadable: readonly LeftOut[];
}

/**
 * The publishable rows of a list. Throws Implausible if the list contradicts the last one as a whole, has no news, or loses too
 * many rows.
 */
export function acceptTickers(list: TickerList, options: ListOptions): AcceptedTickers {
  const { last, labelsOf = () => undefined, quotes } = options;
  const { tickers } = list;
  const published = notFuture(last.published);
  const previous = notFuture(last.list);
  const takenAt = timeOf(tickers, options.takenAt, previous);
  if (takenAt <= Math.max(published?.takenAt ?? 0, previous?.takenAt ?? 0)) {
    throw new Implausible('Older', 'a list that is not newer than the published one');
  }
  if (tickers.length === 0) throw new Implausible('Empty', 'no tickers');
  // Prices of markets that replaced a list are no measure for the next one: whoever lied meanwhile would lock the list out.
  const measure = previous ?? published;
  const { beliefs, left, waiting } = measure ? memoriesIn(measure) : nothing;
  const known = tickers.flatMap((ticker) => {
    const belief = left.has(ticker.id) ? undefined : beliefs.get(ticker.id);
    return belief && previous ? [{ ticker, held: belief.ticker }] : [];
  });
  const older = new Set(known.flatMap(({ ticker, held }) => (isOlder(ticker, held.data) ? [ticker.id] : [])));
  if (isTenth(older.size, known.length)) {
    throw new Implausible(
      'Older',
      `${older.size} of ${known.length} tickers are older than the published ones`,
    );
  }
  const isCompared = previous !== undefined && takenAt - previous.takenAt < COMPARED_FOR_MS;
  if (isCompared) compareLists(tickers, beliefs.size - left.size, known);

  const newer = { ...list, tickers: tickers.filter(({ id }) => !older.has(id)) };
  const opinionOn = (ticker: Ticker) =>
    opinionOf(ticker.id, ticker.quotes.USD.price, tickerMadeAt(ticker) ?? takenAt, quotes);
  const contextOf = (ticker: Ticker) => ({
    ...{ belief: beliefs.get(ticker.id), waiting: waiting.get(ticker.id) },
    ...{ opinion: opinionOn(ticker), takenAt },
  });
  const namesOf = symbolsOf(tickers, labelsOf);
  const newSymbols = new Map<string, NewSymbol | undefined>();
  const possible = passing(newer, (ticker) => {
    const { belief, ...context } = contextOf(ticker);
    const names = namesOf(ticker, { belief, ...context });
    const expected = { held: belief?.ticker, labels: labelsOf(ticker.id) };
    const row = names
      ? withNames(ticker, names.labels, expected, takenAt)
      : plausibleRow(ticker, expected, takenAt);
    if (names) newSymbols.set(ticker.id, names.newSymbol);
    return belief ? row : withoutContradiction(row);
  });
  if (isSuddenDrop(possible.tickers.length, newer.tickers.length)) {
    const [first] = possible.unreadable.slice(list.unreadable.length).map(describeLeftOut);
    const those = `${newer.tickers.length - possible.tickers.length} of ${newer.tickers.length} tickers`;
    throw new Implausible('Drop', `${those} cannot be true, such as ${first}`);
  }
  const ranked = withUniqueRanks(possible.tickers, (id) => beliefs.get(id)?.ticker.data.rank);
  const rows = ranked.map((ticker): JudgedRow => {
    // Nothing but the registry knows a coin of the first list.
    const isFirst = measure === undefined && !newSymbols.has(ticker.id);
    const judged = judgeRow(ticker, { ...contextOf(ticker), isFirst });
    const memory = { ...noMemory, ...judged.row.memory, newSymbol: newSymbols.get(ticker.id) };
    return { ...judged, row: { ...judged.row, memory } };
  });
  const judged = new Set(rows.map(({ row }) => row.ticker.id));
  const lost = new Set([...older, ...possible.unreadable.map(({ row }) => row)]);
  const listed = new Set([...judged, ...lost]);
  const carried = [...lost].flatMap((id) => {
    const [row] = judged.has(id) ? [] : ownRow(published?.ticker(id) ?? previous?.ticker(id));
    return row ? [{ ...row, memory: beliefs.get(id)?.memory }] : [];
  });
  return {
    takenAt,
    rows,
    carried: [...carried, ...leavers(beliefs, listed, takenAt)],
    unreadable: possible.unreadable,
  };
}

/**
 * When a list was made: at the time of its response, unless its rows are old. A list that repeats the last one is an outage: throws
 * Implausible. One with news is as old as they are, or our clock is ahead.
 */
function timeOf(tickers: readonly Ticker[], takenAt: number, previous: Snapshot | undefined): number {
  const newsAt = newsTimeOf(tickers.map(tickerMadeAt));
  if (newsAt === undefined || takenAt - newsAt <= NO_NEWS_MS) return takenAt;
  const newsBefore = previous && newsTimeOf(Array.from(previous.tickers(), ({ madeAt }) => madeAt));
  if (newsBefore !== undefined && newsAt <= newsBefore)
    throw new Implausible('Older', `no news since ${isoSeconds(newsAt)}`);
  return newsAt;
}

/**
 * When a list was last renewed, by the times of its rows (ms since the epoch): a tenth of them are at least as new. Undefined
 * without times.
 */
export function newsTimeOf(times: readonly (number | undefined)[]): number | undefined {
  const sorted = times.filter((time) => time !== undefined).toSorted((a, b) => b - a);
  return sorted[Math.floor(sorted.length / 10)];
}

/** Coins that left the list are remembered, so that one that returns is compared with its past. */
function leavers(beliefs: Memories['beliefs'], listed: ReadonlySet<string>, takenAt: number): OwnRow[] {
  return [...beliefs].flatMap(([id, { ticker, memory }]): OwnRow[] => {
    if (listed.has(id) || !isJudged(takenAt - ticker.storedAt)) return [];
    return [{ ...carriedOver(ticker), memory, withheld: 'left' }];
  });
}

/** The tickers, of which each first rank has one: the coin that had it before, otherwise the one with the largest market cap. */
function withUniqueRanks(
  tickers: readonly Ticker[],
  rankBefore: (id: string) => number | null | undefined,
): Ticker[] {
  const claim = ({ id, rank, quotes }: Ticker) =>
    rankBefore(id) === rank ? Number.POSITIVE_INFINITY : (quotes.USD.market_cap ?? 0);
  const holders = new Map<number, Ticker>();
  for (const ticker of tickers) {
    if (!ticker.rank || ticker.rank > UNIQUE_RANKS) continue;
    const other = holders.get(ticker.rank);
    if (!other || claim(ticker) > claim(other)) holders.set(ticker.rank, ticker);
  }
  const isRight = ({ id, rank }: Ticker) => (holders.get(rank ?? 0)?.id ?? id) === id;
  const wrong = tickers.filter((ticker) => !isRight(ticker)).length;
  if (isSuddenDrop(tickers.length - wrong, tickers.length))
    throw new Implausible('Figure', `${wrong} of ${tickers.length} tickers have another coin’s rank`);
  if (wrong > 0) count('ImplausibleFigure', wrong);
  return tickers.map((ticker) => (isRight(ticker) ? ticker : { ...ticker, rank: null }));
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

/** A row carried over from an earlier snapshot; none once it is too old. */
export function ownRow(known: Kept<Ticker> | undefined): OwnRow[] {
  return !known || Date.now() >= known.staleUntil ? [] : [carriedOver(known)];
}
