/** A valuation's holdings: checked, named, priced, and added up. */
import { refuseUnknown } from '../../../shared/http/middleware/body.ts';
import { invalidParameter } from '../../../shared/http/middleware/input.ts';
import type { EuroRates } from '../../../shared/marketdata/rates/euro-rates.ts';
import type { CurrentTicker } from '../../../shared/marketdata/serve/current-ticker.ts';
import type { RegistryEntry } from '../../../shared/registry/entries.ts';
import { symbolKey } from '../../../shared/registry/fold.ts';
import type { RegistryLookups } from '../../../shared/registry/lookups.ts';
import { coinOfSymbol } from '../../../shared/registry/lookups.ts';
import {
  amountPattern,
  amountWords,
  type Decimal,
  decimal,
  decimalText,
  ONE,
  percentNumber,
  percentOf,
  quotient,
  sum,
  ZERO,
} from '../money/decimal.ts';
import {
  converted,
  currencyOf,
  DOLLAR,
  noPrice,
  originFieldsOf,
  type Worth,
  worthOfCoin,
} from '../money/worth.ts';

export interface Holding {
  readonly id?: string;
  readonly symbol?: string;
  readonly amount: string;
  readonly cost?: string;
}

/** Why a holding is no part of the total, and what to do about it. */
interface Reason {
  readonly reason: 'unknown' | 'ambiguous' | 'unnamed' | 'unpriced';
  readonly message: string;
}

/** A holding with a price. */
export interface Position {
  readonly index: number;
  readonly holding: Holding;
  readonly coin: RegistryEntry;
  readonly worth: Worth;
  /** What it is worth in US dollars, exact: what is made of it is rounded once. */
  readonly usd: Decimal;
  /** The same in the currency, rounded. */
  readonly value: Decimal;
  /** Of its price in 24 hours, in percent. */
  readonly change: Decimal | undefined;
}

const holdingFields = ['id', 'symbol', 'amount', 'cost'];
const AMOUNT = new RegExp(amountPattern);

/**
 * Checks here what the schema leaves open, so that an error says which of 200 holdings is meant. Throws 400 for an amount
 * or a cost that is none, and for a field that nobody knows: with `Cost` left out the valuation would be one of
 * something else.
 */
export function checkHoldings(holdings: readonly Holding[]): void {
  for (const [index, holding] of holdings.entries()) {
    const place = `holdings/${index}`;
    refuseUnknown(holding, holdingFields, place);
    const { amount, cost = '0' } = holding;
    if (!AMOUNT.test(amount)) throw invalidParameter(`${place}/amount`, amount, amountWords);
    if (!AMOUNT.test(cost)) throw invalidParameter(`${place}/cost`, cost, amountWords);
  }
}

/** The coin that is held, or why nobody can say which. */
export function coinOf(
  { id, symbol }: Holding,
  registry: RegistryLookups,
  rates: EuroRates | undefined,
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

/** Undefined if the coin has no price. */
export function positionOf(
  named: Pick<Position, 'index' | 'holding' | 'coin'>,
  current: CurrentTicker | undefined,
  into: Worth,
): Position | undefined {
  const worth = worthOfCoin(current);
  if (!worth) return undefined;
  const change = current?.ticker.quotes.USD.percent_change_24h ?? undefined;
  const usd = decimal(named.holding.amount).times(worth.usd); // prices of coins are of one: `per` is 1
  return {
    ...named,
    worth,
    usd,
    value: converted(usd, DOLLAR, into),
    change: change === undefined ? undefined : decimal(change),
  };
}

export function totalOf(positions: readonly Position[], into: Worth): Decimal {
  return converted(
    positions.reduce((all, { usd }) => all.plus(usd), ZERO),
    DOLLAR,
    into,
  );
}

/** The change of all together, of those whose own is known, and how much of the total those are. */
export function changeOf(positions: readonly Position[], total: Decimal) {
  const known = positions.flatMap(({ value, change }) => {
    const before = change && valueBefore(value, change);
    return before ? [{ value, before }] : [];
  });
  const now = sum(known.map(({ value }) => value));
  const before = sum(known.map((one) => one.before));
  return {
    change24hPercent: percentOf(sum([now, before.neg()]), before),
    changeCoversPercent: percentOf(now, total),
  };
}

/** Undefined after a loss of everything, which nothing worth something can have behind it. */
function valueBefore(value: Decimal, change: Decimal): Decimal | undefined {
  const factor = change.plus(100);
  return factor.gt(0) ? quotient(value.times(100), factor) : undefined;
}

/** In the fields of an answer. */
export function positionFields(
  { index, holding, coin, worth, usd, value, change }: Position,
  total: Decimal,
  into: Worth,
) {
  const { id, symbol, name } = coin;
  const cost = holding.cost === undefined ? undefined : decimal(holding.cost);
  const profit = cost && quotient(usd.times(into.per).minus(cost.times(into.usd)), into.usd);
  return {
    index,
    id,
    symbol,
    name,
    amount: decimalText(decimal(holding.amount)),
    price: decimalText(converted(ONE, worth, into)),
    value: decimalText(value),
    sharePercent: percentOf(value, total),
    change24hPercent: change ? percentNumber(change) : null,
    cost: cost ? decimalText(cost) : null,
    profit: profit ? decimalText(profit) : null,
    profitPercent: cost && profit ? percentOf(profit, cost) : null,
    ...originFieldsOf(worth.origin),
  };
}

/** The same of a holding that is no position. */
export function missingFields(index: number, { id, symbol, amount }: Holding, coin: RegistryEntry | Reason) {
  const isKnown = 'id' in coin;
  const { reason, message } = isKnown ? { reason: 'unpriced' as const, message: noPrice(coin.id) } : coin;
  return {
    index,
    id: isKnown ? coin.id : (id ?? null),
    symbol: symbol ?? null,
    amount: decimalText(decimal(amount)),
    reason,
    message,
  };
}
