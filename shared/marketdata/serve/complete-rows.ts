/** The candles that the store lacks, from a provider; otherwise the stale ones that it has. */
import { ApiError, isOutage } from '../../http/errors.ts';
import { withTimeout } from '../../platform/waiting.ts';
import type { RegistryEntry } from '../../registry/entries.ts';
import { lifetimes, PAID_WAIT_MS } from '../freshness.ts';
import { isFar } from '../gate/bounds.ts';
import type { HistoryClient } from '../provider.ts';
import type { CoveredSeries } from '../store/candle-rows.ts';
import { joined } from '../store/stored-candle.ts';
import type { Errand } from './current-ticker.ts';
import { lastKnown } from './last-known.ts';
import { reachOf } from './plan-reach.ts';
import { priceNow } from './price-now.ts';
import { damaged, noHistory } from './refusals.ts';
import { fromStore, gapsOf, lacks, type Rows, type Source } from './window-rows.ts';

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
interface Stored extends Rows {
  /** Whether a part of it cannot be opened. */
  readonly isDamaged: boolean;
  /** Whether fetched candles can be the coin's, by its price now. */
  readonly isTrusted: (fetched: CoveredSeries) => Promise<boolean>;
}

/** Throws as `chart` does. */
export async function completedRows(
  source: Source,
  id: string,
  { isDamaged, isTrusted, ...own }: Stored,
  { coin, open, deadline, client: payer }: ChartOptions,
): Promise<Rows> {
  const { environment, store, now } = source;
  const { window } = own;
  const hasRows = own.candles.length > 0;
  const readLast = async () =>
    hasRows || !window.latest ? undefined : await fromStore(lastKnown(store, id, { window, isTrusted }, now));
  if (!open) {
    const last = await readLast();
    return last ? { ...last, coverage: undefined, stale: false } : own;
  }
  const withFetched = ({ candles, coverage = own.coverage }: CoveredSeries): Rows => {
    const within = candles.filter(({ opensAt }) => opensAt >= window.from && opensAt < window.to);
    return { ...own, candles: joined(own.candles, within), coverage };
  };
  // Loaded only when a provider may have more.
  const { fetchCandles } = await import('./fetch-candles.ts');
  const provider = await open(own.candles.length > 0 ? 'leftover' : 'demand');
  const lacking = (rows: Rows) => {
    const what = lacks(rows, now);
    const { missing } = gapsOf(rows, now);
    const reach = reachOf(environment, provider, window);
    const isReached = !missing || Math.min(reach('candles'), reach('prices')) < missing.to;
    return what === 'beginning' && !isReached ? undefined : what;
  };
  const what = lacking(own);
  if (!what) return own;

  // A candle that was fetched while its interval ran is better than none.
  const older = await readLast();
  const stale = hasRows ? own : older && { ...older, coverage: undefined, stale: false };
  if (!stale && coin?.is_active === false && environment.HISTORY_BUCKET) {
    if (gapsOf(own, now).missing) throw await noHistory(environment, id);
    return own;
  }
  try {
    if (isDamaged) throw damaged(id);
    const loading = fetchCandles(
      environment,
      stale ? await open('leftover') : provider,
      { id, window },
      {
        deadline,
        client: payer,
        isActive: coin?.is_active,
        price: () => referencePrice(source, id, coin),
        isTrusted,
        isEnough: (series) => lacking(withFetched(series)) === undefined,
        hasStandIn: stale !== undefined,
      },
    );
    const series = stale ? await withTimeout(PAID_WAIT_MS, loading.promise) : await loading.promise;
    return series ? withFetched(series) : { ...(stale ?? own), stale: true };
  } catch (error) {
    if (!(error instanceof ApiError) || !stale) throw error;
    // A plan that does not reach so far, or a coin that the provider has dropped, does not invalidate stored data.
    return isOutage(error) || what === 'end' ? { ...stale, stale: true } : stale;
  }
}

/** Whether a price can be the coin's, by its price now; true if that is not known. */
export async function isNearPrice(
  source: Source,
  id: string,
  coin: RegistryEntry | undefined,
  price: number,
): Promise<boolean> {
  const now = await referencePrice(source, id, coin);
  return now === undefined || !isFar(now, price);
}

/** A coin's price now, to judge others by; the close of the last stored day stands in for it. */
async function referencePrice(
  { environment, store, snapshot, now }: Source,
  id: string,
  coin: RegistryEntry | undefined,
): Promise<number | undefined> {
  const current = await priceNow(environment, id, { coin, snapshot, maxAge: lifetimes.comparedForMs });
  const price = current?.ticker.quotes.USD.price;
  if (price) return price;
  const from = now - lifetimes.comparedForMs;
  // Fetched candles are judged by this price, so it cannot come from them.
  const isTrusted = async () => false;
  const stored = await fromStore(store.rows(id, { base: '24h', from, to: now, isTrusted }, snapshot));
  const last = stored?.candles.at(-1);
  return last && last.lastAt >= from ? last.close : undefined;
}
