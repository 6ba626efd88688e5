/** Values of coins and currencies, and the arithmetic of conversions and valuations. */
import { ApiError } from '../../http/errors.ts';
import type { RegistryEntry } from '../../registry/entries.ts';
import { coinOfSymbol, type RegistryLookups } from '../../registry/lookups.ts';
import type { RelatedCoin } from '../../registry/successors.ts';
import { currencyOf } from '../currencies.ts';
import type { Provenance } from '../provenance.ts';
import type { EuroRates } from '../rates.ts';
import type { CurrentTicker } from '../serve/current-ticker.ts';
import { type Decimal, decimal, ONE, percentOf, quotient, sum, ZERO } from './decimals.ts';
import { type CurrencyRate, originOf, rateNow } from './rate-now.ts';

export type Asset =
  | {
      readonly kind: 'coin';
      readonly coin: RegistryEntry;
      /** The coin with the given symbol, which the other has replaced. */
      readonly predecessor?: RelatedCoin | undefined;
    }
  /** `code` in capitals. */
  | { readonly kind: 'currency'; readonly code: string };

/** One unit of an asset is worth `usd / per` US dollars. The two stay separate, so that results are rounded once. */
export interface Worth {
  readonly usd: Decimal;
  readonly per: Decimal;
  /** Undefined for the US dollar. */
  readonly origin: Provenance | undefined;
}

export const DOLLAR: Worth = { usd: ONE, per: ONE, origin: undefined };

/** A currency by its code, else a coin by its id, else the coin that a symbol stands for. */
export function assetOf(text: string, registry: RegistryLookups): Asset | undefined {
  const code = currencyOf(text);
  if (code !== undefined) return { kind: 'currency', code };
  const coin = registry.getById(text) ?? coinOfSymbol(text, registry);
  return coin ? { kind: 'coin', coin } : undefined;
}

/** The value of a currency, by its code in capitals. Throws 503 without a rate. */
export function worthOfCurrency(code: string, rates: EuroRates | undefined, now: number): Worth {
  return code === 'USD' ? DOLLAR : worthOfRate(rateNow(code, rates, now), now);
}

/** The value of one unit of a currency at a rate. */
export function worthOfRate(rate: CurrencyRate, now: number): Worth {
  return { usd: decimal(rate.usd), per: decimal(rate.per), origin: originOf(rate, now) };
}

/** The value of a coin; undefined without a price. */
export function worthOfCoin(current: CurrentTicker | undefined): Worth | undefined {
  const price = current?.ticker.quotes.USD.price ?? 0;
  if (!current || price <= 0) return undefined;
  return { usd: decimal(price), per: ONE, origin: current };
}

/** The error text for a coin without a price. */
export function noPrice(id: string): string {
  return `No price of ${id} is available; /api/marketdata/ticker/${encodeURIComponent(id)} fetches it`;
}

/** The 503 for a coin whose price is missing for a while: a container looks for newer prices every ten seconds. */
export function priceMissing(id: string): ApiError {
  return new ApiError(503, noPrice(id), { headers: { 'retry-after': '10' } });
}

/** The amount of one asset in another, rounded once. */
export function converted(amount: Decimal, from: Worth, to: Worth): Decimal {
  return quotient(amount.times(from.usd).times(to.per), from.per.times(to.usd));
}

/** The origin of a value as fields of a response. */
export function originFieldsOf(origin: Provenance | undefined) {
  return {
    source: origin?.source ?? null,
    quality: origin?.quality ?? ('exact' as const),
    dataTime: origin ? new Date(origin.madeAt).toISOString() : null,
  };
}

/** An amount of a coin, valued. */
export interface Position {
  readonly worth: Worth;
  /** Its exact value in US dollars, so that derived figures are rounded once. */
  readonly usd: Decimal;
  /** Its value in the currency of the valuation, rounded. */
  readonly value: Decimal;
  /** The change of the coin's price in 24 hours, in percent. */
  readonly change: Decimal | undefined;
}

/** The value of an amount of a coin, in a currency. `change`: of the coin's price in 24 hours, in percent. */
export function positionOf(amount: Decimal, worth: Worth, into: Worth, change?: number | null): Position {
  const usd = amount.times(worth.usd); // prices of coins are of one: `per` is 1
  return {
    worth,
    usd,
    value: converted(usd, DOLLAR, into),
    change: change === undefined || change === null ? undefined : decimal(change),
  };
}

/** The value of all positions, added before it is rounded. */
export function totalOf(positions: readonly Position[], into: Worth): Decimal {
  const usd = positions.reduce((all, position) => all.plus(position.usd), ZERO);
  return converted(usd, DOLLAR, into);
}

/** The change of all positions with a known change, and their share of the total; both in percent. */
export function changeOf(positions: readonly Position[], total: Decimal) {
  const known = positions.flatMap(({ value, change }) => {
    const factor = change?.plus(100);
    // A coin that lost everything has no earlier value that could be computed.
    return factor?.gt(0) ? [{ value, before: quotient(value.times(100), factor) }] : [];
  });
  const now = sum(known.map(({ value }) => value));
  const before = sum(known.map((position) => position.before));
  return {
    change24hPercent: percentOf(sum([now, before.neg()]), before),
    changeCoversPercent: percentOf(now, total),
  };
}
