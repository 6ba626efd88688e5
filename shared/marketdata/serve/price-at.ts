/** Past prices: from stored history, or a provider's daily closes. */
import { ApiError, isOutage } from '../../http/errors.ts';
import type { Environment } from '../../platform/environment.ts';
import { DAY_MS } from '../../platform/time.ts';
import type { RegistryEntry } from '../../registry/entries.ts';
import type { PastPrice } from '../candles.ts';
import { lifetimes } from '../freshness.ts';
import { type OwnPrices, type OwnStore, ownPrices } from '../own-prices.ts';
import { closesOf, type Moment, nearest } from '../past-price.ts';
import type { HistoryClient } from '../provider.ts';
import { knownPrice } from '../running.ts';
import type { CoveredSeries } from '../store/candle-rows.ts';
import type { Window } from '../window.ts';
import type { Errand } from './current-ticker.ts';
import { priceNow } from './price-now.ts';
import { damaged, noHistory } from './refusals.ts';

export interface PricesAt {
  /** The nearest known price for each moment. */
  readonly prices: readonly (PastPrice | undefined)[];
  /** True if a store or a provider that could not be reached may know a nearer one. */
  readonly stale: boolean;
  /** Why the store or the provider could not be reached. */
  readonly outage: ApiError | undefined;
  /** Prices from outside the stored history. */
  readonly others: readonly PastPrice[];
}

export interface PricesAtOptions extends Errand {
  readonly own: OwnStore;
  /** The registry's entry; undefined without a registry. */
  readonly coin: RegistryEntry | undefined;
  /** Loads the provider's client; without it only stored prices are used. */
  readonly open?: ((purpose: 'demand' | 'leftover') => Promise<HistoryClient>) | undefined;
}

/** The days of one request, as charts fetch them, on any plan. */
const YEAR_DAYS = 364;

/**
 * Throws 404 for a coin that the provider does not know or has dropped, if nothing is stored of it, and ConfigurationError. An
 * outage is part of the result.
 */
export async function pricesAt(
  environment: Environment,
  id: string,
  moments: readonly Moment[],
  { own, coin, open, deadline, client: payer }: PricesAtOptions,
): Promise<PricesAt> {
  const now = Date.now();
  const priceWithin = async (maxAge: number) =>
    knownPrice(await priceNow(environment, id, { coin, snapshot: own.snapshot, maxAge }));
  const current = await priceWithin(now - Math.min(...moments.map(({ from }) => from)));
  const published: PastPrice[] = current
    ? [{ price: current.price, time: current.madeAt, quality: 'exact', source: current.source }]
    : [];
  const { found, days, isWhole } = await ownPrices(own, id, moments, { known: published, deadline, now });
  const outage = isWhole ? undefined : unreadable(id);
  const answer = { prices: found, stale: !isWhole, outage, others: published };
  const window = latestYear(now);
  const isUnsure = unsure(moments, found, days, window);
  if (!open || !isUnsure.includes(true)) return answer;

  const isKnown = published.length > 0 || (days?.candles.length ?? 0) > 0 || found.some(Boolean);
  const isActive = coin?.is_active;
  if (environment.HISTORY_BUCKET && isWhole && !isKnown && isActive === false) {
    const { lastDay } = await import('./last-price.ts');
    if (await lastDay(environment, id)) return answer;
    throw await noHistory(environment, id);
  }
  const isEnough = ({ candles, coverage }: CoveredSeries) => {
    const all = { candles: [...(days?.candles ?? []), ...candles], coverage };
    return !unsure(moments, found, all, window).includes(true);
  };
  try {
    if (days?.isDamaged) throw damaged(id);
    const price = async () => (await priceWithin(lifetimes.comparedForMs))?.price;
    const options = { deadline, client: payer, isActive, price, isEnough };
    // Loaded only when a provider may have more.
    const { fetchCandles } = await import('./fetch-candles.ts');
    const client = await open(isKnown ? 'leftover' : 'demand');
    const { candles, coverage } = await fetchCandles(environment, client, { id, window }, options).promise;
    const ended = candles.filter(({ isSettled }) => isSettled);
    const closes = closesOf(ended, DAY_MS);
    const prices = moments.map((moment, index) => nearest(closes, moment, found[index]));
    const knownUntil = ended.at(-1)?.lastAt ?? coverage?.to ?? 0;
    const isBehind = moments.some(({ to }, index) => isUnsure[index] && to > knownUntil);
    const isLate = Math.min(window.to, now) - knownUntil >= lifetimes.history.runningMs;
    return {
      ...answer,
      prices,
      stale: answer.stale || (isBehind && isLate),
      others: [...published, ...closes],
    };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (isOutage(error)) return { ...answer, stale: true, outage: error };
    // A plan without history, or a coin that the provider has dropped, does not invalidate stored data.
    const isOfPlan = error.statusCode === 400 || error.statusCode === 402 || error.isLasting;
    if (!isOfPlan && !(error.statusCode === 404 && isKnown)) throw error;
    return answer;
  }
}

/** 503: what is stored may have the price. */
function unreadable(id: string): ApiError {
  const headers = { 'retry-after': '10' };
  return new ApiError(503, `The stored history of ${id} is out of reach; try again soon`, { headers });
}

function unsure(
  moments: readonly Moment[],
  found: OwnPrices['found'],
  days: Pick<CoveredSeries, 'candles' | 'coverage'> | undefined,
  window: Window,
): boolean[] {
  const isMissing = missingDay(days);
  return moments.map((moment, index) => mayBeNearer(moment, found[index], isMissing, window));
}

function latestYear(now: number): Window {
  const to = Math.floor(now / DAY_MS) * DAY_MS;
  const from = to - (YEAR_DAYS - 1) * DAY_MS;
  return { base: '24h', stepMs: DAY_MS, size: 1, from, to, closed: true, latest: false };
}

/** Whether a day (its beginning) is neither stored nor known to be missing at the provider. */
function missingDay(days: Pick<CoveredSeries, 'candles' | 'coverage'> | undefined): (day: number) => boolean {
  const stored = new Set(days?.candles.map(({ opensAt }) => opensAt));
  const coverage = days?.coverage;
  return (day) => !stored.has(day) && !(coverage && day >= coverage.from && day < coverage.to);
}

/** Whether a missing day ended within the moment's span, after the nearest price that was found. */
function mayBeNearer(
  { from, to }: Moment,
  best: PastPrice | undefined,
  isMissing: (day: number) => boolean,
  window: Window,
): boolean {
  const since = Math.max(from, best ? best.time + 1 : from, window.from + DAY_MS);
  for (let end = Math.floor(Math.min(to, window.to) / DAY_MS) * DAY_MS; end >= since; end -= DAY_MS) {
    if (isMissing(end - DAY_MS)) return true;
  }
  return false;
}
