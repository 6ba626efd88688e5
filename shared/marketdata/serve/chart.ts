/** The candles of a window: our own history, then the coin's object, then a provider, then what is stale of these. */
import { ApiError, isOutage } from '../../http/errors.ts';
import type { Environment } from '../../platform/environment.ts';
import { count } from '../../platform/metrics.ts';
import { withTimeout } from '../../platform/with-timeout.ts';
import type { RegistryEntry } from '../../registry/entries.ts';
import { type BaseCandle, type FoldedCandle, fold, listed } from '../candles.ts';
import { isStale, lifetimes, PAID_WAIT_MS } from '../freshness.ts';
import { isFar } from '../gate/implausible.ts';
import { storedHistory } from '../own-history.ts';
import { type CandleQuality, weakest } from '../provenance.ts';
import type { HistoryQuery } from '../provider.ts';
import { BITCOIN, type KnownPrice, priceIn, upTo } from '../running.ts';
import { baseCandle, inUnits } from '../store/base-rows.ts';
import { type Coverage, type CoveredSeries, SETTLED_AFTER_MS, shownPart } from '../store/candle-rows.ts';
import { currentSnapshot } from '../store/current-snapshot.ts';
import type { Snapshot } from '../store/snapshot.ts';
import { isPart, joined } from '../store/stored-candle.ts';
import type { StoredHistory, StoredRows } from '../store/stored-history.ts';
import { closeAfter, type Span, type Window } from '../window.ts';
import { tickersAtHand } from './current.ts';
import type { Errand } from './current-ticker.ts';
import type { HistoryClient } from './fetch-candles.ts';
import type { firstStored } from './last-known.ts';

export interface Chart {
  readonly candles: FoldedCandle[];
  /** The weakest of all candles in it. */
  readonly quality: CandleQuality;
  /** Who made them, as `x-data-source` has it. */
  readonly source: string;
  /** Of the newest data in it. Milliseconds since the epoch. */
  readonly madeAt: number;
  readonly freshUntil: number;
  readonly stale: boolean;
}

export type ChartQuery = HistoryQuery & { readonly window: Window };

export interface ChartOptions extends Errand {
  /** As the registry has it; undefined without a registry. */
  readonly coin: RegistryEntry | undefined;
  /** Loads what it takes to ask a provider; `leftover` is for callers who have a part of the answer already. */
  readonly open: (purpose: 'demand' | 'leftover') => Promise<HistoryClient>;
}

/** What is known of a window in USD. */
interface Rows extends Pick<StoredRows, 'candles' | 'asked'> {
  readonly stale: boolean;
  /** The window that was asked for, or one before it. */
  readonly window: Window;
}

/**
 * Throws 404 for a coin that the provider does not know or no longer follows, if nothing of it is known here; 400 for
 * what the plan does not have; 503 for history that waits to be restored; and as `ProviderClient.fetch` does.
 */
export async function chart(
  environment: Environment,
  { id, quote, window }: ChartQuery,
  options: ChartOptions,
): Promise<Chart> {
  const now = Date.now();
  const snapshot = await currentSnapshot(environment);
  const store = storedHistory(environment);
  const source = { environment, store, snapshot, now };
  const [coin, unit] = await Promise.all([
    rowsOf(source, id, window, options),
    quote === 'btc' ? rowsOf(source, BITCOIN, window, { ...options, coin: undefined }) : undefined,
  ]);
  const price = window.closed ? undefined : priceIn(snapshot, id, quote);
  return chartOf(unit ? both(coin, unit) : coin, price, now);
}

interface Source {
  readonly environment: Environment;
  readonly store: StoredHistory | undefined;
  readonly snapshot: Snapshot | undefined;
  readonly now: number;
}

async function rowsOf(source: Source, id: string, window: Window, options: ChartOptions): Promise<Rows> {
  const { environment, store, snapshot, now } = source;
  const { coin, open, deadline, client: payer } = options;
  const nothing = { candles: [], asked: undefined, isSetAside: false };
  const stored = (store && (await fromStore(store.rows(id, window, snapshot)))) ?? nothing;
  const isOurs = store !== undefined;
  const own: Rows = { ...stored, stale: false, window };
  if (isOurs && !lacks(own, window, now)) return own;

  const { coinObjectsOf } = await import('../store/coin-objects.ts');
  const objects = coinObjectsOf(environment);
  const usable = async (series: CoveredSeries | undefined, fetched: number | null | undefined) => {
    const last = series?.candles.at(-1);
    if (!last || window.closed || last.opensAt + 2 * window.stepMs <= now) return series;
    const price = await referencePrice(source, id, coin, fetched);
    return price !== undefined && isFar(price, last.close) ? undefined : series;
  };
  const together = (series: CoveredSeries | undefined, isStale = false): Rows => {
    if (!series) return own;
    const part = isStale ? series : shownPart(series, window.stepMs, now);
    const { candles: fetched, asked = own.asked } = part;
    const within = fetched.filter(({ opensAt }) => opensAt >= window.from && opensAt < window.to);
    return { ...own, candles: joined(own.candles, within, window.stepMs), asked };
  };
  const { base } = window;
  const object = await objects.coin(id, ({ series }) => !lacks(together(series[base]), window, now));
  const fetchedPrice = object.ticker?.data.quotes.USD.price;
  // Rows that came while nobody knew the coin's price may be another coin's.
  const fetched = await usable(object.series[base], fetchedPrice);
  const isUsable = (series: CoveredSeries) => fetched !== undefined || series !== object.series[base];
  const rows = together(fetched);
  if (!lacks(rows, window, now)) return rows;

  // Loaded for windows of which a provider may know more.
  const { fetchCandles, reachOf } = await import('./fetch-candles.ts');
  const provider = await open(own.candles.length > 0 ? 'leftover' : 'demand');
  const lacking = (rows: Rows) => {
    const what = lacks(rows, window, now);
    const { missing } = gapsOf(rows, window, now);
    const reach = reachOf(environment, provider, window);
    const isReached = !missing || Math.min(reach('candles'), reach('prices')) < missing.to;
    return what === 'beginning' && !isReached ? undefined : what;
  };
  const isEnough = (series: CoveredSeries | undefined) => lacking(together(series)) === undefined;
  const what = lacking(rows);
  if (!what) return rows;

  // What was fetched while an interval ran is better than nothing of it.
  const known = together(fetched, true);
  const hasRows = known.candles.length > 0;
  const older = hasRows || !window.latest || !store ? undefined : lastKnown(store, id, window, now);
  const stale = hasRows ? known : older && (await fromStore(older));
  const { missing } = gapsOf(rows, window, now);
  if (!stale && coin?.is_active === false && isOurs) {
    if (missing) throw noHistory(id);
    return rows;
  }
  try {
    if (stored.isSetAside || objects.isDamaged(id)) throw setAside(id);
    const loading = fetchCandles(
      environment,
      stale ? await open('leftover') : provider,
      { id, window },
      {
        deadline,
        client: payer,
        isActive: coin?.is_active,
        price: () => referencePrice(source, id, coin, fetchedPrice),
        isUsable,
        isEnough,
        hasStandIn: stale !== undefined,
        ...(store && { storedFrom: () => fromStore(storedFrom(store, id, window, now)) }),
      },
    );
    const series = stale ? await withTimeout(PAID_WAIT_MS, loading.promise) : await loading.promise;
    if (!series) return { ...(stale ?? rows), stale: true };
    return together(series);
  } catch (error) {
    if (!(error instanceof ApiError) || !stale) throw error;
    // A plan that has nothing so far back, or a coin that the provider has dropped, takes nothing away from what is ours.
    return isOutage(error) || what === 'end' ? { ...stale, stale: true } : stale;
  }
}

/** The part of a window that somebody has to be asked about; undefined: none. */
function lacks(rows: Rows, window: Window, now: number): 'beginning' | 'end' | undefined {
  const { missing, knownUntil } = gapsOf(rows, window, now);
  if (!window.closed && now - knownUntil >= lifetimes.history.runningMs) return 'end';
  if (!missing) return undefined;
  const first = rows.candles[0];
  return !first || missing.to > first.opensAt ? 'end' : 'beginning';
}

/**
 * The closed intervals that are not known and of which nobody was asked lie in `missing`; `knownUntil` is up to when it is
 * known what there is.
 */
function gapsOf(
  { candles, asked }: Pick<Rows, 'candles' | 'asked'>,
  { base, from, to, stepMs }: Span,
  now: number,
): { readonly missing: Coverage | undefined; readonly knownUntil: number } {
  const running = closeAfter(now, base) - stepMs;
  const last = candles.at(-1);
  const ofLast = last ? Math.max(last.lastAt, Math.min(last.opensAt + stepMs, running)) : 0;
  const knownUntil = Math.max(ofLast, asked?.to ?? 0);
  const end = Math.min(to, running);
  const expected = Math.max(0, Math.round((end - from) / stepMs));
  const isLastOpen = (last?.opensAt ?? 0) >= end;
  if (candles.length - (isLastOpen ? 1 : 0) === expected) return { missing: undefined, knownUntil };
  const known = new Set(candles.map(({ opensAt }) => opensAt));
  const isMissing = (opensAt: number) =>
    !known.has(opensAt) && !(asked && opensAt >= asked.from && opensAt + stepMs <= asked.to);
  const missing = Array.from({ length: expected }, (_, index) => from + index * stepMs).filter(isMissing);
  const [first, lastMissing] = [missing[0], missing.at(-1)];
  if (first === undefined || lastMissing === undefined) return { missing: undefined, knownUntil };
  return { missing: { from: first, to: lastMissing + stepMs }, knownUntil };
}

/** The candles of a window, folded, with the running one up to the price, and with their provenance. */
function chartOf(
  { candles: stored, asked, stale, window }: Rows,
  price: KnownPrice | undefined,
  now: number,
): Chart {
  const { stepMs } = window;
  const running = closeAfter(now, window.base) - stepMs;
  const nextClose = running + stepMs;
  const last = stored.at(-1);
  const { knownUntil } = gapsOf({ candles: stored, asked }, window, now);
  const isOver = last !== undefined && last.opensAt + stepMs <= now;
  const isWhole = isOver && last.samples === 0 && !isPart(last, stepMs);
  const newest = isWhole ? last.opensAt + stepMs : (last?.lastAt ?? asked?.to ?? now);
  const madeAt = Math.min(newest, Date.now());
  const rows = stored.map((candle) => baseCandle(candle, stepMs, now));
  const isNewer = price !== undefined && price.madeAt >= running && price.madeAt > madeAt;
  const upToDate = isNewer ? upTo(rows, price, running, stepMs) : rows;
  const isClosed = ({ time_open, time_close }: BaseCandle) => {
    const end = Date.parse(time_open) + stepMs;
    return end <= now && Date.parse(time_close) >= end - 1_000;
  };
  const candles = fold(upToDate, window, isClosed);
  const provenance = {
    quality: weakest(candles.map(({ quality }) => quality)),
    source: listed(...candles.map(({ source }) => source)),
    // A price says nothing of the candles before the running one.
    stale: stale || endsEarly(rows, isNewer ? { to: running } : window, now),
  };
  if (isNewer)
    return {
      candles,
      ...provenance,
      madeAt: price.madeAt,
      freshUntil: Math.min(nextClose, price.freshUntil),
    };
  const ownUntil = Math.min(nextClose, knownUntil + lifetimes.history.runningMs);
  const freshUntil = window.to <= now - SETTLED_AFTER_MS ? nextClose : ownUntil;
  // As good as new only until there is a newer price.
  const newerPriceAt = price && price.freshUntil > now ? price.freshUntil : Number.POSITIVE_INFINITY;
  return { candles, ...provenance, madeAt, freshUntil: Math.min(freshUntil, newerPriceAt) };
}

/** Whether rows end so long before the window does, or before now, that their last candles are missing. */
export function endsEarly(rows: readonly BaseCandle[], { to }: Pick<Window, 'to'>, now: number): boolean {
  const last = rows.at(-1);
  if (!last) return false;
  const knownUntil = Date.parse(last.time_close);
  return isStale({ freshUntil: knownUntil + lifetimes.history.runningMs }, Math.min(to, now));
}

function both(coin: Rows, unit: Rows): Rows {
  const [a, b] = [coin.asked, unit.asked];
  const asked = a && b && { from: Math.max(a.from, b.from), to: Math.min(a.to, b.to) };
  const candles = inUnits(coin.candles, unit.candles);
  return { candles, asked, stale: coin.stale || unit.stale, window: coin.window };
}

/** A coin's price in USD that is ours already: of the snapshot or its tail, of its object, or the last one stored. */
async function referencePrice(
  { environment, store, snapshot, now }: Source,
  id: string,
  coin: RegistryEntry | undefined,
  fetched: number | null | undefined,
): Promise<number | undefined> {
  const known = priceIn(snapshot, id, 'usd');
  if (known && now - known.madeAt < lifetimes.history.runningMs) return known.price;
  const [current] = coin ? await tickersAtHand(environment, [coin]) : [];
  const price = current?.ticker.quotes.USD.price ?? fetched;
  if (price) return price;
  const from = now - lifetimes.comparedForMs;
  const stored = store && (await fromStore(store.rows(id, { base: '24h', from, to: now }, snapshot)));
  const last = stored?.candles.at(-1);
  return last && last.lastAt >= from ? last.close : undefined;
}

/** Loaded for windows of which nothing is known. */
async function lastKnown(
  store: StoredHistory,
  id: string,
  window: Window,
  now: number,
): Promise<Rows | undefined> {
  const { lastKnown: read } = await import('./last-known.ts');
  const known = await read(store, id, window, now);
  return known && { ...known, asked: undefined, stale: false };
}

const storedFrom: typeof firstStored = async (...of) => (await import('./last-known.ts')).firstStored(...of);

/** Undefined if the store cannot be read. */
async function fromStore<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch {
    count('SharedStoreFailures');
    return undefined;
  }
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
