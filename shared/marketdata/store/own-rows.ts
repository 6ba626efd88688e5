import { DAY_MS, HOUR_MS } from '../../platform/time.ts';
import { listed } from '../candles.ts';
import type { BaseRows } from '../history-of.ts';
import { lifetimes } from '../lifetimes.ts';
import type { HistoryQuery } from '../provider.ts';
import { BITCOIN } from '../running.ts';
import { runningFrom } from '../series.ts';
import type { Span, Window } from '../window.ts';
import { baseCandle, inUnits } from './base-rows.ts';
import type { Asked } from './candle-rows.ts';
import type { Snapshot } from './snapshot.ts';
import { joined, type StoredCandle } from './stored-candle.ts';
import type { StoredHistory, StoredRows } from './stored-history.ts';

/** What our own history has of a window. Times in milliseconds since the epoch. */
export interface OwnRows extends BaseRows {
  /** The closed intervals that are not stored and of which nobody was asked lie in here; undefined: there are none. */
  readonly missing: Asked | undefined;
  /** Up to when it is known what there is; older than the window's end if the running interval is not known. */
  readonly knownUntil: number;
  /** Whether something is missing because an object cannot be opened. */
  readonly isSetAside: boolean;
}

/** Of hours older than the last price of a day nobody is told: this month's and the one's before. */
const HOURS_BACK_MS = 28 * DAY_MS;

/** Throws as `StoredHistory.rows` does. */
export async function ownRows(
  store: StoredHistory,
  { id, quote, window }: HistoryQuery,
  snapshot: Snapshot | undefined,
  now: number,
): Promise<OwnRows> {
  const [coin, unit] = await Promise.all([
    store.rows(id, window, snapshot),
    quote === 'btc' ? store.rows(BITCOIN, window, snapshot) : undefined,
  ]);
  return told(unit ? both(coin, unit) : coin, window, now);
}

function told({ candles, asked, isSetAside }: StoredRows, window: Span, now: number): OwnRows {
  const running = runningFrom(now, window);
  const last = candles.at(-1);
  const knownUntil = Math.max(
    last ? Math.max(last.lastAt, Math.min(last.opensAt + window.stepMs, running)) : 0,
    asked?.to ?? 0,
  );
  return {
    rows: candles.map((candle) => baseCandle(candle, window.stepMs, now)),
    source: listed(...candles.map(({ source }) => source)),
    madeAt: last?.lastAt ?? asked?.to ?? now,
    freshUntil: Math.min(running + window.stepMs, knownUntil + lifetimes.history.runningMs),
    stale: false,
    closedUntil: now,
    missing: missingIn({ candles, asked }, window, running),
    knownUntil,
    isSetAside,
  };
}

/**
 * As long a window as the one asked for, up to the last price that the store has of a coin; undefined if it has none. An
 * hour that is not stored is the close of its day, if that was the price in it.
 */
export async function lastKnown(
  store: StoredHistory,
  { id, quote, window }: HistoryQuery & { readonly window: Window },
  now: number,
): Promise<{ readonly rows: OwnRows; readonly window: Window } | undefined> {
  const [coin, unit] = await Promise.all([
    everything(store, id, window, now),
    quote === 'btc' ? everything(store, BITCOIN, window, now) : undefined,
  ]);
  const candles = unit ? inUnits(coin, unit) : coin;
  const last = candles.at(-1);
  if (!last) return undefined;
  const to = last.opensAt + window.stepMs;
  const from = to - (window.to - window.from);
  const shifted = { ...window, from, to, closed: true };
  const within = candles.filter(({ opensAt }) => opensAt >= from);
  return {
    rows: told({ candles: within, asked: undefined, isSetAside: false }, shifted, now),
    window: shifted,
  };
}

/** Hours are kept for two years. */
const HOURLY_MONTHS = 25;

/** When the first candle that the store has of a coin opened; undefined if it has none. Hours are taken to have no gap of months. */
export async function firstStored(
  store: StoredHistory,
  { id, quote, window: { base } }: HistoryQuery & { readonly window: Window },
  now: number,
): Promise<number | undefined> {
  const today = new Date(now);
  const monthBack = (count: number) => Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - count, 1);
  const openedIn = async (coin: string, from: number, to: number) =>
    (await store.rows(coin, { base, from, to }, undefined)).candles[0]?.opensAt;
  const firstHour = async (coin: string) => {
    let first = await openedIn(coin, monthBack(0), now);
    for (let [some, none] = [0, HOURLY_MONTHS]; none - some > 1; ) {
      const count = Math.floor((some + none) / 2);
      const opensAt = await openedIn(coin, monthBack(count), monthBack(count - 1));
      if (opensAt === undefined) none = count;
      else [some, first] = [count, opensAt];
    }
    return first;
  };
  const firstOf = (coin: string) => (base === '1h' ? firstHour(coin) : openedIn(coin, 0, now));
  const [coin, unit] = await Promise.all([firstOf(id), quote === 'btc' ? firstOf(BITCOIN) : 0]);
  return coin === undefined || unit === undefined ? undefined : Math.max(coin, unit);
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

function both(coin: StoredRows, unit: StoredRows): StoredRows {
  const [a, b] = [coin.asked, unit.asked];
  const asked = a && b && { from: Math.max(a.from, b.from), to: Math.min(a.to, b.to) };
  const isSetAside = coin.isSetAside || unit.isSetAside;
  return { candles: inUnits(coin.candles, unit.candles), asked, isSetAside };
}

function missingIn(
  { candles, asked }: Pick<StoredRows, 'candles' | 'asked'>,
  { from, to, stepMs }: Span,
  running: number,
): Asked | undefined {
  const end = Math.min(to, running);
  const expected = Math.max(0, Math.round((end - from) / stepMs));
  const isLastOpen = (candles.at(-1)?.opensAt ?? 0) >= end;
  if (candles.length - (isLastOpen ? 1 : 0) === expected) return undefined;
  const known = new Set(candles.map(({ opensAt }) => opensAt));
  const isMissing = (opensAt: number) =>
    !known.has(opensAt) && !(asked && opensAt >= asked.from && opensAt < asked.to);
  const missing = Array.from({ length: expected }, (_, index) => from + index * stepMs).filter(isMissing);
  const [first, last] = [missing[0], missing.at(-1)];
  return first === undefined || last === undefined ? undefined : { from: first, to: last + stepMs };
}
