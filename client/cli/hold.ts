import Big from 'big.js';
import { coinTitle } from '../commands/coins.ts';
import { DOLLAR } from '../commands/currency.ts';
import { formatPrice } from '../commands/format/numbers.ts';
import { UsageError } from '../commands/parse/words.ts';
import { type Holding, isDecimal } from '../commands/portfolio-file.ts';
import { coinNamed } from '../commands/run.ts';
import { type Config, updateConfig } from './config/config.ts';
import type { RunOwn } from './print.ts';
import { spinning } from './wait.ts';
import { currencyFor, listOf } from './watch/list.ts';
import { currencyOf } from './worth.ts';

/** `marketdata hold BTC 0.5 @ 60000`; without words it lists the holdings. */
export const runHold: RunOwn = async ({ positional: words, values }, session, terminal) => {
  const { interrupt, stdout, stderr, env } = terminal;
  const { config, format } = session.settings;
  const currency = currencyFor(values, session.settings);
  if (words.length === 0 && !config.holdings?.length) {
    stderr.write('You hold nothing yet. For example: marketdata hold BTC 0.5 @ 60000\n');
    if (format === 'json') stdout.write('[]\n');
    return 0;
  }
  if (words.length === 0) {
    const list = await spinning(listOf(currency, session, env)(interrupt), stderr, env);
    if (list.kind === 'failure') return list;
    return { ...list, isDefault: false, rows: list.rows.filter(({ worth }) => worth) };
  }
  const expression = expressionOf(words);
  const coin = await spinning(coinNamed(expression.symbol, session.contextOf(interrupt)), stderr, env);
  if ('kind' in coin) return coin;
  const { id } = coin;
  const next = await updateConfig(env, (before) => withHolding(before, id, expression, currency ?? DOLLAR));
  const holding = next.holdings?.find((held) => held.id === id);
  stdout.write(`${coinTitle(coin)}: ${holding ? holdingText(holding) : 'nothing held'}\n`);
  return 0;
};

/** Throws UsageError. */
function withHolding(config: Config, id: string, expression: HoldExpression, currency: string): Config {
  const { holdings = [] } = config;
  const former = holdings.find((held) => held.id === id);
  const next = changedHolding(id, former, expression, currency);
  const others = former ? holdings : [...holdings, { id, amount: '0' }];
  return {
    ...config,
    holdings: others.flatMap((held) => (held.id === id ? (next ?? []) : held)),
  };
}

/** `0.6, cost $36,500.00 ($60,833.33 each)`. */
function holdingText(holding: Holding): string {
  const average = averageCost(holding);
  if (!average) return holding.amount;
  const currency = currencyOf(holding);
  const priceOf = (decimal: string) => formatPrice(Number(decimal), currency);
  return `${holding.amount}, cost ${priceOf(holding.cost ?? '')} (${priceOf(average)} each)`;
}

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
    throw new UsageError('The rest keeps its average cost: leave out the price');
  const amount = decimalIn(typed);
  if (change !== 'set' && amount.eq(0)) throw new UsageError('An amount of 0 changes nothing');
  return { symbol, change, amount, price: price === undefined ? undefined : decimalIn(price) };
}

function decimalIn(typed: string): Big {
  const text = typed.startsWith('.') ? `0${typed}` : typed;
  if (isDecimal(text)) return new Decimal(text);
  const hint = /\d,\d/.test(typed) ? ' (a point before the decimals, no commas)' : '';
  throw new UsageError(`"${typed}" is not a decimal${hint}. ${examples}`);
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
    throw new UsageError(`Your ${former.id} has no cost yet: set the whole amount at its average price`);
  if (cost === undefined)
    throw new UsageError(`Add its price, as in +${amount.toFixed()} @ 65000; @ 0 for a gift`);
  const kept = currencyOf(former);
  const given = currency.toUpperCase();
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
