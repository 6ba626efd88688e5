/** The one policy of where a chart comes from: our own history, then a provider, then what there is of either. */
import { ApiError, isOutage } from '../http/errors.ts';
import { count } from '../platform/metrics.ts';
import { withTimeout } from '../platform/with-timeout.ts';
import type { BaseCandle } from './candles.ts';
import { type BaseRows, type History, historyOf } from './history-of.ts';
import { lifetimes, STARTED_WAIT_MS } from './lifetimes.ts';
import { runningFrom } from './series.ts';
import type { Snapshot } from './snapshot/snapshot.ts';
import { type OwnRows, ownRows } from './store/own-rows.ts';
import { qualities } from './store/stored-candle.ts';
import type { StoredHistory } from './store/stored-history.ts';
import type { Upstream, UpstreamOptions, WindowQuery } from './upstream-rows.ts';

export interface OwnHistory {
  readonly store: StoredHistory;
  readonly snapshot: Snapshot | undefined;
}

/** Loads what it takes to ask a provider, which most charts do without. */
export type OpenUpstream = () => Promise<Upstream>;

export interface HistoryOptions extends UpstreamOptions {
  /** Without it each chart is asked for. */
  readonly own?: OwnHistory | undefined;
}

/** The candles of a window. Throws as `Upstream.rows` does, if our own history has nothing of it. */
export async function history(
  upstream: OpenUpstream,
  query: WindowQuery,
  options: HistoryOptions,
): Promise<History> {
  const now = Date.now();
  const base = await baseRows(upstream, query, options, now);
  const { window } = query;
  return historyOf(base, { window, price: window.closed ? undefined : await options.price?.(), now });
}

async function baseRows(
  upstream: OpenUpstream,
  query: WindowQuery,
  { own, ...options }: HistoryOptions,
  now: number,
): Promise<BaseRows> {
  const stored = own && (await readOwn(own, query, now));
  if (!stored) return (await upstream()).rows(query, options);
  const hasRows = stored.rows.length > 0;
  const lacks = await lacking(upstream, query, stored, now);
  if (!lacks) return stored;
  if (!hasRows && options.isActive === false) {
    if (stored.missing) throw noHistory(query.id);
    return stored;
  }
  const { rows: ask, spareRows, wish } = await upstream();
  try {
    const asked = hasRows
      ? await withTimeout(STARTED_WAIT_MS, spareRows(query, options))
      : await ask(query, options);
    if (stored.missing) await wish(query);
    return asked ? together(stored, asked, query, now) : { ...stored, stale: true };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (stored.missing && isOutage(error)) await wish(query);
    if (!hasRows) throw error;
    // A plan that has nothing so far back, or a coin that the provider has dropped, takes nothing away from what is ours.
    return { ...stored, stale: isOutage(error) || lacks === 'end' };
  }
}

/** Undefined if the store cannot be asked. */
async function readOwn(
  { store, snapshot }: OwnHistory,
  query: WindowQuery,
  now: number,
): Promise<OwnRows | undefined> {
  try {
    return await ownRows(store, query, snapshot, now);
  } catch {
    count('SharedStoreFailures');
    return undefined;
  }
}

/** The part of a window that somebody has to be asked about; undefined: none, as far as the plan goes back. */
async function lacking(
  upstream: OpenUpstream,
  query: WindowQuery,
  { rows, missing, knownUntil }: OwnRows,
  now: number,
): Promise<'beginning' | 'end' | undefined> {
  const { window } = query;
  if (!window.closed && now - knownUntil >= lifetimes.history.runningMs) return 'end';
  if (!missing) return undefined;
  const first = rows[0];
  if (!first || missing.to > Date.parse(first.time_open)) return 'end';
  return (await (await upstream()).reach(query)) >= missing.to ? undefined : 'beginning';
}

/** The rows of both, of two for one interval the better one; the running one is that of our own, which is the newer. */
function together(own: OwnRows, asked: BaseRows, { window }: WindowQuery, now: number): BaseRows {
  const running = runningFrom(now, window);
  const byTime = new Map(asked.rows.map((row) => [Date.parse(row.time_open), row]));
  for (const row of own.rows) {
    const opensAt = Date.parse(row.time_open);
    const other = byTime.get(opensAt);
    if (!other || opensAt >= running || !isBetter(other, row)) byTime.set(opensAt, row);
  }
  const isKnownToEnd = own.knownUntil >= running;
  return {
    rows: [...byTime].sort(([a], [b]) => a - b).map(([, row]) => row),
    source: asked.source,
    madeAt: Math.max(own.rows.length > 0 ? own.madeAt : 0, asked.madeAt),
    freshUntil: isKnownToEnd ? Math.max(own.freshUntil, asked.freshUntil) : asked.freshUntil,
    stale: asked.stale && !isKnownToEnd,
    closedUntil: isKnownToEnd ? now : asked.closedUntil,
  };
}

function isBetter(a: BaseCandle, b: BaseCandle): boolean {
  return qualities.indexOf(a.quality) < qualities.indexOf(b.quality);
}

/** 404 for a coin that nobody will ever tell anything of. */
export function noHistory(id: string): ApiError {
  return ApiError.notFound(
    `No price history of ${id}: the provider no longer follows it, and none was kept from when it did`,
  );
}
