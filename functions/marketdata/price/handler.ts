import { endpoint } from '../../../shared/http/endpoint.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import type { PastPrice } from '../../../shared/marketdata/candles.ts';
import { listed } from '../../../shared/marketdata/candles.ts';
import { ownHistory, storedHistory } from '../../../shared/marketdata/own-history.ts';
import { SLOT_MS } from '../../../shared/marketdata/own-prices.ts';
import { type Moment, timeText } from '../../../shared/marketdata/past-price.ts';
import { setSourceHeaders, weakest } from '../../../shared/marketdata/provenance.ts';
import type { CurrencyRates } from '../../../shared/marketdata/serve/currency-rates.ts';
import { pricesAt } from '../../../shared/marketdata/serve/price-at.ts';
import { currentSnapshot } from '../../../shared/marketdata/store/current-snapshot.ts';
import type { Environment } from '../../../shared/platform/environment.ts';
import { DAY_MS, isoSeconds } from '../../../shared/platform/time.ts';
import { atInit } from '../../../shared/platform/waiting.ts';
import { historyDemand } from '../../../shared/providers/demand.ts';
import { entryOf, isActiveCoin } from '../../../shared/registry/container.ts';
import { instantsOf } from './instants.ts';
import { route } from './route.ts';

export const handler = endpoint(route, async ({ id, at, within, currency }, dependencies) => {
  const { environment, headers, deadline } = dependencies;
  await isActiveCoin(id, environment);
  const now = Date.now();
  const instants = instantsOf(at, now);
  // If a client's clock is ahead, it gets the current price.
  const moments = instants.map((time) => momentOf(Math.min(time, now), within));
  const rates = currency === undefined ? undefined : await ratesOf(currency, environment);
  const own = await ownHistory(environment);
  const { prices, stale, outage, others } = await pricesAt(environment, id, moments, {
    own,
    ...historyDemand(dependencies, entryOf(id)),
  });
  const [first, ...more] = instants;
  if (first !== undefined && more.length === 0 && !prices[0]) {
    if (outage) throw outage;
    const { neighboursOf } = await import('../../../shared/marketdata/neighbours.ts');
    const neighbours = await neighboursOf(own, id, first, { environment, others, deadline, now });
    throw ApiError.notFound(
      `No price of ${id} is known within ${within} s before ${isoSeconds(first)}; ${neighbours}`,
    );
  }

  const rated = prices.map((price, index) => {
    return price && pricedIn(rates, price, moments[index]?.to ?? now);
  });
  if (first !== undefined && more.length === 0 && !rated[0])
    throw ApiError.notFound(`No exchange rate of ${rates?.code} is known at ${isoSeconds(first)}`);
  const found = rated.filter((price) => price !== undefined);
  const settledFrom = now - 2 * DAY_MS;
  const isSettled = found.length === prices.length && instants.every((time) => time < settledFrom);
  const slotMs = own.snapshot?.intervalMs ?? SLOT_MS;
  const origin = {
    source:
      found.length > 0
        ? listed(...new Set(found.map(({ source }) => source)))
        : (await providers()).coinProvider.name,
    madeAt: found.length > 0 ? Math.max(...found.map(({ time }) => time)) : now,
    freshUntil: isSettled ? now + DAY_MS : (Math.floor(now / slotMs) + 1) * slotMs,
    stale: stale || (rates?.now.stale === true && !isSettled),
  };
  setSourceHeaders(headers, origin, weakest(found.map(({ quality }) => quality)), now);
  const data = instants.map((time, index) => answerOf(time, rated[index]));
  return { coinId: id, quote: currency?.toLowerCase() ?? 'usd', count: data.length, data };
});

/** Loaded only for a request in a currency. Throws 400 for an unknown one. */
async function ratesOf(currency: string, environment: Environment): Promise<CurrencyRates | undefined> {
  const { currencyParameter, currencyRates } = await import(
    '../../../shared/marketdata/serve/currency-rates.ts'
  );
  return currencyRates(environment, currencyParameter(currency));
}

/** Loaded for a request that our own history cannot serve. */
const providers = () => import('../../../shared/providers/index.ts');

function momentOf(to: number, within: number): Moment {
  return { from: to - within * 1000, to };
}

/** A price in dollars or in a currency. */
interface PricedAt extends PastPrice {
  readonly rate?: { readonly day: string; readonly source: string };
}

/** Undefined without a rate at the instant. */
function pricedIn(rates: CurrencyRates | undefined, price: PastPrice, at: number): PricedAt | undefined {
  return rates ? rates.price(price, at) : price;
}

function answerOf(at: number, found: PricedAt | undefined) {
  if (!found) return null;
  const { price, time, source, quality, rate } = found;
  return { at: isoSeconds(at), price, time: timeText(time), source, quality, ...(rate && { rate }) };
}

await atInit(currentSnapshot, async (environment) => storedHistory(environment).prepare());
