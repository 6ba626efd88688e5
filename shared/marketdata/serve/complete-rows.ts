/** The candles that the shards lack: from the coin's object or a provider; otherwise the stale ones of these. */
import { ApiError, isOutage } from '../../http/errors.ts';
import { withTimeout } from '../../platform/waiting.ts';
import type { RegistryEntry } from '../../registry/entries.ts';
import { lifetimes, PAID_WAIT_MS } from '../freshness.ts';
import { isFar } from '../gate/bounds.ts';
import { type CoveredSeries, shownPart } from '../store/candle-rows.ts';
import { coinObjectsOf } from '../store/coin-objects.ts';
import { joined } from '../store/stored-candle.ts';
import type { Errand } from './current-ticker.ts';
import type { HistoryClient } from './fetch-candles.ts';
import { firstStored, lastKnown } from './last-known.ts';
import { priceNow } from './price-now.ts';
import { fromStore, gapsOf, lacks, noHistory, type Rows, type Source, setAside } from './window-rows.ts';

export interface ChartOptions extends Errand {
  /** The registry's entry; undefined without a registry. */
  readonly coin: RegistryEntry | undefined;
  /**
   * Loads the provider's client; `leftover` is for callers who already have a part of the data. Without it only stored data is
   * used.
   */
  readonly open?: ((purpose: 'demand' | 'leftover') => Promise<HistoryClient>) | undefined;
}

/** The stored part of a window. */
interface Own {
  readonly own: Rows;
  /** Whether one of its objects cannot be opened. */
  readonly isSetAside: boolean;
}

/** Throws as `chart` does. */
export async function completedRows(
  source: Source,
  id: string,
  { own, isSetAside }: Own,
  { coin, open, deadline, client: payer }: ChartOptions,
): Promise<Rows> {
  const { environment, store, now } = source;
  const { window } = own;
  const objects = coinObjectsOf(environment);
  const reference = async () => {
    const options = { coin, snapshot: source.snapshot, maxAge: lifetimes.comparedForMs };
    const current = await priceNow(environment, id, options);
    return current?.ticker.quotes.USD.price ?? lastClose(source, id);
  };
  /** The close to compare with a price now. */
  const closeNow = ({ candles }: CoveredSeries) => {
    const last = candles.at(-1);
    return last && !window.closed && last.opensAt + 2 * window.stepMs > now ? last.close : undefined;
  };
  const together = (series: CoveredSeries | undefined, isStale = false): Rows => {
    if (!series) return own;
    const part = isStale ? series : shownPart(series, window.stepMs, now);
    const { candles: fetched, coverage = own.coverage } = part;
    const within = fetched.filter(({ opensAt }) => opensAt >= window.from && opensAt < window.to);
    return { ...own, candles: joined(own.candles, within, window.stepMs), coverage };
  };
  const { base } = window;
  const object = await objects.coin(id, ({ series }) => !lacks(together(series[base]), now));
  const { [base]: stored } = object.series;
  // Rows that were stored while the coin's price was unknown may belong to another coin.
  const price = stored && closeNow(stored) !== undefined ? await reference() : undefined;
  const isUsable = (series: CoveredSeries) => {
    const close = closeNow(series);
    return price === undefined || close === undefined || !isFar(price, close);
  };
  const fetched = stored && isUsable(stored) ? stored : undefined;
  const rows = together(fetched);
  if (!lacks(rows, now)) return rows;
  if (!open) return together(fetched, true);

  // Loaded only when a provider may have more.
  const { fetchCandles, reachOf } = await import('./fetch-candles.ts');
  const provider = await open(own.candles.length > 0 ? 'leftover' : 'demand');
  const lacking = (rows: Rows) => {
    const what = lacks(rows, now);
    const { missing } = gapsOf(rows, now);
    const reach = reachOf(environment, provider, window);
    const isReached = !missing || Math.min(reach('candles'), reach('prices')) < missing.to;
    return what === 'beginning' && !isReached ? undefined : what;
  };
  const isEnough = (series: CoveredSeries | undefined) => lacking(together(series)) === undefined;
  const what = lacking(rows);
  if (!what) return rows;

  // A candle that was fetched while its interval ran is better than none.
  const known = together(fetched, true);
  const hasRows = known.candles.length > 0;
  const older =
    hasRows || !window.latest || !store ? undefined : await fromStore(lastKnown(store, id, window, now));
  const stale = hasRows ? known : older && { ...older, coverage: undefined, stale: false };
  const { missing } = gapsOf(rows, now);
  if (!stale && coin?.is_active === false && store) {
    if (missing) throw noHistory(id);
    return rows;
  }
  try {
    if (isSetAside || objects.isDamaged(id)) throw setAside(id);
    const loading = fetchCandles(
      environment,
      stale ? await open('leftover') : provider,
      { id, window },
      {
        deadline,
        client: payer,
        isActive: coin?.is_active,
        price: reference,
        isUsable,
        isEnough,
        hasStandIn: stale !== undefined,
        ...(store && { storedFrom: () => fromStore(firstStored(store, id, window, now)) }),
      },
    );
    const series = stale ? await withTimeout(PAID_WAIT_MS, loading.promise) : await loading.promise;
    if (!series) return { ...(stale ?? rows), stale: true };
    return together(series);
  } catch (error) {
    if (!(error instanceof ApiError) || !stale) throw error;
    // A plan that does not reach so far, or a coin that the provider has dropped, does not invalidate stored data.
    return isOutage(error) || what === 'end' ? { ...stale, stale: true } : stale;
  }
}

/** The close of the last stored day, which stands in for a price now. */
async function lastClose({ store, snapshot, now }: Source, id: string): Promise<number | undefined> {
  const from = now - lifetimes.comparedForMs;
  const stored = store && (await fromStore(store.rows(id, { base: '24h', from, to: now }, snapshot)));
  const last = stored?.candles.at(-1);
  return last && last.lastAt >= from ? last.close : undefined;
}
