import { UsageError } from '../../commands/parse/usage-error.ts';
import { type Decimal, decimalOf } from '../decimal.ts';

/** What was typed behind `hold`. */
export interface HoldExpression {
  readonly symbol: string;
  /** `set` for an amount without a sign. */
  readonly change: 'set' | 'add' | 'take';
  readonly amount: Decimal;
  /** Of one; undefined if none was typed. */
  readonly price: Decimal | undefined;
}

/** The words of `BTC 0.5 @ 60000`, `BTC +0.1@65000` or `BTC -0.1`. Throws UsageError. */
export function expressionOf(words: readonly string[]): HoldExpression {
  const [symbol = '', ...rest] = words;
  const text = rest.join('');
  if (text === '') throw new UsageError(`How many ${symbol}? ${examples}`);
  const [, sign = '', amount = '', price] = /^([+-]?)([^@]*)(?:@(.*))?$/s.exec(text) ?? [];
  const change = sign === '' ? 'set' : sign === '+' ? 'add' : 'take';
  if (change === 'take' && price !== undefined)
    throw new UsageError('What is taken away keeps its average cost: leave out the price');
  const read = {
    symbol,
    change,
    amount: numberOf(amount),
    price: price === undefined ? price : numberOf(price),
  } as const;
  if (change !== 'set' && read.amount.units === 0n) throw new UsageError('Nothing would change by 0');
  return read;
}

const examples = 'For example: marketdata hold BTC 0.5 @ 60000';

function numberOf(text: string): Decimal {
  const number = decimalOf(text.startsWith('.') ? `0${text}` : text);
  if (!number) {
    const hint = /\d,\d/.test(text) ? ' (a point before the decimals, no commas)' : '';
    throw new UsageError(`"${text}" is no decimal${hint}. ${examples}`);
  }
  return number;
}
