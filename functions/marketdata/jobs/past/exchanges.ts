import type { SourceMap } from '../../../../shared/marketdata/sources/source-map.ts';
import type { Coverage } from '../../../../shared/marketdata/store/candle-rows.ts';
import { steps } from '../../../../shared/marketdata/store/names.ts';
import type { FetchNote } from '../../../../shared/marketdata/store/past-note.ts';
import { joined, type StoredCandle } from '../../../../shared/marketdata/store/stored-candle.ts';
import type { BaseInterval } from '../../../../shared/marketdata/window.ts';
import { count } from '../../../../shared/platform/metrics.ts';
import { DAY_MS, HOUR_MS } from '../../../../shared/platform/time.ts';
import { atMost } from '../../../../shared/platform/waiting.ts';
import { CURRENT_MS, isSettled, type KnownPrices } from '../candles/batch.ts';
import { type RateAt, ratesFrom, stableIds } from '../candles/rates.ts';
import { byExchange, type Coin, type ExchangeClient, type Report, Run, tradedCoins } from '../candles/run.ts';
import { publishedHours } from '../candles/running-hours.ts';
import type { HistoryStore } from '../history-store.ts';
import { priceIn, type ReadPrices } from '../opened.ts';
import { closedUntil } from './latest.ts';
import type { Progress } from './progress.ts';

interface Options extends ReadPrices {
  readonly store: Pick<HistoryStore, 'exact' | 'daily' | 'hourly' | 'addToCoin'>;
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
/**
 * Waits before the next attempt: after a failure, and if all is up to date but some history was rejected or could not be
 * converted.
 */
const REST_MS = { failed: 2 * HOUR_MS, lacking: DAY_MS } as const;

/**
 * Stores coins' days up to today and their hours of the last month from exchanges, until none is missing or the time is over.
 * Each exchange is queried at its own pace. Store errors are thrown after all other work is done.
 */
export async function storeFromExchanges(options: Options): Promise<FromExchanges> {
  const { store, progress, clients, map, snapshot, tail, startedAt, deadline } = options;
  const read = { snapshot, tail };
  const run = new Run(clients, deadline);
  const today = closedUntil(startedAt);
  const due = (map ? tradedCoins(map, run.lanes, snapshot) : []).flatMap((coin): DueCoin[] => {
    const from = pastFrom(progress.notes.exchanges.get(coin.id), today, startedAt);
    return from === undefined ? [] : [{ ...coin, from }];
  });
  if (due.length === 0) return { stored: 0, ...run.report };
  const published = await publishedHours(store, startedAt);
  const failures: unknown[] = [];
  let stored = 0;

  /** A coin that cannot be stored does not hold up the others. */
  async function storePast(coin: DueCoin, rateAt: RateAt): Promise<void> {
    if (run.isOver) return;
    try {
      const hours = [...published.values()].flatMap((coins) => coins.get(coin.id) ?? []);
      const price = priceIn(read, coin.id, CURRENT_MS, startedAt);
      const past = await storeCoin(run, store, coin, { today, hours, price, rateAt });
      if (past.days > 0) stored += 1;
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
    const rateAt = await ratesFrom(store.daily, read, startedAt);
    const groups = byExchange(coins);
    await Promise.all(groups.map((group) => atMost(COINS_AT_ONCE, group, (coin) => storePast(coin, rateAt))));
  }
  if (run.waiting.size > 0) count('MarketsWithoutRates', run.waiting.size);
  if (failures.length > 0) throw failures[0];
  return { stored, ...run.report };
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
  const closes = new Map(daily?.candles.map(({ opensAt, close }) => [opensAt, close]));
  const fetchMissing = async (base: BaseInterval, span: Coverage, stored: readonly StoredCandle[]) => {
    const stepMs = steps[base];
    const known = new Map(stored.filter(isExact).map((candle) => [candle.opensAt, candle]));
    const found: StoredCandle[] = [];
    let isWhole = true;
    for (const market of markets) {
      const missing = missingIn(span, known, stepMs);
      if (!missing) break;
      const window = { base, stepMs, ...missing, closed: true };
      const prices = { known: { closes, now: price } satisfies KnownPrices, rateAt };
      const received = await run.candlesOf(market, window, prices);
      isWhole &&= received.isWhole;
      for (const candle of received.candles) {
        if (known.has(candle.opensAt) || !isSettled(candle, stepMs)) continue;
        known.set(candle.opensAt, candle);
        found.push(candle);
      }
    }
    return { found, known, isWhole };
  };

  const days = await fetchMissing('24h', { from, to: today }, daily?.candles ?? []);
  for (const { opensAt, close } of days.found) if (!closes.has(opensAt)) closes.set(opensAt, close);
  const settled = published.filter((hour) => isSettled(hour, HOUR_MS) && hour.opensAt < today);
  const storedHours = [...(hourly?.candles ?? []), ...settled];
  const hours = await fetchMissing('1h', hourSpan, storedHours);
  const newHours = joined(settled, hours.found, HOUR_MS);
  const newDays = days.found.toSorted((a, b) => a.opensAt - b.opensAt);
  const hourCoverage = newHours.length > 0 ? lastRun(hours.known, hourSpan, HOUR_MS) : undefined;
  const dayCoverage = newDays.length > 0 ? lastRun(days.known, { from: 0, to: today }, DAY_MS) : undefined;
  if (newHours.length > 0 || newDays.length > 0)
    await store.addToCoin(id, {
      '1h': { candles: newHours, coverage: hourCoverage },
      '24h': { candles: newDays, coverage: dayCoverage },
    });
  return {
    days: newDays.length,
    isUpToDate: days.known.has(today - DAY_MS),
    isWhole: days.isWhole && hours.isWhole,
  };
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
