/** The one policy of where a price of the past comes from: our own history, then a provider's closes of days. */
import { ApiError, isOutage } from '../http/errors.ts';
import { DAY_MS } from '../platform/time.ts';
import { noHistory, type OpenUpstream, type OwnHistory, setAside } from './history.ts';
import { type BaseRows, endsEarly } from './history-of.ts';
import { type OwnPrices, ownPrices } from './own-prices.ts';
import { type Moment, nearest, type PastPrice, publishedPrice } from './past-price.ts';
import { priceIn } from './running.ts';
import type { Snapshot } from './store/snapshot.ts';
import type { UpstreamOptions } from './upstream-rows.ts';
import type { Window } from './window.ts';

export interface PricesAt {
  /** For each moment the nearest known price. */
  readonly prices: readonly (PastPrice | undefined)[];
  /** True if a nearer one may be known to somebody who could not be asked. */
  readonly stale: boolean;
  /** Why the provider could not be asked. */
  readonly outage: ApiError | undefined;
  /** What is known besides what our own history has. */
  readonly others: readonly PastPrice[];
}

export interface PricesAtOptions extends Omit<UpstreamOptions, 'price'> {
  readonly own: OwnHistory | undefined;
  readonly snapshot: Snapshot | undefined;
}

/** The days that one request gives, whatever the plan, and that charts ask for as well. */
const YEAR_DAYS = 364;

/**
 * Throws 404 for a coin that the provider does not know or no longer follows, if nothing of it is known here, and
 * ConfigurationError. An outage is told in the answer.
 */
export async function pricesAt(
  upstream: OpenUpstream,
  id: string,
  moments: readonly Moment[],
  { own, snapshot, ...options }: PricesAtOptions,
): Promise<PricesAt> {
  const now = Date.now();
  const published = publishedPrice(snapshot, id);
  const stored =
    own && (await ownPrices(own, id, moments, { known: published, deadline: options.deadline, now }));
  const found = stored?.found ?? moments.map((moment) => nearest(published, moment));
  const answer = { prices: found, stale: stored?.isWhole === false, outage: undefined, others: published };
  const window = latestYear(now);
  const isMissing = missingDay(stored?.days);
  const isUnsure = moments.map((moment, index) => mayBeNearer(moment, found[index], isMissing, window));
  if (!isUnsure.includes(true)) return answer;

  const isKnown = published.length > 0 || (stored?.days?.candles.length ?? 0) > 0 || found.some(Boolean);
  if (stored?.isWhole && !isKnown && options.isActive === false) throw noHistory(id);
  const { rows, spareRows, wish } = await upstream();
  const ask = isKnown ? spareRows : rows;
  const query = { id, quote: 'usd', window } as const;
  try {
    const price = async () => priceIn(snapshot, id, 'usd');
    if (stored?.days?.isSetAside) throw setAside(id);
    const asked = await ask(query, { ...options, price });
    if (own) await wish(query);
    const closes = closesOfRows(asked);
    const prices = moments.map((moment, index) => nearest(closes, moment, found[index]));
    const isLeft = prices.some((nearest, index) => isUnsure[index] && nearest === found[index]);
    const isBehind = moments.some(({ to }, index) => isUnsure[index] && to > asked.madeAt);
    return {
      prices,
      stale: answer.stale || (asked.stale && isLeft) || (isBehind && endsEarly(asked.rows, window, now)),
      outage: undefined,
      others: [...published, ...closes],
    };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (isOutage(error)) {
      if (own) await wish(query);
      return { ...answer, stale: true, outage: error };
    }
    // A plan without history takes nothing away from what is ours, nor does a provider that has dropped the coin.
    const isOfPlan = error.statusCode === 400 || error.isLasting;
    if (!isOfPlan && !(error.statusCode === 404 && isKnown)) throw error;
    return answer;
  }
}

function latestYear(now: number): Window {
  const to = Math.floor(now / DAY_MS) * DAY_MS;
  const from = to - (YEAR_DAYS - 1) * DAY_MS;
  return { base: '24h', stepMs: DAY_MS, size: 1, from, to, closed: true, latest: false };
}

/** Whether a day, by its beginning, is not stored and nobody was asked of it. */
function missingDay(days: OwnPrices['days']): (day: number) => boolean {
  const stored = new Set(days?.candles.map(({ opensAt }) => opensAt));
  const asked = days?.asked;
  return (day) => !stored.has(day) && !(asked && day >= asked.from && day < asked.to);
}

/** Whether a missing day has ended in the moment's span, after the time of the nearest price that was found. */
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

/** A close is known when its day has ended, and not if the rows were made before. */
function closesOfRows({ rows, closedUntil }: BaseRows): PastPrice[] {
  return rows
    .map(({ close: price, time_open, quality, source }) => ({
      price,
      time: Date.parse(time_open) + DAY_MS,
      quality,
      source,
    }))
    .filter(({ time }) => time <= closedUntil);
}
