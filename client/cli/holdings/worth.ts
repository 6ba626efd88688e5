import type { Conversion } from '../../commands/currency/conversion.ts';
import type { Holding } from '../config/config.ts';
import { currencyOf } from './change.ts';

/** What a holding is worth, in the currency that is shown. Numbers to be shown, not to be kept. */
export interface Worth {
  /** As it was typed. */
  readonly amount: string;
  /** Null without a price. */
  readonly value: number | null;
  /** Null if the cost is not known, or the rate of its currency. */
  readonly cost: number | null;
  /** The currency of the cost, if it is another than the one shown: the cost is told at the latest rate then. */
  readonly convertedFrom: string | undefined;
}

/** Of a US dollar, by the code of a currency in capitals. */
export type Rates = ReadonlyMap<string, number>;

/** `price` in US dollars. */
export function worthOf(
  holding: Holding,
  price: number | null,
  rates: Rates,
  conversion: Conversion | undefined,
): Worth {
  const rate = conversion?.rate ?? 1;
  const shown = conversion?.currency ?? 'USD';
  const paid = currencyOf(holding);
  const paidRate = paid === shown ? rate : rates.get(paid);
  return {
    amount: holding.amount,
    value: price === null ? null : Number(holding.amount) * price * rate,
    cost:
      holding.cost === undefined || paidRate === undefined ? null : (Number(holding.cost) / paidRate) * rate,
    convertedFrom: holding.cost === undefined || paid === shown || paidRate === undefined ? undefined : paid,
  };
}

/** Null if value or cost is not known. */
export function profitOf({ value, cost }: Pick<Worth, 'value' | 'cost'>): number | null {
  return value === null || cost === null ? null : value - cost;
}

/** In percent of the cost; null without one, and if it is 0. */
export function profitPercentOf(worth: Pick<Worth, 'value' | 'cost'>): number | null {
  const profit = profitOf(worth);
  return profit === null || !worth.cost ? null : (profit / worth.cost) * 100;
}

export interface Sum {
  /** Of all that have a price. */
  readonly value: number;
  readonly priced: number;
  /** Of those whose value and cost are both known. */
  readonly profit: number | null;
  readonly profitPercent: number | null;
  /** How many of all count towards the profit. */
  readonly withCost: number;
  readonly count: number;
  /** The currencies of costs that are told in another one. */
  readonly convertedFrom: readonly string[];
}

/** Undefined without holdings. */
export function sumOf(worths: readonly Worth[]): Sum | undefined {
  if (worths.length === 0) return undefined;
  const complete = worths.flatMap(({ value, cost }) =>
    value === null || cost === null ? [] : [{ value, cost }],
  );
  const both = {
    value: complete.reduce((sum, { value }) => sum + value, 0),
    cost: complete.reduce((sum, { cost }) => sum + cost, 0),
  };
  return {
    value: worths.reduce((sum, { value }) => sum + (value ?? 0), 0),
    priced: worths.filter(({ value }) => value !== null).length,
    profit: complete.length === 0 ? null : profitOf(both),
    profitPercent: complete.length === 0 ? null : profitPercentOf(both),
    withCost: complete.length,
    count: worths.length,
    convertedFrom: [...new Set(worths.flatMap(({ convertedFrom = [] }) => convertedFrom))],
  };
}
