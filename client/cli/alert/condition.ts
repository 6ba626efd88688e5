import { converted } from '../../commands/currency.ts';
import { formatPercent, formatPrice } from '../../commands/format/numbers.ts';
import { clean } from '../../commands/format/text.ts';
import { UsageError } from '../../commands/parse/words.ts';
import type { PriceResult } from '../../commands/result.ts';

export const periods = ['15m', '30m', '1h', '6h', '12h', '24h', '7d', '30d', '1y'] as const;
type Period = (typeof periods)[number];

const comparisons = {
  '>': { words: 'above', holds: (value: number, limit: number) => value > limit },
  '>=': { words: 'at or above', holds: (value: number, limit: number) => value >= limit },
  '<': { words: 'below', holds: (value: number, limit: number) => value < limit },
  '<=': { words: 'at or below', holds: (value: number, limit: number) => value <= limit },
} as const;
type Comparison = keyof typeof comparisons;

/** A condition on a price, or on its change over a period in percent. */
export interface Condition {
  /** The condition as typed, without spaces. */
  readonly text: string;
  readonly comparison: Comparison;
  readonly limit: number;
  /** Undefined if the limit is a price. */
  readonly period: Period | undefined;
}

const examples = "such as '>170000', '<=0.25', '24h>5%' or '24h<-5%'";
const PRICE = /^(?:\d+|\d{1,3}(?:[,_]\d{3})+)(?:\.\d+)?$|^\.\d+$/;

/** Reads a condition; throws UsageError with examples. A shell interprets an unquoted `>`, so the condition may arrive empty. */
export function conditionOf(words: readonly string[], symbol: string): Condition {
  const text = words.join('').replace(/\s+/g, '');
  if (text === '') throw new UsageError(`Missing condition; quote it: cprice alert ${symbol} '>170000'`);
  const [, period = '', comparison = '', limit = ''] = /^(\w*)([<>]=?)(.*)$/s.exec(text) ?? [];
  const known = Object.keys(comparisons).find((each): each is Comparison => each === comparison);
  if (!known) throw wrong(text, 'it needs one of > >= < <=');
  const isChange = period !== '' || limit.endsWith('%');
  if (!isChange) {
    if (!PRICE.test(limit)) throw wrong(text, `"${clean(limit)}" is not a price`);
    return { text, comparison: known, limit: Number(limit.replace(/[,_]/g, '')), period: undefined };
  }
  const [, percent] = /^([+-]?(?:\d+(?:\.\d+)?|\.\d+))%$/.exec(limit) ?? [];
  const over = periods.find((each) => each === period.toLowerCase());
  if (!over) throw wrong(text, `a change is over one of ${periods.join(', ')}`);
  if (percent === undefined) throw wrong(text, 'a change is in percent');
  return { text, comparison: known, limit: Number(percent), period: over };
}

function wrong(text: string, why: string): UsageError {
  return new UsageError(`Cannot read the condition "${clean(text)}": ${why}; ${examples}`);
}

type PricedCoin = Pick<PriceResult, 'prices' | 'conversion'>;

/** Whether the condition holds; undefined if the price or change is not known. */
export function holds({ comparison, limit, period }: Condition, { prices, conversion }: PricedCoin) {
  const usd = prices[0]?.data.quotes.USD;
  const value = period ? usd?.[`percent_change_${period}`] : converted(usd?.price ?? null, conversion);
  return typeof value === 'number' && Number.isFinite(value)
    ? comparisons[comparison].holds(value, limit)
    : undefined;
}

/** `above $170,000.00`, or `24h +5.31%, above +5.00%`. */
export function conditionText(
  { comparison, limit, period }: Condition,
  { prices, conversion }: PricedCoin,
): string {
  const { words } = comparisons[comparison];
  if (!period) return `${words} ${formatPrice(limit, conversion?.currency)}`;
  const change = prices[0]?.data.quotes.USD[`percent_change_${period}`];
  return `${period} ${formatPercent(change)}, ${words} ${formatPercent(limit)}`;
}
