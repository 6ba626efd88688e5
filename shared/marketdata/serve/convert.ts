/** Values of coins and currencies, and the arithmetic of conversions and valuations. */
import { ApiError } from '../../http/errors.ts';
import type { RegistryEntry } from '../../registry/entries.ts';
import { coinOfSymbol, type RegistryLookups } from '../../registry/lookups.ts';
import type { RelatedCoin } from '../../registry/successors.ts';
import type { Origin } from '../provenance.ts';
import { dayOfRate, type EuroRates, ratesOrigin } from '../rates.ts';
import type { CurrentTicker } from '../serve/current-ticker.ts';
import { type Decimal, decimal, ONE, percentOf, quotient, sum, ZERO } from './decimals.ts';

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
  readonly origin: Origin | undefined;
}

export const DOLLAR: Worth = { usd: ONE, per: ONE, origin: undefined };

/**
 * Currencies that have had rates for years. They stay currencies while rates cannot be read, so that `GBP` does not become a
 * coin with that symbol.
 */
const USUAL_CODES = new Set(
  'AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD HUF IDR ILS INR ISK JPY KRW MXN MYR NOK NZD PHP PLN RON SEK SGD THB TRY USD ZAR'.split(
    ' ',
  ),
);

/** The codes of all known currencies, in alphabetical order. */
export function currencyCodes(rates: EuroRates | undefined): string[] {
  return [...new Set([...USUAL_CODES, ...Object.keys(rates?.rates ?? {})])].sort();
}

/** The code in capitals if the text, in any case, is the code of a currency. */
export function currencyOf(text: string, rates: EuroRates | undefined): string | undefined {
  const code = text.toUpperCase();
  if (!/^[a-z]{3}$/i.test(text)) return undefined;
  return USUAL_CODES.has(code) || Object.hasOwn(rates?.rates ?? {}, code) ? code : undefined;
}

/** A currency by its code, else a coin by its id, else the coin that a symbol stands for. */
export function assetOf(
  text: string,
  registry: RegistryLookups,
  rates: EuroRates | undefined,
): Asset | undefined {
  const code = currencyOf(text, rates);
  if (code !== undefined) return { kind: 'currency', code };
  const coin = registry.getById(text) ?? coinOfSymbol(text, registry);
  return coin ? { kind: 'coin', coin } : undefined;
}

/** The value of a currency, by its code in capitals. Throws 503 without a rate. */
export function worthOfCurrency(code: string, rates: EuroRates | undefined, now: number): Worth {
  if (code === 'USD') return DOLLAR;
  const usd = rates?.rates.USD;
  const per = code === 'EUR' ? '1' : rates?.rates[code];
  if (!rates || usd === undefined || per === undefined)
    throw new ApiError(503, `No exchange rate of ${code} is available; use USD, or try again later`, {
      headers: { 'retry-after': '60' },
    });
  // The older day of the two rates; the euro itself has no rate.
  const day = [dayOfRate(rates, 'USD'), dayOfRate(rates, code)].sort()[0] ?? rates.day;
  const origin = ratesOrigin({ source: rates.source, day }, now);
  return { usd: decimal(usd), per: decimal(per), origin };
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
export function originFieldsOf(origin: Origin | undefined) {
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

/** The value of an amount of a coin, in a currency; undefined if the coin has no price. */
export function positionOf(
  amount: Decimal,
  current: CurrentTicker | undefined,
  into: Worth,
): Position | undefined {
  const worth = worthOfCoin(current);
  if (!worth) return undefined;
  const change = current?.ticker.quotes.USD.percent_change_24h ?? undefined;
  const usd = amount.times(worth.usd); // prices of coins are of one: `per` is 1
  return {
    worth,
    usd,
    value: converted(usd, DOLLAR, into),
    change: change === undefined ? undefined : decimal(change),
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
