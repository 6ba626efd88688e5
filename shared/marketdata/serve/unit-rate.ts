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

/** The significant digits of a decimal text or a number. Counts in place: a year of candles asks for a thousand. */
export function digitsOf(figures: string | number): number {
  const text = String(figures);
  let digits = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === EXPONENT) break;
    const isDigit = code >= ZERO && code <= ZERO + 9;
    if (isDigit && (digits > 0 || code > ZERO)) digits += 1;
  }
  return Math.max(LEAST_DIGITS, digits);
}

const ZERO = '0'.charCodeAt(0);
const EXPONENT = 'e'.charCodeAt(0);

/** As many significant digits as the less exact of figure and rate has; null stays null. */
export function inCurrency<Figure extends number | null>(dollars: Figure, rate: UnitRate): Figure {
  const { perDollar, digits } = rate;
  if (dollars === null || (perDollar === 1 && digits === DOLLARS.digits)) return dollars;
  const least = digits === LEAST_DIGITS ? digits : Math.min(digits, digitsOf(dollars));
  return rounded(dollars * perDollar, least) as Figure;
}

/** As `toPrecision`, in a sixth of its time where the figure's power of ten is exact. */
function rounded(figure: number, digits: number): number {
  const places = digits - 1 - Math.floor(Math.log10(Math.abs(figure)));
  if (digits > MOST_EXACT_DIGITS || !(Math.abs(places) <= MOST_EXACT_PLACES))
    return Number(figure.toPrecision(digits));
  const power = POWERS[Math.abs(places)] ?? 1;
  return places > 0 ? Math.round(figure * power) / power : Math.round(figure / power) * power;
}

/** A whole number of that many digits times a power of ten below 10^10 is exact, and so is its quotient by one, once rounded. */
const MOST_EXACT_DIGITS = 6;
const MOST_EXACT_PLACES = 10;
const POWERS = Array.from({ length: MOST_EXACT_PLACES + 1 }, (_, places) => 10 ** places);
