/** A currency's exchange rates, now and at any time: the one place that says what a price in US dollars is in another currency. */
import { ApiError } from '../../http/errors.ts';
import { invalidParameter } from '../../http/middleware/input.ts';
import type { Environment } from '../../platform/environment.ts';
import type { BaseCandle, PastPrice } from '../candles.ts';
import { currencyOf } from '../currencies.ts';
import { groupOf, pastRates } from '../past-rates.ts';
import { listed } from '../provenance.ts';
import { currentRates, ratesMadeAt } from '../rates.ts';
import { type CurrencyRate, rateFrom, rateNow, retry } from './rate-now.ts';
import { inCurrency } from './unit-rate.ts';

export interface CurrencyRates {
  /** In capitals. */
  readonly code: string;
  readonly now: CurrencyRate;
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

const currencyWords = 'an ISO 4217 code such as EUR; /api/marketdata/rates has the currencies with a rate';

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
  // A group exists before all of its currencies' past was fetched.
  if (!past?.has(code))
    throw new ApiError(503, 'The exchange rates of past days are out of reach; try again in a minute', retry);
  const changedAt = published ? ratesMadeAt(published) : madeNow;
  const joined = remembered(listed);
  let last: CurrencyRate | undefined;
  const at = (time: number): CurrencyRate | undefined => {
    if (time >= madeNow || time > changedAt) return now;
    const known = past.at(code, time);
    if (!known) return undefined;
    // The hours of a day have one rate, and so has a weekend.
    if (known.day === last?.day) return last;
    const { per, usd, day, sources } = known;
    const [source = '', other = source] = sources;
    last = rateFrom({ per, usd, day, source: joined(source, other), stale: false });
    return last;
  };
  return {
    ...{ code, now, at },
    candles(candles, stepMs) {
      const found: BaseCandle[] = [];
      const sourceOf = remembered(listed);
      for (const candle of candles) {
        const rate = at(Math.min(Date.parse(candle.time_open) + stepMs, madeNow));
        if (rate) found.push(candleIn(candle, rate, sourceOf(candle.source, rate.source)));
      }
      if (candles.length > 0 && found.length === 0) throw noRateBetween(code, candles);
      return found;
    },
    price(known, time) {
      const rate = at(time);
      if (!rate) return undefined;
      const { day, source } = rate;
      return {
        ...{ ...known, price: inCurrency(known.price, rate) },
        ...{ source: listed(known.source, source), rate: { day, source } },
      };
    },
  };
}

function candleIn(candle: BaseCandle, rate: CurrencyRate, source: string): BaseCandle {
  return {
    ...candle,
    open: inCurrency(candle.open, rate),
    high: inCurrency(candle.high, rate),
    low: inCurrency(candle.low, rate),
    close: inCurrency(candle.close, rate),
    volume: inCurrency(candle.volume, rate),
    market_cap: inCurrency(candle.market_cap, rate),
    source,
    rate: { day: rate.day, source: rate.source },
  };
}

/** The names of two sources, joined once for both: each candle of a year has the same. */
function remembered(join: (a: string, b: string) => string): typeof join {
  let [a, b, both] = ['', '', ''];
  return (one, other) => {
    if (one !== a || other !== b) [a, b, both] = [one, other, join(one, other)];
    return both;
  };
}

function noRateBetween(code: string, candles: readonly BaseCandle[]): ApiError {
  const [from = '', to = ''] = [candles[0]?.time_open, candles.at(-1)?.time_close].map((time) =>
    time?.slice(0, 10),
  );
  return ApiError.notFound(`No exchange rate of ${code} is known from ${from} to ${to}; use USD`);
}
