/** A currency's exchange rates, now and at any time: the one place that says what a price in US dollars is in another currency. */
import { ApiError } from '../../http/errors.ts';
import { invalidParameter } from '../../http/middleware/input.ts';
import type { Environment } from '../../platform/environment.ts';
import type { BaseCandle, PastPrice } from '../candles.ts';
import { currencyOf } from '../currencies.ts';
import { groupOf, pastRates } from '../past-rates.ts';
import { listed, type Origin } from '../provenance.ts';
import { currentRates, ratesMadeAt } from '../rates.ts';
import { type CurrencyRate, originOf, rateFrom, rateNow, retry } from './rate-now.ts';
import { inCurrency } from './unit-rate.ts';

export interface CurrencyRates {
  /** In capitals. */
  readonly code: string;
  readonly now: CurrencyRate;
  /** Of the rate now. */
  readonly origin: Origin;
  /** The rate that counted at a time (ms since the epoch); undefined if none is known. */
  at(time: number): CurrencyRate | undefined;
  /**
   * Candles of `stepMs` in the currency, each at the rate of its end, without those of times that have no rate. Throws 404 if
   * that leaves none.
   */
  candles(candles: readonly BaseCandle[], stepMs: number): BaseCandle[];
  /** A price in the currency, at the rate of the instant for which it is the latest; undefined without a rate. */
  price(price: PastPrice, at: number): RatedPrice | undefined;
}

/** A past price in a currency. */
export interface RatedPrice extends PastPrice {
  readonly rate: { readonly day: string; readonly source: string };
}

/** The code in capitals. Throws 400 for a text that is none. */
export function currencyParameter(text: string): string {
  const code = currencyOf(text);
  if (code === undefined) throw invalidParameter('currency', text, currencyWords);
  return code;
}

export const currencyWords =
  'an ISO 4217 code such as EUR; /api/marketdata/rates has the currencies with a rate';

/** The rates of a currency by its code in capitals; undefined for the US dollar. Throws 503 while they are missing. */
export async function currencyRates(
  environment: Environment,
  code: string,
): Promise<CurrencyRates | undefined> {
  if (code === 'USD') return undefined;
  const [published, past] = await Promise.all([
    currentRates(environment),
    pastRates(environment, groupOf(code)),
  ]);
  const madeNow = Date.now();
  const now = rateNow(code, published, madeNow);
  if (!past)
    throw new ApiError(503, 'The exchange rates of past days are out of reach; try again in a minute', retry);
  const changedAt = published ? ratesMadeAt(published) : madeNow;
  const at = (time: number): CurrencyRate | undefined => {
    if (time >= madeNow || time > changedAt) return now;
    const known = past.at(code, time);
    return known && rateFrom({ ...known, source: listed(...known.sources), stale: false });
  };
  return {
    ...{ code, now, origin: originOf(now, madeNow), at },
    candles(candles, stepMs) {
      const found = candles.flatMap((candle) => {
        const rate = at(Math.min(Date.parse(candle.time_open) + stepMs, madeNow));
        return rate ? candleIn(candle, rate) : [];
      });
      if (candles.length > 0 && found.length === 0) throw noRateBetween(code, candles);
      return found;
    },
    price(known, time) {
      const rate = at(time);
      return rate && { ...known, price: inCurrency(known.price, rate), ...rated(known.source, rate) };
    },
  };
}

function candleIn(candle: BaseCandle, rate: CurrencyRate): BaseCandle {
  const { open, high, low, close, volume, market_cap, source } = candle;
  return {
    ...candle,
    open: inCurrency(open, rate),
    high: inCurrency(high, rate),
    low: inCurrency(low, rate),
    close: inCurrency(close, rate),
    volume: inCurrency(volume, rate),
    market_cap: inCurrency(market_cap, rate),
    ...rated(source, rate),
  };
}

/** The provenance of a figure that was converted at a rate. */
function rated(source: string, rate: CurrencyRate) {
  return { source: listed(source, rate.source), rate: { day: rate.day, source: rate.source } };
}

function noRateBetween(code: string, candles: readonly BaseCandle[]): ApiError {
  const [from = '', to = ''] = [candles[0]?.time_open, candles.at(-1)?.time_close].map((time) =>
    time?.slice(0, 10),
  );
  return ApiError.notFound(`No exchange rate of ${code} is known from ${from} to ${to}; use USD`);
}
