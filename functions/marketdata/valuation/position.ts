import type { TickerAtHand } from '../../../shared/marketdata/at-hand.ts';
import type { RegistryEntry } from '../../../shared/registry/types.ts';
import {
  type Decimal,
  decimal,
  decimalText,
  ONE,
  percentOf,
  quotient,
  sum,
  toldPercent,
} from '../money/decimal.ts';
import { converted, toldOrigin, type Worth, worthOfCoin } from '../money/worth.ts';
import type { Holding } from './holding.ts';

/** A holding with a price. */
export interface Priced {
  readonly index: number;
  readonly holding: Holding;
  readonly coin: RegistryEntry;
  readonly worth: Worth;
  readonly value: Decimal;
  /** Of its price in 24 hours, in percent. */
  readonly change: Decimal | undefined;
}

/** Undefined if the coin's price is not at hand. */
export function pricedOf(
  given: Pick<Priced, 'index' | 'holding' | 'coin'>,
  found: TickerAtHand | undefined,
  into: Worth,
): Priced | undefined {
  const worth = worthOfCoin(found);
  if (!worth) return undefined;
  const change = found?.ticker.quotes.USD.percent_change_24h ?? undefined;
  return {
    ...given,
    worth,
    value: converted(decimal(given.holding.amount), worth, into),
    change: change === undefined ? undefined : decimal(change),
  };
}

export function positionOf(
  { index, holding, coin, worth, value, change }: Priced,
  total: Decimal,
  into: Worth,
) {
  const { id, symbol, name } = coin;
  const cost = holding.cost === undefined ? undefined : decimal(holding.cost);
  const profit = cost && sum([value, cost.neg()]);
  return {
    index,
    id,
    symbol,
    name,
    amount: decimalText(decimal(holding.amount)),
    price: decimalText(converted(ONE, worth, into)),
    value: decimalText(value),
    sharePercent: percentOf(value, total),
    change24hPercent: change ? toldPercent(change) : null,
    cost: cost ? decimalText(cost) : null,
    profit: profit ? decimalText(profit) : null,
    profitPercent: cost && profit ? percentOf(profit, cost) : null,
    ...toldOrigin(worth.origin),
  };
}

/** The change of all together, of those whose own is known, and how much of the total those are. */
export function changeOf(positions: readonly Priced[], total: Decimal) {
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
