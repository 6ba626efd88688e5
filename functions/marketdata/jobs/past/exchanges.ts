import { StoreError } from '../../../../shared/marketdata/binary-file.ts';
import type { SourceMap } from '../../../../shared/marketdata/sources/source-map.ts';
import type { Coverage } from '../../../../shared/marketdata/store/candle-rows.ts';
import { dayOf } from '../../../../shared/marketdata/store/exact-hours.ts';
import { KEPT_DAYS, steps } from '../../../../shared/marketdata/store/names.ts';
import type { FetchNote } from '../../../../shared/marketdata/store/past-note.ts';
import type { StoredCandle } from '../../../../shared/marketdata/store/stored-candle.ts';
import type { BaseInterval } from '../../../../shared/marketdata/window.ts';
import { count } from '../../../../shared/platform/metrics.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../shared/platform/time.ts';
import { atMost } from '../../../../shared/platform/waiting.ts';
import { CURRENT_MS, type KnownPrices } from '../candles/batch.ts';
import { type RateAt, ratesFrom, type StableCandles, stableIds } from '../candles/rates.ts';
import { byExchange, type Coin, type ExchangeClient, type Report, Run, tradedCoins } from '../candles/run.ts';
import { hoursOf, publishedHours } from '../candles/running-hours.ts';
import type { HistoryStore } from '../history-store.ts';
import { priceIn, type ReadPrices } from '../opened.ts';
import { publishPastWeek } from '../week.ts';
import { closedUntil } from './latest.ts';
import type { Progress } from './progress.ts';

interface Options extends ReadPrices {
  readonly store: Pick<HistoryStore, 'exact' | 'daily' | 'hourly' | 'addToCoin' | 'open' | 'objects'>;
  readonly progress: Progress;
  /** The enabled exchanges. */
  readonly clients: readonly ExchangeClient[];
  /** Undefined if no market is mapped yet. */
  readonly map: SourceMap | undefined;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly deadline: number;
}

export interface FromExchanges extends Report {
  /** Coins that had days stored. */
  readonly stored: number;
}

/** A coin with its first missing day, in milliseconds since the epoch. */
interface DueCoin extends Coin {
  readonly from: number;
}

/** A coin's history is fetched this far back. */
const PAST_DAYS = 730;
const PAST_HOUR_DAYS = 30;
const COINS_AT_ONCE = 2;
const HOURS_OF_DAY = 24;
/**
 * Waits before the next attempt: after a failure, and if all is up to date but some history was rejected or could not be
 * converted.
 */
const REST_MS = { failed: 2 * HOUR_MS, lacking: DAY_MS } as const;

/**
 * Missing hours of a day are fetched from this time after its end on: by then the job `candles` has published the others, and the
 * roll-up has merged them.
 */
const HOURS_UNTIL_MS = 70 * MINUTE_MS;

/**
 * Stores the past of coins from exchanges, until none is missing or the time is over. At first it fetches a coin's days of two years
 * and its hours of the last month; later only days whose exchange hours are incomplete, because the roll-up stores the complete
 * ones. Each exchange is queried at its own pace. Store errors are thrown after all other work is done.
 */
export async function storeFromExchanges(options: Options): Promise<FromExchanges> {
  const { store, progress, clients, map, snapshot, tail, startedAt, deadline } = options;
  const read = { snapshot, tail };
  const run = new Run(clients, deadline);
  const today = closedUntil(startedAt);
  const traded = map ? tradedCoins(map, run.lanes, snapshot) : [];
  const due = await dueCoins(traded, { store, progress, today, startedAt });
  if (due.length === 0) return { stored: 0, ...run.report };
  const weeks = new Map<string, readonly StoredCandle[]>();
  const published = await publishedHours(store, startedAt, HOURS_UNTIL_MS);
  const failures: unknown[] = [];
  let stored = 0;

  /** A coin that cannot be stored does not hold up the others. */
  async function storePast(coin: DueCoin, rateAt: RateAt): Promise<void> {
    if (run.isOver) return;
    try {
      const hours = hoursOf(published, coin.id);
      const price = priceIn(read, coin.id, CURRENT_MS, startedAt);
      const past = await storeCoin(run, store, coin, { today, hours, price, rateAt });
      if (past.days > 0) stored += 1;
      if (past.hours.length > 0) weeks.set(coin.id, past.hours);
      // The next run fetches what could not be fetched in time.
      if (!past.isWhole && run.isOver) return;
      const before = progress.notes.exchanges.get(coin.id)?.through ?? 'never';
      const through = past.isWhole || past.isUpToDate ? today : before;
      await progress.note('exchanges', coin.id, through, !past.isWhole);
    } catch (error) {
      failures.push(error);
    }
  }

  // Stablecoins come before the coins that are priced in them.
  const isStable = ({ id }: Coin) => stableIds.includes(id);
  for (const coins of [due.filter(isStable), due.filter((coin) => !isStable(coin))]) {
    const stable = new Map<string, StableCandles>();
    for (const id of stableIds) {
      const hours = await store.hourly(id, { from: today - PAST_HOUR_DAYS * DAY_MS, to: startedAt });
      const late = [...hours.candles, ...hoursOf(published, id)];
      stable.set(id, { days: (await store.daily(id)).candles, hours: late });
    }
    const rateAt = ratesFrom((id) => stable.get(id) ?? { days: [], hours: [] }, read, startedAt);
    const groups = byExchange(coins);
    await Promise.all(groups.map((group) => atMost(COINS_AT_ONCE, group, (coin) => storePast(coin, rateAt))));
  }
  await publishPastWeek(store, weeks, startedAt);
  if (run.waiting.size > 0) count('MarketsWithoutRates', run.waiting.size);
  if (failures.length > 0) throw failures[0];
  return { stored, ...run.report };
}

/** The coins with something to fetch. Notes those whose hours are complete. */
async function dueCoins(
  coins: readonly Coin[],
  {
    store,
    progress,
    today,
    startedAt,
  }: Pick<Options, 'store' | 'progress' | 'startedAt'> & { readonly today: number },
): Promise<DueCoin[]> {
  /** The job `candles` adds no more hours to the days before this. */
  const until = Math.min(today, Math.floor((startedAt - HOURS_UNTIL_MS) / DAY_MS) * DAY_MS);
  const possible = coins.flatMap((coin): DueCoin[] => {
    const from = pastFrom(progress.notes.exchanges.get(coin.id), today, startedAt);
    return from === undefined ? [] : [{ ...coin, from }];
  });
  const isKnown = ({ id }: Coin) => {
    const note = progress.notes.exchanges.get(id);
    return note?.failed === false && typeof note.through === 'number';
  };
  // Due at once: the roll-up cannot bring the past of a coin without a note, or after a failure.
  const due = possible.filter((coin) => !isKnown(coin));
  let open = possible.filter((coin) => isKnown(coin) && coin.from < until);
  const first = Math.min(...open.map(({ from }) => from));
  for (let day = first; day < until && open.length > 0; day += DAY_MS) {
    const hours = day < until - KEPT_DAYS * DAY_MS ? undefined : (await store.exact(day)).content?.coins;
    const isWhole = ({ id, from }: DueCoin) =>
      day < from || hours?.get(id)?.filter(({ isSettled }) => isSettled).length === HOURS_OF_DAY;
    due.push(...open.filter((coin) => !isWhole(coin)).map((coin) => ({ ...coin, from: day })));
    open = open.filter(isWhole);
  }
  await progress.noteAll(
    'exchanges',
    open.map(({ id }) => id),
    until,
  );
  return due;
}

/** The first day to fetch, up to today; undefined: none. */
function pastFrom(note: FetchNote | undefined, today: number, now: number): number | undefined {
  const begin = today - PAST_DAYS * DAY_MS;
  const { through, at, failed } = note ?? { through: 'never', at: 0, failed: false };
  const isUpToDate = typeof through === 'number' && through >= today;
  if (failed) return now - at < (isUpToDate ? REST_MS.lacking : REST_MS.failed) ? undefined : begin;
  if (typeof through !== 'number') return begin;
  return isUpToDate ? undefined : Math.max(through, begin);
}

interface CoinPast {
  readonly days: number;
  /** The stored hours, ascending. */
  readonly hours: readonly StoredCandle[];
  /** Whether the last day is stored. */
  readonly isUpToDate: boolean;
  /** Whether exchanges returned everything that they have and it could be converted. */
  readonly isWhole: boolean;
}

interface Known {
  /** Milliseconds since the epoch. */
  readonly today: number;
  /** Hours that are already published. */
  readonly hours: readonly StoredCandle[];
  readonly price: number | undefined;
  readonly rateAt: RateAt;
}

/**
 * Stores a coin's days up to today and its hours of the last month from the preferred exchange, with gaps filled by the next
 * one. Stored candles are not fetched again.
 */
async function storeCoin(
  run: Run,
  store: Options['store'],
  { id, markets, from }: DueCoin,
  { today, hours: published, price, rateAt }: Known,
): Promise<CoinPast> {
  const firstHour = Math.max(from, today - PAST_HOUR_DAYS * DAY_MS);
  const hourSpan = { from: firstHour, to: today };
  const [daily, hourly] = await Promise.all([store.daily(id), store.hourly(id, hourSpan)]);
  // What cannot be opened could not be added to.
  if (daily.isDamaged || hourly.isDamaged)
    throw new StoreError(`The stored candles of ${id} cannot be opened`);
  const closes = new Map(daily.candles.map(({ opensAt, close }) => [opensAt, close]));
  const fetchMissing = async (base: BaseInterval, span: Coverage, stored: readonly StoredCandle[]) => {
    const stepMs = steps[base];
    const known = new Map(stored.filter(isExact).map((candle) => [candle.opensAt, candle]));
    const found: StoredCandle[] = [];
    const converted = new Set<number>();
    let isWhole = true;
    for (const market of markets) {
      const missing = missingIn(span, known, stepMs);
      if (!missing) break;
      const window = { base, stepMs, ...missing, closed: true };
      const prices = { known: { closes, now: price } satisfies KnownPrices, rateAt };
      const received = await run.candlesOf(market, window, prices);
      isWhole &&= received.isWhole;
      for (const candle of received.candles) {
        if (known.has(candle.opensAt) || !candle.isSettled) continue;
        known.set(candle.opensAt, candle);
        found.push(candle);
        if (market.quote !== 'USD') converted.add(candle.opensAt);
      }
    }
    return { found, known, converted, isWhole };
  };

  // Days come first: their closes show whether hours are another coin's.
  const days = await fetchMissing('24h', { from, to: today }, daily.candles);
  for (const { opensAt, close } of days.found) if (!closes.has(opensAt)) closes.set(opensAt, close);

  // The roll-up merges published hours into the shards, so they are not fetched again.
  const settled = published.filter((hour) => hour.isSettled && hour.opensAt < today);
  const hours = await fetchMissing('1h', hourSpan, [...hourly.candles, ...settled]);
  const newHours = hours.found.toSorted((a, b) => a.opensAt - b.opensAt);
  // A day of hours that were converted one by one is better than one that was converted as a whole.
  const folded = daysOf([...hours.known.values()]).filter(
    ({ opensAt }) => opensAt >= from && (days.converted.has(opensAt) || !days.known.has(opensAt)),
  );
  const isFolded = new Set(folded.map(({ opensAt }) => opensAt));
  const newDays = [...days.found.filter(({ opensAt }) => !isFolded.has(opensAt)), ...folded].toSorted(
    (a, b) => a.opensAt - b.opensAt,
  );
  const hourCoverage = newHours.length > 0 ? lastRun(hours.known, hourSpan, HOUR_MS) : undefined;
  const dayCoverage = newDays.length > 0 ? lastRun(days.known, { from: 0, to: today }, DAY_MS) : undefined;
  if (newHours.length > 0 || newDays.length > 0)
    await store.addToCoin(id, {
      '1h': { candles: newHours, coverage: hourCoverage },
      '24h': { candles: newDays, coverage: dayCoverage },
    });
  return {
    days: newDays.length,
    hours: newHours,
    isUpToDate: days.known.has(today - DAY_MS),
    isWhole: days.isWhole && hours.isWhole,
  };
}

/** The days of which all hours are known. */
function daysOf(hours: readonly StoredCandle[]): StoredCandle[] {
  const byDay = Map.groupBy(hours, ({ opensAt }) => Math.floor(opensAt / DAY_MS) * DAY_MS);
  return [...byDay.values()].flatMap((ofDay) => {
    const sorted = ofDay.toSorted((a, b) => a.opensAt - b.opensAt);
    const day = dayOf(sorted, { intervalMs: 0, until: Number.POSITIVE_INFINITY });
    return day?.quality === 'exact' ? [day] : [];
  });
}

function isExact({ quality }: StoredCandle): boolean {
  return quality === 'exact';
}

/** The time from the first to the last missing interval; undefined: none is missing. */
function missingIn(
  { from, to }: Coverage,
  known: ReadonlyMap<number, unknown>,
  stepMs: number,
): Coverage | undefined {
  const all = Array.from({ length: Math.round((to - from) / stepMs) }, (_, index) => from + index * stepMs);
  const missing = all.filter((opensAt) => !known.has(opensAt));
  const first = missing[0];
  const last = missing.at(-1);
  return first === undefined || last === undefined ? undefined : { from: first, to: last + stepMs };
}

/** The time without a gap up to the end of a span. Another source may have what precedes a gap. */
function lastRun(known: ReadonlyMap<number, unknown>, { from: first, to }: Coverage, stepMs: number) {
  let from = to;
  while (from > first && known.has(from - stepMs)) from -= stepMs;
  return from < to ? { from, to } : undefined;
}
