import type { TickerAtHand } from '../../../shared/marketdata/at-hand.ts';
import type { RegistryEntry } from '../../../shared/registry/entries.ts';
import {
  type Decimal,
  decimal,
  decimalText,
  ONE,
  percentOf,
  quotient,
  sum,
  toldPercent,
  ZERO,
} from '../money/decimal.ts';
import { converted, DOLLAR, toldOrigin, type Worth, worthOfCoin } from '../money/worth.ts';
import type { Holding } from './holding.ts';

/** A holding with a price. */
export interface Priced {
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

/** Undefined if the coin's price is not at hand. */
export function pricedOf(
  given: Pick<Priced, 'index' | 'holding' | 'coin'>,
  found: TickerAtHand | undefined,
  into: Worth,
): Priced | undefined {
  const worth = worthOfCoin(found);
  if (!worth) return undefined;
  const change = found?.ticker.quotes.USD.percent_change_24h ?? undefined;
  const usd = decimal(given.holding.amount).times(worth.usd); // prices of coins are of one: `per` is 1
  return {
    ...given,
    worth,
    usd,
    value: converted(usd, DOLLAR, into),
    change: change === undefined ? undefined : decimal(change),
  };
}

export function totalOf(positions: readonly Priced[], into: Worth): Decimal {
  return converted(
    positions.reduce((all, { usd }) => all.plus(usd), ZERO),
    DOLLAR,
    into,
  );
}

export function positionOf(
  { index, holding, coin, worth, usd, value, change }: Priced,
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
