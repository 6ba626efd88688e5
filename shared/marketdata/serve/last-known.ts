/** Stored candles outside the requested window: a coin's last ones. */
import { DAY_MS, HOUR_MS } from '../../platform/time.ts';
import { joined, type StoredCandle } from '../store/stored-candle.ts';
import type { Query, StoredHistory } from '../store/stored-history.ts';
import type { Window } from '../window.ts';

interface Known extends Pick<Query, 'isTrusted'> {
  readonly window: Window;
}

/** The months whose hours may be newer than the last daily price: this one and the one before. */
const HOURS_BACK_MS = 28 * DAY_MS;
/** Coins that nobody has traded for longer have no chart up to now. */
const DAYS_BACK_MS = 3 * 365 * DAY_MS;

/**
 * A window of the requested length up to a coin's last stored price; undefined without one. An hour that is not stored is the
 * close of its day, if that was the price in it.
 */
export async function lastKnown(
  store: StoredHistory,
  id: string,
  { window, isTrusted }: Known,
  now: number,
): Promise<{ readonly candles: StoredCandle[]; readonly window: Window } | undefined> {
  const candles = await everything(store, id, { window, isTrusted }, now);
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
  { window: { base }, isTrusted }: Known,
  now: number,
): Promise<readonly StoredCandle[]> {
  const days = { base: '24h', from: now - DAYS_BACK_MS, to: now, isTrusted } as const;
  if (base === '24h') return (await store.rows(id, days, undefined)).candles;
  const hours = { base: '1h', from: now - HOURS_BACK_MS, to: now, isTrusted } as const;
  const [ofDays, ofHours] = await Promise.all([days, hours].map((query) => store.rows(id, query, undefined)));
  return joined(ofHours?.candles ?? [], ofDays?.candles.map(lastHourOf) ?? []);
}

function lastHourOf(day: StoredCandle): StoredCandle {
  const { lastAt, close } = day;
  const opensAt = (Math.ceil(lastAt / HOUR_MS) - 1) * HOUR_MS;
  return { ...day, opensAt, open: close, high: close, low: close, volume: null, quality: 'derived' };
}
