import Big from 'big.js';
import { UsageError } from '../commands/parse/words.ts';
import { type Holding, isDecimal } from '../commands/portfolio-file.ts';
import { currencyOf } from './worth.ts';

/** Exact decimals; quotients have 18 of them, rounded half away from zero. */
const Decimal = Big();
Decimal.DP = 18;
Decimal.RM = Decimal.roundHalfUp;

/** The words after `hold`. */
interface HoldExpression {
  readonly symbol: string;
  /** `set` for an amount without a sign. */
  readonly change: 'set' | 'add' | 'take';
  readonly amount: Big;
  /** The price of one coin; undefined if none was typed. */
  readonly price: Big | undefined;
}

const examples = 'For example: marketdata hold BTC 0.5 @ 60000';

/** Parses `BTC 0.5 @ 60000`, `BTC +0.1@65000` or `BTC -0.1`. Throws UsageError. */
export function expressionOf(words: readonly string[]): HoldExpression {
  const [symbol = '', ...rest] = words;
  const text = rest.join('');
  if (text === '') throw new UsageError(`How many ${symbol}? ${examples}`);
  const [, sign = '', typed = '', price] = /^([+-]?)([^@]*)(?:@(.*))?$/s.exec(text) ?? [];
  const change = sign === '' ? 'set' : sign === '+' ? 'add' : 'take';
  if (change === 'take' && price !== undefined)
    throw new UsageError('What is taken away keeps its average cost: leave out the price');
  const amount = decimalIn(typed);
  if (change !== 'set' && amount.eq(0)) throw new UsageError('Nothing would change by 0');
  return { symbol, change, amount, price: price === undefined ? undefined : decimalIn(price) };
}

function decimalIn(typed: string): Big {
  const text = typed.startsWith('.') ? `0${typed}` : typed;
  if (isDecimal(text)) return new Decimal(text);
  const hint = /\d,\d/.test(typed) ? ' (a point before the decimals, no commas)' : '';
  throw new UsageError(`"${typed}" is no decimal${hint}. ${examples}`);
}

/**
 * A holding after a change, in exact decimals; undefined if nothing is left. Buying adds its cost, so the average is
 * weighted. Selling leaves the average unchanged, to 18 decimals. Throws UsageError.
 */
export function changedHolding(
  id: string,
  former: Holding | undefined,
  { change, amount, price }: Pick<HoldExpression, 'change' | 'amount' | 'price'>,
  currency: string,
): Holding | undefined {
  const cost = price && amount.times(price);
  if (change === 'take') return lessOf(id, former, amount);
  if (change === 'add' && former) return moreOf(former, amount, cost, currency);
  if (amount.eq(0)) return undefined;
  const { amount: _amount, cost: _cost, currency: _currency, ...rest } = former ?? {};
  const paid = cost && { cost: cost.toFixed(), currency: currency.toLowerCase() };
  return { ...rest, id, amount: amount.toFixed(), ...paid };
}

/** The average cost of one coin; undefined if unknown. */
export function averageCost({ amount, cost }: Holding): string | undefined {
  return cost === undefined ? undefined : new Decimal(cost).div(amount).toFixed();
}

function moreOf(former: Holding, amount: Big, cost: Big | undefined, currency: string): Holding {
  const total = amount.plus(former.amount).toFixed();
  if (former.cost === undefined && cost === undefined) return { ...former, amount: total };
  if (former.cost === undefined)
    throw new UsageError(`What you have of ${former.id} has no cost yet: set all of it at its average price`);
  if (cost === undefined)
    throw new UsageError(`Say what it cost, as in +${amount.toFixed()} @ 65000; @ 0 for a gift`);
  const [kept, given] = [currencyOf(former), currency.toUpperCase()];
  if (kept !== given)
    throw new UsageError(`The cost of ${former.id} is in ${kept}, not in ${given}: add --currency ${kept}`);
  return { ...former, amount: total, cost: cost.plus(former.cost).toFixed() };
}

function lessOf(id: string, former: Holding | undefined, amount: Big): Holding | undefined {
  const held = new Decimal(former?.amount ?? 0);
  const left = held.minus(amount);
  if (!former || left.lt(0))
    throw new UsageError(`You have ${held.toFixed()} of ${id}, not ${amount.toFixed()}`);
  if (left.eq(0)) return undefined;
  const cost = former.cost === undefined ? {} : { cost: left.times(former.cost).div(held).toFixed() };
  return { ...former, amount: left.toFixed(), ...cost };
}
