/** The known candles of a window, and the gaps in them. */
import type { Environment } from '../../platform/environment.ts';
import { count } from '../../platform/metrics.ts';
import { lifetimes } from '../freshness.ts';
import type { Coverage } from '../store/candle-rows.ts';
import type { Snapshot } from '../store/snapshot.ts';
import { isOutdated } from '../store/stored-candle.ts';
import type { StoredHistory, StoredRows } from '../store/stored-history.ts';
import { closeAfter, type Window } from '../window.ts';

/** The known candles of a window, in USD. */
export interface Rows extends Pick<StoredRows, 'candles' | 'coverage'> {
  readonly stale: boolean;
  /** The requested window, or an earlier one. */
  readonly window: Window;
}

export interface Source {
  readonly environment: Environment;
  readonly store: StoredHistory;
  readonly snapshot: Snapshot | undefined;
  readonly now: number;
}

/** The part of a window that has to be fetched; undefined: none. */
export function lacks(rows: Rows, now: number): 'beginning' | 'end' | undefined {
  const { missing, knownUntil } = gapsOf(rows, now);
  if (!rows.window.closed && now - knownUntil >= lifetimes.history.runningMs) return 'end';
  if (!missing) return undefined;
  const first = rows.candles[0];
  return !first || missing.to > first.opensAt ? 'end' : 'beginning';
}

/**
 * `missing` spans the closed intervals that are neither known nor known to be absent at the provider; `knownUntil` is the end of
 * what is known.
 */
export function gapsOf(
  { candles, coverage, window: { base, from, to, stepMs } }: Rows,
  now: number,
): { readonly missing: Coverage | undefined; readonly knownUntil: number } {
  const running = closeAfter(now, base) - stepMs;
  const knownUntil = Math.max(candles.at(-1)?.lastAt ?? 0, coverage?.to ?? 0);
  const end = Math.min(to, running);
  const expected = Math.max(0, Math.round((end - from) / stepMs));
  const known = new Set(
    candles.flatMap((candle) => (isOutdated(candle, stepMs, now) ? [] : [candle.opensAt])),
  );
  const isMissing = (opensAt: number) =>
    !known.has(opensAt) && !(coverage && opensAt >= coverage.from && opensAt + stepMs <= coverage.to);
  const missing = Array.from({ length: expected }, (_, index) => from + index * stepMs).filter(isMissing);
  const first = missing[0];
  const lastMissing = missing.at(-1);
  if (first === undefined || lastMissing === undefined) return { missing: undefined, knownUntil };
  return { missing: { from: first, to: lastMissing + stepMs }, knownUntil };
}

/** Undefined if the store cannot be read. */
export async function fromStore<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch {
    count('SharedStoreFailures');
    return undefined;
  }
}
