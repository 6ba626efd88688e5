import { listed } from '../candles.ts';
import type { BaseRows } from '../history-of.ts';
import { lifetimes } from '../lifetimes.ts';
import type { HistoryQuery } from '../provider.ts';
import { BITCOIN } from '../running.ts';
import { runningFrom } from '../series.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { Span } from '../window.ts';
import { baseCandle, inUnits } from './base-rows.ts';
import type { Asked } from './series-file.ts';
import type { StoredHistory, StoredRows } from './stored-history.ts';

/** What our own history has of a window. Times in milliseconds since the epoch. */
export interface OwnRows extends BaseRows {
  /** The closed intervals that are not stored and of which nobody was asked lie in here; undefined: there are none. */
  readonly missing: Asked | undefined;
  /** Up to when it is known what there is; older than the window's end if the running interval is not known. */
  readonly knownUntil: number;
}

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
  const { candles, asked } = unit ? both(coin, unit) : coin;
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
  };
}

function both(coin: StoredRows, unit: StoredRows): StoredRows {
  const [a, b] = [coin.asked, unit.asked];
  const asked = a && b && { from: Math.max(a.from, b.from), to: Math.min(a.to, b.to) };
  return { candles: inUnits(coin.candles, unit.candles), asked };
}

function missingIn(
  { candles, asked }: StoredRows,
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
