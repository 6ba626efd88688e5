import { UsageError } from '../commands/parse/words.ts';
import { MAX_HOLDINGS } from '../commands/portfolio-file.ts';
import type { Api } from '../commands/provenance.ts';
import type { Holding } from './config/config.ts';

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

const ZERO: Decimal = { units: 0n, scale: 0 };
/** Of a cost without a currency. */
const DOLLAR = 'usd';

type Change = Pick<HoldExpression, 'change' | 'amount' | 'price'>;

/**
 * A holding after a change, in exact decimals; undefined if nothing is left. What is added adds its cost, so the average is
 * weighted. What is taken away leaves the average as it is, to 18 decimals. Throws UsageError.
 */
export function changedHolding(
  id: string,
  former: Holding | undefined,
  { change, amount, price }: Change,
  currency: string,
): Holding | undefined {
  const cost = price && times(amount, price);
  if (change === 'set') {
    const { amount: _amount, cost: _cost, currency: _currency, ...rest } = former ?? {};
    return holdingOf({ ...rest, id }, amount, cost, currency);
  }
  if (change === 'add') {
    if (!former) return holdingOf({ id }, amount, cost, currency);
    return added(former, amount, cost, currency);
  }
  return taken(id, former, amount);
}

/** What one cost on average; undefined if it is not known. */
export function averageCost({ amount, cost }: Holding): string | undefined {
  return cost === undefined ? undefined : textOf(dividedBy(known(cost), known(amount)));
}

/** The currency of a holding's cost, in capitals. */
export function currencyOf({ currency = DOLLAR }: Holding): string {
  return currency.toUpperCase();
}

function added(former: Holding, amount: Decimal, cost: Decimal | undefined, currency: string) {
  const total = plus(known(former.amount), amount);
  if (former.cost === undefined && cost === undefined) return { ...former, amount: textOf(total) };
  if (former.cost === undefined)
    throw new UsageError(`What you have of ${former.id} has no cost yet: set all of it at its average price`);
  if (cost === undefined)
    throw new UsageError(`Say what it cost, as in +${textOf(amount)} @ 65000; @ 0 for a gift`);
  if (currencyOf(former) !== currency.toUpperCase()) {
    const kept = currencyOf(former);
    throw new UsageError(
      `The cost of ${former.id} is in ${kept}, not in ${currency.toUpperCase()}: add --currency ${kept}`,
    );
  }
  return { ...former, amount: textOf(total), cost: textOf(plus(known(former.cost), cost)) };
}

function taken(id: string, former: Holding | undefined, amount: Decimal): Holding | undefined {
  const held = former ? known(former.amount) : ZERO;
  const left = minus(held, amount);
  if (!former || left.units < 0n)
    throw new UsageError(`You have ${textOf(held)} of ${id}, not ${textOf(amount)}`);
  if (left.units === 0n) return undefined;
  if (former.cost === undefined) return { ...former, amount: textOf(left) };
  const cost = dividedBy(times(known(former.cost), left), held);
  return { ...former, amount: textOf(left), cost: textOf(cost) };
}

function holdingOf(
  rest: Pick<Holding, 'id'>,
  amount: Decimal,
  cost: Decimal | undefined,
  currency: string,
): Holding | undefined {
  if (amount.units === 0n) return undefined;
  const priced = cost && { cost: textOf(cost), currency: currency.toLowerCase() };
  return { ...rest, amount: textOf(amount), ...priced };
}

/** Of a text that was checked when it was read. */
function known(text: string): Decimal {
  return decimalOf(text) ?? ZERO;
}

/** What a holding is worth by the service's decimals, in the currency that is shown. Null: not known. */
export interface Worth {
  /** As it was typed. */
  readonly amount: string;
  readonly value: number | null;
  readonly cost: number | null;
  readonly profit: number | null;
  readonly profitPercent: number | null;
  /** The currency of the cost, if it was converted from another one at the latest rate. */
  readonly convertedFrom: string | undefined;
}

/** Of a US dollar, by the code of a currency in capitals. */
export type Rates = ReadonlyMap<string, number>;
export type Worths = ReadonlyMap<string, Worth>;

/** The worth of each holding by its coin's id; without a value where the service has none. Never rejects. */
export async function worthsOf(
  holdings: readonly Holding[],
  rates: Rates,
  currency: string,
  api: Api,
): Promise<Worths> {
  const worths = new Map<string, Worth>();
  for (let at = 0; at < holdings.length; at += MAX_HOLDINGS) {
    const page = holdings.slice(at, at + MAX_HOLDINGS).map((holding) => costIn(currency, holding, rates));
    const asked = page.map(({ holding: { id, amount }, cost }) => ({ id, amount, ...(cost && { cost }) }));
    const positions = await api.valuation({ currency, holdings: asked }).then(
      ({ data }) => data.positions,
      () => [],
    );
    for (const [index, { holding, cost, convertedFrom }] of page.entries()) {
      const position = positions.find((each) => each.index === index);
      worths.set(holding.id, {
        amount: holding.amount,
        value: position ? Number(position.value) : null,
        cost: cost === undefined ? null : Number(cost),
        profit: position && position.profit !== null ? Number(position.profit) : null,
        profitPercent: position?.profitPercent ?? null,
        convertedFrom,
      });
    }
  }
  return worths;
}

/** A holding's cost in another currency; left out without a rate. */
function costIn(currency: string, holding: Holding, rates: Rates) {
  const paid = currencyOf(holding);
  if (holding.cost === undefined || paid === currency) return { holding, cost: holding.cost };
  const [from, to] = [rates.get(paid), rates.get(currency)];
  if (from === undefined || to === undefined) return { holding };
  return { holding, cost: ((Number(holding.cost) / from) * to).toFixed(8), convertedFrom: paid };
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
  /** The currencies that costs were converted from. */
  readonly convertedFrom: readonly string[];
}

/** Undefined without holdings. */
export function sumOf(worths: readonly Worth[]): Sum | undefined {
  if (worths.length === 0) return undefined;
  const complete = worths.filter(({ profit }) => profit !== null);
  const [profit, cost] = [total(complete, 'profit'), total(complete, 'cost')];
  return {
    value: total(worths, 'value'),
    priced: worths.filter(({ value }) => value !== null).length,
    profit: complete.length === 0 ? null : profit,
    profitPercent: cost === 0 ? null : (profit / cost) * 100,
    withCost: complete.length,
    count: worths.length,
    convertedFrom: [...new Set(worths.flatMap(({ convertedFrom = [] }) => convertedFrom))],
  };
}

/** To the hundred-millionth, so that amounts of cents add up to cents. */
function total(worths: readonly Worth[], field: 'value' | 'cost' | 'profit'): number {
  return Number(worths.reduce((sum, worth) => sum + (worth[field] ?? 0), 0).toFixed(8));
}

/** A decimal without rounding: `units` times ten to the power of minus `scale`. */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

const MAX_DIGITS = 100;
const DIVISION_SCALE = 18;
const pattern = /^(\d+)(?:\.(\d+))?$/;

/** Of digits with a point, without sign and exponent; undefined for anything else, and for more than 100 digits. */
export function decimalOf(text: string): Decimal | undefined {
  const [, whole, fraction = ''] = pattern.exec(text) ?? [];
  if (whole === undefined || whole.length + fraction.length > MAX_DIGITS) return undefined;
  return shortest({ units: BigInt(whole + fraction), scale: fraction.length });
}

export function textOf({ units, scale }: Decimal): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const fraction = scale === 0 ? '' : `.${digits.slice(-scale)}`;
  return `${units < 0n ? '-' : ''}${whole}${fraction}`;
}

export function plus(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return shortest({ units: unitsAt(a, scale) + unitsAt(b, scale), scale });
}

export function minus(a: Decimal, b: Decimal): Decimal {
  return plus(a, { ...b, units: -b.units });
}

export function times(a: Decimal, b: Decimal): Decimal {
  return shortest({ units: a.units * b.units, scale: a.scale + b.scale });
}

/** To 18 decimals, half away from zero. */
export function dividedBy(a: Decimal, b: Decimal): Decimal {
  const numerator = a.units * 10n ** BigInt(DIVISION_SCALE + b.scale + 1);
  const tenfold = numerator / (b.units * 10n ** BigInt(a.scale));
  const half = tenfold < 0n ? -5n : 5n;
  return shortest({ units: (tenfold + half) / 10n, scale: DIVISION_SCALE });
}

function unitsAt({ units, scale }: Decimal, wanted: number): bigint {
  return units * 10n ** BigInt(wanted - scale);
}

function shortest({ units, scale }: Decimal): Decimal {
  let [left, decimals] = [units, scale];
  while (decimals > 0 && left % 10n === 0n) {
    left /= 10n;
    decimals -= 1;
  }
  return { units: left, scale: decimals };
}
