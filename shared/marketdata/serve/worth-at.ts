/** What coins and currencies were worth at an instant of the past. */
import { ApiError } from '../../http/errors.ts';
import type { Environment } from '../../platform/environment.ts';
import { DAY_MS, isoSeconds, MINUTE_MS } from '../../platform/time.ts';
import { atMost } from '../../platform/waiting.ts';
import { entryOf } from '../../registry/container.ts';
import { ownHistory } from '../own-history.ts';
import { DOLLAR, type Worth, worthOfRate } from './convert.ts';
import { currencyRates } from './currency-rates.ts';
import type { Errand } from './current-ticker.ts';
import { decimal, ONE } from './decimals.ts';
import { type PricesAtOptions, pricesAt } from './price-at.ts';

/** The largest age of a price at the instant. */
const WITHIN_MS = DAY_MS;
const COINS_AT_ONCE = 8;
/** A nearer price may still be stored. */
const FRESH_MS = 10 * MINUTE_MS;

/** The value of a currency, by its code in capitals. Throws 404 for an instant without a rate, and 503 while rates are missing. */
export async function worthOfCurrencyAt(environment: Environment, code: string, at: number): Promise<Worth> {
  const rates = await currencyRates(environment, code);
  if (!rates) return DOLLAR;
  const rate = rates.at(at);
  if (!rate) throw ApiError.notFound(`No exchange rate of ${code} is known at ${isoSeconds(at)}`);
  const { origin, ...worth } = worthOfRate(rate, Date.now());
  // An old rate is as good as on its day.
  const quality = rate.stale ? ('stale' as const) : ('exact' as const);
  return { ...worth, origin: origin && { ...origin, quality } };
}

type Options = Errand & Pick<PricesAtOptions, 'open'>;

/**
 * The value of each coin: its latest price of at most a day before the instant; undefined without one. Without `open` from the
 * store alone. Throws as `pricesAt` does, and 503 if a store cannot be read.
 */
export async function worthsAt(
  environment: Environment,
  ids: readonly string[],
  at: number,
  options: Options,
): Promise<(Worth | undefined)[]> {
  const own = await ownHistory(environment);
  const moment = { from: at - WITHIN_MS, to: at };
  const once = [...new Set(ids)];
  const worths = await atMost(COINS_AT_ONCE, once, async (id): Promise<Worth | undefined> => {
    const { prices, outage } = await pricesAt(environment, id, [moment], {
      ...options,
      ...{ own, coin: entryOf(id) },
    });
    const [found] = prices;
    if (!found && outage) throw outage;
    if (!found) return undefined;
    const { price, source, quality, time } = found;
    const origin = { source, quality, madeAt: time, freshUntil: Date.now() + FRESH_MS };
    return { usd: decimal(price), per: ONE, origin };
  });
  return ids.map((id) => worths[once.indexOf(id)]);
}
