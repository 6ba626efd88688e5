import type { RatesAtHand } from '../../../shared/marketdata/rates/euro-rates.ts';
import type { RegistryEntry } from '../../../shared/registry/entries.ts';
import { symbolKey } from '../../../shared/registry/fold.ts';
import { coinOfSymbol, type RegistryLookups } from '../../../shared/registry/lookups.ts';
import { currencyOf } from '../money/asset.ts';
import { decimal, decimalText } from '../money/decimal.ts';
import { noPrice } from '../money/missing.ts';

export interface Holding {
  readonly id?: string;
  readonly symbol?: string;
  readonly amount: string;
  readonly cost?: string;
}

/** Why a holding is no part of the total, and what to do about it. */
export interface Reason {
  readonly reason: 'unknown' | 'ambiguous' | 'unnamed' | 'unpriced';
  readonly message: string;
}

/** The coin that is held, or why nobody can say which. */
export function coinOf(
  { id, symbol }: Holding,
  registry: RegistryLookups,
  rates: RatesAtHand | undefined,
): RegistryEntry | Reason {
  if (id !== undefined) {
    const coin = registry.getById(id);
    if (!coin) return unknown(`coin id: ${id}`);
    if (symbol === undefined || symbolKey(symbol) === symbolKey(coin.symbol)) return coin;
    return ambiguous(`The symbol of ${id} is ${coin.symbol}, not ${symbol}; give one of the two`);
  }
  if (symbol === undefined)
    return { reason: 'unnamed', message: 'Neither id nor symbol; give one of the two' };
  if (currencyOf(symbol, rates) !== undefined)
    return ambiguous(`${symbol} is the code of a currency; give a coin of that symbol by its id`);
  return coinOfSymbol(symbol, registry) ?? unknown(`symbol: ${symbol}`);
}

function unknown(what: string): Reason {
  return { reason: 'unknown', message: `Unknown ${what}; /api/marketdata/search finds coins` };
}

function ambiguous(message: string): Reason {
  return { reason: 'ambiguous', message };
}

export function missingOf(index: number, { id, symbol, amount }: Holding, coin: RegistryEntry | Reason) {
  const { reason, message } = 'reason' in coin ? coin : unpriced(coin);
  return {
    index,
    id: 'reason' in coin ? (id ?? null) : coin.id,
    symbol: symbol ?? null,
    amount: decimalText(decimal(amount)),
    reason,
    message,
  };
}

function unpriced({ id }: RegistryEntry): Reason {
  return { reason: 'unpriced', message: noPrice(id) };
}
