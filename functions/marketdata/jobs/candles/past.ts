import type { Coverage } from '../../../../shared/marketdata/store/candle-rows.ts';
import { joined, type StoredCandle } from '../../../../shared/marketdata/store/stored-candle.ts';
import type { BaseInterval } from '../../../../shared/marketdata/window.ts';
import { DAY_MS, HOUR_MS } from '../../../../shared/platform/time.ts';
import type { HistoryStore } from '../history-store.ts';
import { isSettled, type KnownPrices } from './batch.ts';
import type { RateAt } from './rates.ts';
import type { Coin, Run } from './run.ts';

/** So far back the past of a coin is asked for. */
export const PAST_DAYS = 730;
const PAST_HOUR_DAYS = 30;

export type PastStore = Pick<HistoryStore, 'daily' | 'hourly' | 'addToCoin'>;

export interface Past {
  readonly days: number;
  /** Whether the last day is stored. */
  readonly isUpToDate: boolean;
  /** Whether exchanges told all that they have, and it could be converted. */
  readonly isWhole: boolean;
  /** The first day that waits for what its quote was worth, if nothing else is missing. */
  readonly waitsFrom: number | undefined;
}

interface Options {
  /** The first day that is asked for. Milliseconds since the epoch, as the next one. */
  readonly from: number;
  readonly today: number;
  /** Hours that were told already. */
  readonly hours: readonly StoredCandle[];
  readonly price: number | undefined;
  readonly rateAt: RateAt;
}

/**
 * Stores the days of a coin up to today, and their hours of the last month, as far as exchanges have them: the preferred
 * one, and in its gaps the next. What is stored is not asked for.
 */
export async function storePast(
  run: Run,
  store: PastStore,
  { id, markets }: Coin,
  { from, today, hours: told, price, rateAt }: Options,
): Promise<Past> {
  const firstHour = Math.max(from, today - PAST_HOUR_DAYS * DAY_MS);
  const hourSpan = { from: firstHour, to: today };
  const [daily, hourly] = await Promise.all([store.daily(id), store.hourly(id, hourSpan)]);
  const closes = new Map(daily?.candles.map(({ opensAt, close }) => [opensAt, close]));
  const ask = async (base: BaseInterval, span: Coverage, stored: readonly StoredCandle[]) => {
    const stepMs = base === '24h' ? DAY_MS : HOUR_MS;
    const known = new Map(stored.filter(isExact).map((candle) => [candle.opensAt, candle]));
    const found: StoredCandle[] = [];
    let isWhole = true;
    let waitsFrom = Number.POSITIVE_INFINITY;
    for (const market of markets) {
      const missing = missingIn(span, known, stepMs);
      if (!missing) break;
      const window = { base, stepMs, ...missing, closed: true };
      const prices = { known: { closes, now: price } satisfies KnownPrices, rateAt };
      const asked = await run.candlesOf(market, window, prices);
      isWhole &&= asked.isWhole;
      waitsFrom = Math.min(waitsFrom, asked.waitsFrom ?? waitsFrom);
      for (const candle of asked.candles) {
        if (known.has(candle.opensAt) || !isSettled(candle, stepMs)) continue;
        known.set(candle.opensAt, candle);
        found.push(candle);
      }
    }
    return { found, known, isWhole, waitsFrom };
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
  const isUpToDate = days.known.has(today - DAY_MS);
  const isAsked = days.isWhole && hours.isWhole;
  const waitsFrom = Math.min(days.waitsFrom, hours.waitsFrom);
  const isWaiting = Number.isFinite(waitsFrom);
  return {
    ...{ days: newDays.length, isUpToDate, isWhole: isAsked && !isWaiting },
    waitsFrom: isAsked && isWaiting ? waitsFrom : undefined,
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
