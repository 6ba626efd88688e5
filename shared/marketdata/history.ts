/** The one policy of where a chart comes from: our own history, then a provider, then what there is of either. */
import { ApiError, isOutage } from '../http/errors.ts';
import { count } from '../platform/metrics.ts';
import { withTimeout } from '../platform/with-timeout.ts';
import type { BaseCandle } from './candles.ts';
import { type BaseRows, type History, historyOf } from './history-of.ts';
import { lifetimes, STARTED_WAIT_MS } from './lifetimes.ts';
import { qualities } from './quality.ts';
import { runningFrom } from './series.ts';
import { firstStored, lastKnown, type OwnRows, ownRows } from './store/own-rows.ts';
import type { Snapshot } from './store/snapshot.ts';
import type { StoredHistory } from './store/stored-history.ts';
import type { Upstream } from './upstream.ts';
import type { UpstreamOptions, WindowQuery } from './upstream-rows.ts';
import type { Window } from './window.ts';

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
  const { rows, window } = await rowsOf(upstream, query, options, now);
  return historyOf(rows, { window, price: window.closed ? undefined : await options.price?.(), now });
}

/** The rows of the window that was asked for, or of one before it. */
interface Rows {
  readonly rows: BaseRows;
  readonly window: Window;
}

async function rowsOf(
  upstream: OpenUpstream,
  query: WindowQuery,
  { own, ...options }: HistoryOptions,
  now: number,
): Promise<Rows> {
  const { window } = query;
  const stored = own && (await fromStore(ownRows(own.store, query, own.snapshot, now)));
  if (!stored) return { rows: await (await upstream()).rows(query, options), window };
  const lacks = await lacking(upstream, query, stored, now);
  if (!lacks) return { rows: stored, window };
  const hasRows = stored.rows.length > 0;
  const older = !hasRows && window.latest ? await fromStore(lastKnown(own.store, query, now)) : undefined;
  const held = hasRows ? { rows: stored, window } : older;
  if (!held && options.isActive === false) {
    if (stored.missing) throw noHistory(query.id);
    return { rows: stored, window };
  }
  const { rows: ask, spareRows, wish } = await upstream();
  try {
    if (stored.isSetAside) throw setAside(query.id);
    const asked = held
      ? await withTimeout(STARTED_WAIT_MS, spareRows(query, options))
      : await ask(query, {
          ...options,
          storedFrom: () => fromStore(firstStored(own.store, query, now)),
        });
    if (stored.missing) await wish(query);
    if (asked) return { rows: together(stored, asked, query, now), window };
    return asStale(held ?? { rows: stored, window });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (stored.missing && isOutage(error)) await wish(query);
    if (!held) throw error;
    // A plan that has nothing so far back, or a coin that the provider has dropped, takes nothing away from what is ours.
    return isOutage(error) || lacks === 'end' ? asStale(held) : held;
  }
}

function asStale({ rows, window }: Rows): Rows {
  return { rows: { ...rows, stale: true }, window };
}

/** Undefined if the store cannot be asked. */
async function fromStore<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
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
  const withRows = [own, asked].filter((part) => part.rows.length > 0);
  return {
    rows: [...byTime].sort(([a], [b]) => a - b).map(([, row]) => row),
    source: asked.source,
    madeAt: withRows.length > 0 ? Math.max(...withRows.map(({ madeAt }) => madeAt)) : asked.madeAt,
    freshUntil: isKnownToEnd ? Math.max(own.freshUntil, asked.freshUntil) : asked.freshUntil,
    stale: asked.stale && !isKnownToEnd,
    closedUntil: isKnownToEnd ? now : asked.closedUntil,
  };
}

function isBetter(a: BaseCandle, b: BaseCandle): boolean {
  return qualities.indexOf(a.quality) < qualities.indexOf(b.quality);
}

/** 503 for a coin whose stored history cannot be opened: many such coins would spend all requests of a day. */
export function setAside(id: string): ApiError {
  return new ApiError(503, `The stored history of ${id} cannot be read and waits to be restored`);
}

/** 404 for a coin that nobody will ever tell anything of. */
export function noHistory(id: string): ApiError {
  return ApiError.notFound(
    `No price history of ${id}: the provider no longer follows it, and none was kept from when it did`,
  );
}
