/** The coins and the currency of a request, each with its name in ledgers. */
import { ApiError } from '../../shared/http/errors.ts';
import { invalidParameter } from '../../shared/http/middleware/input.ts';
import { currencyOf } from '../../shared/marketdata/currencies.ts';
import type { Provenance } from '../../shared/marketdata/provenance.ts';
import { currentRates } from '../../shared/marketdata/rates.ts';
import { BITCOIN } from '../../shared/marketdata/running.ts';
import { priceMissing } from '../../shared/marketdata/serve/convert.ts';
import { priceNow } from '../../shared/marketdata/serve/price-now.ts';
import { originOf, rateNow } from '../../shared/marketdata/serve/rate-now.ts';
import { DOLLARS, digitsOf, type UnitRate } from '../../shared/marketdata/serve/unit-rate.ts';
import type { Environment } from '../../shared/platform/environment.ts';
import { answeringRegistry, unknownId } from '../../shared/registry/container.ts';
import type { RegistryEntry } from '../../shared/registry/entries.ts';

export interface NamedCoin {
  readonly coin: RegistryEntry;
  /** The caller's name for it, or its symbol. */
  readonly name: string;
}

export interface NamedQuote {
  /** In lower case. */
  readonly code: string;
  readonly name: string;
}

/**
 * The coins of `ids`, each once: `btc-bitcoin`, or `btc-bitcoin:XBT` with a name. Throws 404 for an unknown one, and 503
 * without a registry.
 */
export async function namedCoins(ids: readonly string[], environment: Environment): Promise<NamedCoin[]> {
  const coins = new Map<string, NamedCoin>();
  for (const text of ids) {
    const [id, given] = splitName(text);
    // The registry sets headers of its own; this response needs others.
    const registry = await answeringRegistry({}, environment, id);
    // A colon may be part of an id.
    const whole = registry.getById(text);
    const coin = whole ?? registry.getById(id);
    if (!coin) throw await unknownId(registry, id);
    const name = (whole ? undefined : given) ?? (coin.symbol.trim() || coin.id);
    const key = JSON.stringify([coin.id, name]);
    if (!coins.has(key)) coins.set(key, { coin, name });
  }
  return [...coins.values()];
}

export function namedQuote(text: string): NamedQuote {
  const [code, name] = splitName(text);
  return { code: code.toLowerCase(), name: name ?? code.toUpperCase() };
}

function splitName(text: string): [code: string, name: string | undefined] {
  const [, code, name] = /^(.+):([^:]+)$/s.exec(text) ?? [];
  return [code ?? text, name];
}

/** The rate of a quote now. */
export interface QuoteRate extends UnitRate {
  /** Undefined for the US dollar. */
  readonly origin: Provenance | undefined;
}

/** The currency's code in capitals; undefined for bitcoin. Throws 400 if the quote is neither. */
export function currencyOfQuote({ code }: NamedQuote): string | undefined {
  if (code === 'btc') return undefined;
  const currency = currencyOf(code);
  if (currency === undefined)
    throw invalidParameter('quote', code, 'btc, or the ISO 4217 code of a currency such as usd or eur');
  return currency;
}

/** Throws 400 for an unknown quote, and 503 if its own price or rate is not available. */
export async function rateOfQuote(quote: NamedQuote, environment: Environment): Promise<QuoteRate> {
  const currency = currencyOfQuote(quote);
  if (currency === 'USD') return { ...DOLLARS, origin: undefined };
  if (currency !== undefined) {
    const now = Date.now();
    const rate = rateNow(currency, await currentRates(environment), now);
    return { ...rate, origin: originOf(rate, now) };
  }
  const bitcoin = await priceNow(environment, BITCOIN, { maxAge: 'shown' });
  const price = bitcoin?.ticker.quotes.USD.price;
  if (!bitcoin || !price) throw priceMissing(BITCOIN);
  return { perDollar: 1 / price, digits: digitsOf(price), origin: bitcoin };
}

/** Names as a format writes them. */
export interface SpelledNames {
  readonly quote: string;
  of(coin: NamedCoin): string;
}

/** Throws 400 if two names are written the same: prices of two coins would be mixed up under one name. */
export function spelledNames(
  coins: readonly NamedCoin[],
  quote: NamedQuote,
  spell: (name: string) => string,
): SpelledNames {
  const owners = new Map([[spell(quote.name), 'the quote']]);
  for (const { coin, name } of coins) {
    const spelled = spell(name);
    const other = owners.get(spelled);
    if (other !== undefined) {
      const next = `give one a name of its own, such as ${coin.id}:NAME`;
      throw new ApiError(
        400,
        `Invalid parameter ids: ${other} and ${coin.id} are both called ${spelled}; ${next}`,
      );
    }
    owners.set(spelled, coin.id);
  }
  return { quote: spell(quote.name), of: ({ name }) => spell(name) };
}
