/** What a name means, what one of it is worth in US dollars, and who says so. */
import { ApiError } from '../../../shared/http/errors.ts';
import type { Origin } from '../../../shared/marketdata/origin.ts';
import { dayOfRate, type EuroRates, ratesOrigin } from '../../../shared/marketdata/rates/euro-rates.ts';
import type { CurrentTicker } from '../../../shared/marketdata/serve/current-ticker.ts';
import type { RegistryEntry } from '../../../shared/registry/entries.ts';
import type { RegistryLookups } from '../../../shared/registry/lookups.ts';
import { coinOfSymbol } from '../../../shared/registry/lookups.ts';
import { type Decimal, decimal, ONE, quotient } from './decimal.ts';

export type Asset =
  | { readonly kind: 'coin'; readonly coin: RegistryEntry }
  /** `code` in capitals. */
  | { readonly kind: 'currency'; readonly code: string };

/** One of it is `usd / per` US dollars: apart from each other, so that a result is rounded once. */
export interface Worth {
  readonly usd: Decimal;
  readonly per: Decimal;
  /** Who says so; of the US dollar itself nobody has to. */
  readonly origin: Origin | undefined;
}

export const DOLLAR: Worth = { usd: ONE, per: ONE, origin: undefined };

/**
 * Currencies that there have been rates of for years. They are currencies without rates too: as long as those cannot be
 * had, `GBP` must not become a coin with that symbol.
 */
const USUAL_CODES = new Set(
  'AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD HUF IDR ILS INR ISK JPY KRW MXN MYR NOK NZD PHP PLN RON SEK SGD THB TRY USD ZAR'.split(
    ' ',
  ),
);

/** The codes that mean currencies, in their order. */
export function currencyCodes(rates: EuroRates | undefined): string[] {
  return [...new Set([...USUAL_CODES, ...Object.keys(rates?.rates ?? {})])].sort();
}

/** The code in capitals, if it is one of a currency, in any case. */
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

/** Of a currency by its code in capitals. Throws 503 if there is no rate of it. */
export function worthOfCurrency(code: string, rates: EuroRates | undefined, now: number): Worth {
  if (code === 'USD') return DOLLAR;
  const usd = rates?.rates.USD;
  const per = code === 'EUR' ? '1' : rates?.rates[code];
  if (!rates || usd === undefined || per === undefined)
    throw new ApiError(503, `No exchange rate of ${code} is at hand; ask for USD, or try again later`);
  // As old as the older of the two; those of the euro itself are of no day.
  const day = [dayOfRate(rates, 'USD'), dayOfRate(rates, code)].sort()[0] ?? rates.day;
  const origin = ratesOrigin({ source: rates.source, day }, now);
  return { usd: decimal(usd), per: decimal(per), origin };
}

/** Undefined if the coin has no price. */
export function worthOfCoin(current: CurrentTicker | undefined): Worth | undefined {
  const price = current?.ticker.quotes.USD.price ?? 0;
  if (!current || price <= 0) return undefined;
  return { usd: decimal(price), per: ONE, origin: current };
}

/** Of a coin without a price, with what to do about it. */
export function noPrice(id: string): string {
  return `No price of ${id} is at hand; /api/marketdata/ticker/${encodeURIComponent(id)} asks for it`;
}

/** What so many of one are of the other; rounded once. */
export function converted(amount: Decimal, from: Worth, to: Worth): Decimal {
  return quotient(amount.times(from.usd).times(to.per), from.per.times(to.usd));
}

/** In the fields of an answer. */
export function originFieldsOf(origin: Origin | undefined) {
  return {
    source: origin?.source ?? null,
    quality: origin?.quality ?? ('exact' as const),
    dataTime: origin ? new Date(origin.madeAt).toISOString() : null,
  };
}
