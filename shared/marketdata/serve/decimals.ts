/** Amounts of money: decimal numbers of any size, rounded once. */
import Big from 'big.js';

/** The precision of IEEE 754's decimal128, which is more than any amount of money needs. */
const SIGNIFICANT_DIGITS = 34;
export const rounding = `${SIGNIFICANT_DIGITS} significant digits, half to even` as const;

/** The schema's pattern of an amount. It takes results down to 10^-30, so that they can be converted back. */
export const amountPattern = '^[0-9]{1,31}(\\.[0-9]{1,64})?$';
export const amountWords =
  'a text of decimal digits, up to 31 before and 64 after the point, without sign or exponent, such as 1.5';

/** A percentage with more than 15 digits before its point is meaningless, and JSON would write it with an exponent. */
const MAX_PERCENT = 1e15;
const PERCENT_PLACES = 4;

/** A constructor of our own: settings of other users of the package do not change how it rounds. */
const Decimal = Big();
// The quotients that are rounded have one digit before the point.
Decimal.DP = SIGNIFICANT_DIGITS - 1;
Decimal.RM = Decimal.roundHalfEven;

export type Decimal = Big;

/** A decimal from a text of decimal digits, or a number by its shortest text. Throws an Error if it is neither. */
export function decimal(value: string | number): Decimal {
  return new Decimal(String(value));
}

export const ZERO = decimal(0);
export const ONE = decimal(1);

/** `a / b`, rounded once. Throws if `b` is zero. */
export function quotient(a: Decimal, b: Decimal): Decimal {
  const one = shifted(a, -a.e);
  const other = shifted(b, -b.e);
  const shift = one.abs().lt(other) ? 1 : 0;
  return shifted(shifted(one, shift).div(other), a.e - b.e - shift);
}

/** The value with its point moved, which is exact. */
function shifted(value: Decimal, places: number): Decimal {
  return value.times(`1e${places}`);
}

/** The sum, rounded once, whatever the number of summands. */
export function sum(values: Iterable<Decimal>): Decimal {
  let total = ZERO;
  for (const value of values) total = total.plus(value);
  return total.prec(SIGNIFICANT_DIGITS);
}

/** The decimal's text, never with an exponent. */
export function decimalText(value: Decimal): string {
  return value.toFixed();
}

/** `part` in percent of `whole`; null if that is nothing. */
export function percentOf(part: Decimal, whole: Decimal): number | null {
  return whole.eq(0) ? null : percentNumber(quotient(part.times(100), whole));
}

/** The percentage with four decimals, and never -0; null beyond 10^15 percent. */
export function percentNumber(percent: Decimal): number | null {
  return percent.abs().gt(MAX_PERCENT) ? null : Number(percent.toFixed(PERCENT_PLACES)) + 0;
}
