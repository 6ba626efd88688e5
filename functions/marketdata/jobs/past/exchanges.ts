import type { SourceMap } from '../../../../shared/marketdata/sources/source-map.ts';
import type { Coverage } from '../../../../shared/marketdata/store/candle-rows.ts';
import type { FetchNote } from '../../../../shared/marketdata/store/past-note.ts';
import type { Snapshot } from '../../../../shared/marketdata/store/snapshot.ts';
import { joined, type StoredCandle } from '../../../../shared/marketdata/store/stored-candle.ts';
import type { BaseInterval } from '../../../../shared/marketdata/window.ts';
import { atMost } from '../../../../shared/platform/at-most.ts';
import { count } from '../../../../shared/platform/metrics.ts';
import { DAY_MS, HOUR_MS } from '../../../../shared/platform/time.ts';
import { isSettled, type KnownPrices, recentPrice } from '../candles/batch.ts';
import { type RateAt, ratesFrom, stableIds } from '../candles/rates.ts';
import { byExchange, type Coin, type ExchangeClient, type Report, Run, tradedCoins } from '../candles/run.ts';
import { publishedHours } from '../candles/running-hours.ts';
import type { HistoryStore } from '../history-store.ts';
import { closedUntil } from './latest.ts';
import type { Progress } from './progress.ts';

interface Options {
  readonly store: Pick<HistoryStore, 'exact' | 'daily' | 'hourly' | 'addToCoin'>;
  readonly progress: Progress;
  /** Of the exchanges that may be asked. */
  readonly clients: readonly ExchangeClient[];
  /** Undefined: no market is known yet. */
  readonly map: SourceMap | undefined;
  readonly snapshot: Snapshot | undefined;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly deadline: number;
}

export interface FromExchanges extends Report {
  /** Coins that got days. */
  readonly stored: number;
}

/** A coin with the first day that is to be fetched, in milliseconds since the epoch. */
interface DueCoin extends Coin {
  readonly from: number;
}

/** So far back the past of a coin is fetched. */
const PAST_DAYS = 730;
const PAST_HOUR_DAYS = 30;
const COINS_AT_ONCE = 2;
/** After a failure; and if all is up to date but something of the past was refused, or could not be converted. */
const REST_MS = { failed: 2 * HOUR_MS, lacking: DAY_MS } as const;

/**
 * Stores the days up to today of coins that exchanges trade, and their hours of the last month, until none is missing or
 * there is no time. Each exchange is asked at its own pace. Throws what the store throws, after everything else is done.
 */
export async function storeFromExchanges(options: Options): Promise<FromExchanges> {
  const { store, progress, clients, map, snapshot, startedAt, deadline } = options;
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

  /** One coin that cannot be stored keeps no other waiting. */
  async function storePast(coin: DueCoin, rateAt: RateAt): Promise<void> {
    if (run.isOver) return;
    try {
      const hours = [...published.values()].flatMap((coins) => coins.get(coin.id) ?? []);
      const price = recentPrice(snapshot, coin.id, startedAt);
      const past = await storeCoin(run, store, coin, { today, hours, price, rateAt });
      if (past.days > 0) stored += 1;
      // What could not be fetched in time is fetched by the next run.
      if (!past.isWhole && run.isOver) return;
      const before = progress.notes.exchanges.get(coin.id)?.through ?? 'never';
      const through = past.isWhole || past.isUpToDate ? today : before;
      await progress.note('exchanges', coin.id, through, !past.isWhole);
    } catch (error) {
      failures.push(error);
    }
  }

  // Stable coins come before those that are priced in them.
  const isStable = ({ id }: Coin) => stableIds.includes(id);
  for (const coins of [due.filter(isStable), due.filter((coin) => !isStable(coin))]) {
    const rateAt = await ratesFrom(store.daily, snapshot, startedAt);
    const groups = byExchange(coins);
    await Promise.all(groups.map((group) => atMost(COINS_AT_ONCE, group, (coin) => storePast(coin, rateAt))));
  }
  if (run.waiting.size > 0) count('MarketsWithoutRates', run.waiting.size);
  if (failures.length > 0) throw failures[0];
  return { stored, ...run.report };
}

/** The first day that is to be fetched up to today; undefined: nothing is. */
function pastFrom(asked: FetchNote | undefined, today: number, now: number): number | undefined {
  const begin = today - PAST_DAYS * DAY_MS;
  const { through, at, failed } = asked ?? { through: 'never', at: 0, failed: false };
  const isUpToDate = typeof through === 'number' && through >= today;
  if (failed) return now - at < (isUpToDate ? REST_MS.lacking : REST_MS.failed) ? undefined : begin;
  if (typeof through !== 'number') return begin;
  return isUpToDate ? undefined : Math.max(through, begin);
}

interface CoinPast {
  readonly days: number;
  /** Whether the last day is stored. */
  readonly isUpToDate: boolean;
  /** Whether exchanges told all that they have, and it could be converted. */
  readonly isWhole: boolean;
}

interface Known {
  /** Milliseconds since the epoch. */
  readonly today: number;
  /** Hours that are published already. */
  readonly hours: readonly StoredCandle[];
  readonly price: number | undefined;
  readonly rateAt: RateAt;
}

/**
 * Stores the days of a coin up to today, and their hours of the last month, as far as exchanges have them: the preferred
 * one, and in its gaps the next. What is stored is not asked for.
 */
async function storeCoin(
  run: Run,
  store: Options['store'],
  { id, markets, from }: DueCoin,
  { today, hours: told, price, rateAt }: Known,
): Promise<CoinPast> {
  const firstHour = Math.max(from, today - PAST_HOUR_DAYS * DAY_MS);
  const hourSpan = { from: firstHour, to: today };
  const [daily, hourly] = await Promise.all([store.daily(id), store.hourly(id, hourSpan)]);
  const closes = new Map(daily?.candles.map(({ opensAt, close }) => [opensAt, close]));
  const ask = async (base: BaseInterval, span: Coverage, stored: readonly StoredCandle[]) => {
    const stepMs = base === '24h' ? DAY_MS : HOUR_MS;
    const known = new Map(stored.filter(isExact).map((candle) => [candle.opensAt, candle]));
    const found: StoredCandle[] = [];
    let isWhole = true;
    for (const market of markets) {
      const missing = missingIn(span, known, stepMs);
      if (!missing) break;
      const window = { base, stepMs, ...missing, closed: true };
      const prices = { known: { closes, now: price } satisfies KnownPrices, rateAt };
      const asked = await run.candlesOf(market, window, prices);
      isWhole &&= asked.isWhole;
      for (const candle of asked.candles) {
        if (known.has(candle.opensAt) || !isSettled(candle, stepMs)) continue;
        known.set(candle.opensAt, candle);
        found.push(candle);
      }
    }
    return { found, known, isWhole };
  };

  const days = await ask('24h', { from, to: today }, daily?.candles ?? []);
  for (const { opensAt, close } of days.found) if (!closes.has(opensAt)) closes.set(opensAt, close);
  const settled = told.filter((hour) => isSettled(hour, HOUR_MS) && hour.opensAt < today);
  const storedHours = [...(hourly?.candles ?? []), ...settled];
  const hours = await ask('1h', hourSpan, storedHours);
  const newHours = joined(settled, hours.found, HOUR_MS);
  const newDays = days.found.toSorted((a, b) => a.opensAt - b.opensAt);
  const hoursAsked = newHours.length > 0 ? lastRun(hours.known, hourSpan, HOUR_MS) : undefined;
  const daysAsked = newDays.length > 0 ? lastRun(days.known, { from: 0, to: today }, DAY_MS) : undefined;
  if (newHours.length > 0 || newDays.length > 0)
    await store.addToCoin(id, {
      '1h': { candles: newHours, asked: hoursAsked },
      '24h': { candles: newDays, asked: daysAsked },
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

/** From the first to the last interval that is missing; undefined: none is. */
function missingIn(
  { from, to }: Coverage,
  known: ReadonlyMap<number, unknown>,
  stepMs: number,
): Coverage | undefined {
  const all = Array.from({ length: Math.round((to - from) / stepMs) }, (_, index) => from + index * stepMs);
  const missing = all.filter((opensAt) => !known.has(opensAt));
  const [first, last] = [missing[0], missing.at(-1)];
  return first === undefined || last === undefined ? undefined : { from: first, to: last + stepMs };
}

/** The time without a gap up to the end of a span. Of what lies before a gap somebody else may know more. */
function lastRun(known: ReadonlyMap<number, unknown>, { from: first, to }: Coverage, stepMs: number) {
  let from = to;
  while (from > first && known.has(from - stepMs)) from -= stepMs;
  return from < to ? { from, to } : undefined;
}
