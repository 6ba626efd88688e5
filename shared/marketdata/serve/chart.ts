/** The candles of a window: from the store, or fetched into it on demand; otherwise stale ones. */
import { ApiError } from '../../http/errors.ts';
import type { Environment } from '../../platform/environment.ts';
import { type BaseCandle, type FoldedCandle, fold, listed } from '../candles.ts';
import { isStale, lifetimes } from '../freshness.ts';
import { storedHistory } from '../own-history.ts';
import { type CandleQuality, weakest } from '../provenance.ts';
import { inUnit, type KnownPrice, knownPrice, upTo } from '../running.ts';
import { baseCandle, inUnits } from '../store/base-rows.ts';
import type { CoveredSeries } from '../store/candle-rows.ts';
import { currentSnapshot } from '../store/current-snapshot.ts';
import { SETTLED_AFTER_MS, type StoredCandle } from '../store/stored-candle.ts';
import { closeAfter, MAX_BASE_CANDLES, type Window } from '../window.ts';
import type { ChartOptions } from './complete-rows.ts';
import type { CurrencyRates } from './currency-rates.ts';
import { priceNow } from './price-now.ts';
import { fromStore, gapsOf, lacks, type Rows, type Source } from './window-rows.ts';

export interface Chart {
  readonly candles: FoldedCandle[];
  /** The weakest of all candles in it. */
  readonly quality: CandleQuality;
  /** The candles' sources, as `x-data-source` lists them. */
  readonly source: string;
  /** The time of the newest data in the chart, in milliseconds since the epoch. */
  readonly madeAt: number;
  readonly freshUntil: number;
  readonly stale: boolean;
}

export interface ChartQuery {
  readonly id: string;
  readonly window: Window;
  /** The id of the coin to quote in; US dollars by default. */
  readonly unit?: string | undefined;
  /** Reads the rates of a currency, beside the candles that are not quoted in a coin; US dollars by default. */
  readonly readRates?: (() => Promise<CurrencyRates | undefined>) | undefined;
}

/**
 * Throws 404 for a coin that the provider does not know or has dropped, if nothing is stored of it; 400 for data outside the
 * plan; 503 for history that has to be restored; and as `ProviderClient.fetch` does.
 */
export async function chart(
  environment: Environment,
  { id, unit: unitId, readRates, window }: ChartQuery,
  options: ChartOptions,
): Promise<Chart> {
  const now = Date.now();
  const snapshot = await currentSnapshot(environment);
  const store = storedHistory(environment);
  const source = { environment, store, snapshot, now };
  const unitIn = async (span: Window) =>
    unitId === undefined ? undefined : rowsOf(source, unitId, span, { ...options, coin: undefined });
  const [coin, unitNow, rates] = await Promise.all([
    rowsOf(source, id, window, options),
    unitIn(window),
    readRates?.(),
  ]);
  // The last candles of a coin that is no longer traded are from an earlier window.
  const unit = coin.window === window ? unitNow : await unitIn(coin.window);
  const price = window.closed ? undefined : await runningPrice(source, id, unitId);
  return chartOf(unit ? both(coin, unit) : coin, { price, rates, now });
}

/** The price now that the running candle goes up to. */
async function runningPrice(
  { environment, snapshot }: Source,
  id: string,
  unitId: string | undefined,
): Promise<KnownPrice | undefined> {
  const options = { snapshot, maxAge: lifetimes.history.runningMs };
  const priceOf = async (of: string) => knownPrice(await priceNow(environment, of, options));
  if (unitId === undefined) return priceOf(id);
  const [price, unit] = await Promise.all([priceOf(id), priceOf(unitId)]);
  return price && unit && inUnit(price, unit);
}

async function rowsOf(source: Source, id: string, window: Window, options: ChartOptions): Promise<Rows> {
  const { store, snapshot, now } = source;
  const longest = MAX_BASE_CANDLES * window.stepMs;
  if (window.to - window.from > longest) return longRows(source, id, window, options);
  const isTrusted = async (fetched: CoveredSeries) => {
    const last = fetched.candles.at(-1);
    // An exact one was compared with the price when it was fetched.
    if (!last || last.quality === 'exact') return true;
    if (window.closed || last.opensAt + 2 * window.stepMs <= now) return true;
    return (await import('./complete-rows.ts')).isNearPrice(source, id, options.coin, last.close);
  };
  const reading = fromStore(store.rows(id, { ...window, isTrusted }, snapshot));
  const stored = (await reading) ?? { candles: [], coverage: undefined, isDamaged: false };
  const rows = { ...stored, stale: false, window };
  if (!lacks(rows, now)) return rows;
  // Loaded only for windows that the store does not cover.
  const { completedRows } = await import('./complete-rows.ts');
  return completedRows(source, id, { ...rows, isTrusted }, options);
}

/** The end of a long window is completed like any other; anything earlier comes from the store alone. */
async function longRows(source: Source, id: string, window: Window, options: ChartOptions): Promise<Rows> {
  const from = window.to - MAX_BASE_CANDLES * window.stepMs;
  const { store, snapshot } = source;
  const earlier = { base: window.base, from: window.from, to: from };
  const [late, early] = await Promise.all([
    rowsOf(source, id, { ...window, from }, options).catch(ifNotFound),
    fromStore(store.rows(id, earlier, snapshot)),
  ]);
  if (late instanceof ApiError) {
    if (!early || early.candles.length === 0) throw late;
    return { candles: early.candles, coverage: undefined, stale: false, window };
  }
  const before = early?.candles.filter(({ opensAt }) => opensAt < (late.candles[0]?.opensAt ?? from)) ?? [];
  return { ...late, candles: [...before, ...late.candles], window };
}

/** The provider no longer has the coin, whose stored candles end earlier. */
function ifNotFound(error: unknown): ApiError {
  if (error instanceof ApiError && error.statusCode === 404) return error;
  throw error;
}

interface Present {
  readonly rates: CurrencyRates | undefined;
  readonly price: KnownPrice | undefined;
  readonly now: number;
}

/** Folds the candles of a window, extends the running one to the price, converts them, and adds their provenance. */
function chartOf(known: Rows, { price, rates, now }: Present): Chart {
  const { candles: stored, coverage, stale, window } = known;
  const { stepMs } = window;
  const running = closeAfter(now, window.base) - stepMs;
  const nextClose = running + stepMs;
  const last = stored.at(-1);
  const { knownUntil } = gapsOf(known, now);
  const madeAt = Math.min(last?.lastAt ?? coverage?.to ?? now, Date.now());
  const rows = stored.map((candle) => baseCandle(candle, stepMs, now));
  const isNewer = price !== undefined && price.madeAt >= running && price.madeAt > madeAt;
  const upToDate = isNewer ? upTo(rows, price, running, stepMs) : rows;
  const isClosed = ({ time_open, time_close }: BaseCandle) => {
    const end = Date.parse(time_open) + stepMs;
    return end <= now && Date.parse(time_close) >= end - 1_000;
  };
  const candles = fold(rates?.candles(upToDate, stepMs) ?? upToDate, window, isClosed);
  const provenance = {
    quality: weakest(candles.map(({ quality }) => quality)),
    source: listed(...candles.map(({ source }) => source)),
    // A price does not make the candles before the running one any newer.
    stale:
      stale ||
      endsEarly(stored, isNewer ? { to: running } : window, now) ||
      (rates !== undefined && !window.closed && rates.now.stale),
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
  // Fresh only until a newer price exists.
  const newerPriceAt = price && price.freshUntil > now ? price.freshUntil : Number.POSITIVE_INFINITY;
  return { candles, ...provenance, madeAt, freshUntil: Math.min(freshUntil, newerPriceAt) };
}

/** Whether what is known ends so long before the window or before now that candles are missing at the end. */
export function endsEarly(
  candles: readonly StoredCandle[],
  { to }: Pick<Window, 'to'>,
  now: number,
): boolean {
  const last = candles.at(-1);
  return (
    last !== undefined &&
    isStale({ freshUntil: last.lastAt + lifetimes.history.runningMs }, Math.min(to, now))
  );
}

function both(coin: Rows, unit: Rows): Rows {
  const a = coin.coverage;
  const b = unit.coverage;
  const coverage = a && b && { from: Math.max(a.from, b.from), to: Math.min(a.to, b.to) };
  const candles = inUnits(coin.candles, unit.candles);
  return { candles, coverage, stale: coin.stale || unit.stale, window: coin.window };
}
