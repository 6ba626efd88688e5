/** Stored candles outside the requested window: a coin's last ones, and when the first one opened. */
import { DAY_MS, HOUR_MS } from '../../platform/time.ts';
import { joined, type StoredCandle } from '../store/stored-candle.ts';
import type { StoredHistory } from '../store/stored-history.ts';
import type { Span, Window } from '../window.ts';

/** The months whose hours may be newer than the last daily price: this one and the one before. */
const HOURS_BACK_MS = 28 * DAY_MS;
/** Hours are kept for two years. */
const HOURLY_MONTHS = 25;

/**
 * A window of the requested length up to a coin's last stored price; undefined without one. An hour that is not stored is the
 * close of its day, if that was the price in it.
 */
export async function lastKnown(
  store: StoredHistory,
  id: string,
  window: Window,
  now: number,
): Promise<{ readonly candles: StoredCandle[]; readonly window: Window } | undefined> {
  const candles = await everything(store, id, window, now);
  const last = candles.at(-1);
  if (!last) return undefined;
  const to = last.opensAt + window.stepMs;
  const from = to - (window.to - window.from);
  const within = candles.filter(({ opensAt }) => opensAt >= from);
  return { candles: within, window: { ...window, from, to, closed: true } };
}

async function everything(
  store: StoredHistory,
  id: string,
  { base }: Span,
  now: number,
): Promise<readonly StoredCandle[]> {
  const days = store.rows(id, { base: '24h', from: 0, to: now }, undefined);
  if (base === '24h') return (await days).candles;
  const hours = store.rows(id, { base: '1h', from: now - HOURS_BACK_MS, to: now }, undefined);
  return joined((await hours).candles, (await days).candles.map(lastHourOf), HOUR_MS);
}

function lastHourOf(day: StoredCandle): StoredCandle {
  const { lastAt, close } = day;
  const opensAt = (Math.ceil(lastAt / HOUR_MS) - 1) * HOUR_MS;
  return { ...day, opensAt, open: close, high: close, low: close, volume: null, quality: 'derived' };
}

/** When a coin's first stored candle opened; undefined without one. Hours have no gaps of months. */
export async function firstStored(
  store: StoredHistory,
  id: string,
  { base }: Span,
  now: number,
): Promise<number | undefined> {
  const today = new Date(now);
  const monthBack = (count: number) => Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - count, 1);
  const openedIn = async (from: number, to: number) =>
    (await store.rows(id, { base, from, to }, undefined)).candles[0]?.opensAt;
  if (base === '24h') return openedIn(0, now);
  let first = await openedIn(monthBack(0), now);
  let some = 0;
  let none = HOURLY_MONTHS;
  while (none - some > 1) {
    const month = Math.floor((some + none) / 2);
    const opensAt = await openedIn(monthBack(month), monthBack(month - 1));
    if (opensAt === undefined) {
      none = month;
    } else {
      some = month;
      first = opensAt;
    }
  }
  return first;
}
