/** Conversion of figures in US dollars into another unit, with the digits that both have. */

export interface UnitRate {
  /** The number of units in a US dollar. */
  readonly perDollar: number;
  /** The significant digits of the rate. */
  readonly digits: number;
}

export const DOLLARS: UnitRate = { perDollar: 1, digits: Number.POSITIVE_INFINITY };

/** A number without its trailing zeros does not tell how exact it is: figures count as at least this exact. */
const LEAST_DIGITS = 5;

/** The significant digits of a decimal text or a number. */
export function digitsOf(figures: string | number): number {
  const [mantissa = ''] = String(figures).split('e');
  return Math.max(LEAST_DIGITS, mantissa.replace('.', '').replace(/^-?0*/, '').length);
}

/** As many significant digits as the less exact of figure and rate has; null stays null. */
export function inCurrency<Figure extends number | null>(dollars: Figure, rate: UnitRate): Figure {
  const { perDollar, digits } = rate;
  if (dollars === null || (perDollar === 1 && digits === DOLLARS.digits)) return dollars;
  const figure = dollars * perDollar;
  return Number(figure.toPrecision(Math.min(digits, digitsOf(dollars)))) as Figure;
}
