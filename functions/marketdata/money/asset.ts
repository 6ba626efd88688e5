import type { RatesAtHand } from '../../../shared/marketdata/rates/euro-rates.ts';
import type { RegistryEntry } from '../../../shared/registry/entries.ts';
import { coinOfSymbol, type RegistryLookups } from '../../../shared/registry/lookups.ts';

export type Asset =
  | { readonly kind: 'coin'; readonly coin: RegistryEntry }
  /** `code` in capitals. */
  | { readonly kind: 'currency'; readonly code: string };

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
export function currencyCodes(rates: RatesAtHand | undefined): string[] {
  return [...new Set([...USUAL_CODES, ...Object.keys(rates?.rates ?? {})])].sort();
}

/** The code in capitals, if it is one of a currency, in any case. */
export function currencyOf(text: string, rates: RatesAtHand | undefined): string | undefined {
  const code = text.toUpperCase();
  if (!/^[a-z]{3}$/i.test(text)) return undefined;
  return USUAL_CODES.has(code) || Object.hasOwn(rates?.rates ?? {}, code) ? code : undefined;
}

/** A currency by its code, else a coin by its id, else the coin that a symbol stands for. */
export function assetOf(
  text: string,
  registry: RegistryLookups,
  rates: RatesAtHand | undefined,
): Asset | undefined {
  const code = currencyOf(text, rates);
  if (code !== undefined) return { kind: 'currency', code };
  const coin = registry.getById(text) ?? coinOfSymbol(text, registry);
  return coin ? { kind: 'coin', coin } : undefined;
}
