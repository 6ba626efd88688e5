import { currencies, DOLLAR } from '../currency.ts';

/** Stands for a number that the provider does not know. */
export const NOT_AVAILABLE = 'n/a';

/** `btc`, or a currency by its ISO 4217 code, in any case. */
export type Quote = string;

type Maybe = number | null | undefined;

const SIGNIFICANT_DIGITS = 4;
/** Smaller prices are written with an exponent: nobody counts that many zeros. */
const SMALLEST_DECIMAL = 1e-12;

/**
 * A price with thousands separators: whole units from a million on, cents from 10 on, four decimals at most from
 * 1 on, four significant digits below. At least two decimals below a million; `n/a` for NaN and infinity. Of a currency
 * without cents, whole units from a thousand on, and no zeros at the end.
 */
export function formatPrice(price: Maybe, quote: Quote = DOLLAR): string {
  if (!isNumber(price)) return NOT_AVAILABLE;
  const sign = price < 0 ? '-' : '';
  const size = Math.abs(price);
  if (quote === 'btc') return `${sign}${priceDigits(size, 2)} BTC`;
  const { prefix, decimals } = notationOf(quote);
  return `${sign}${prefix}${priceDigits(size, decimals)}`;
}

/** The digits of a price without its currency, whose coins have so many decimals. */
function priceDigits(size: number, decimals: number): string {
  if (size > 0 && size < SMALLEST_DECIMAL) return size.toExponential(SIGNIFICANT_DIGITS - 1);
  if (size >= 999_999.5 || (decimals === 0 && size >= 999.95)) return grouped(size.toFixed(0));
  const shown = size >= 9.99995 ? 2 : size === 0 ? decimals : decimalsOf(size);
  return grouped(withoutEndZeros(size.toFixed(shown), decimals));
}

/** Decimals that show four significant digits of a price below 10. */
function decimalsOf(size: number): number {
  return size >= 1 ? 4 : SIGNIFICANT_DIGITS - 1 - Math.floor(Math.log10(size));
}

/** The prices of an axis, ascending or descending, with as few decimals as tell them apart. */
export function axisDigits(prices: readonly number[]): string[] {
  const [first = 0, second] = prices;
  if (second === undefined) return prices.map((price) => priceDigits(price, 2));
  const step = Math.abs(second - first);
  const decimals = Math.min(20, Math.max(0, 1 - Math.floor(Math.log10(step))));
  // A step of 0.5 or 0.02 is exact with one digit less.
  const isRound = Math.abs(step * 10 ** (decimals - 1) - Math.round(step * 10 ** (decimals - 1))) < 1e-9;
  const shown = decimals > 0 && isRound ? decimals - 1 : decimals;
  return prices.map((price) => `${price < 0 ? '-' : ''}${grouped(Math.abs(price).toFixed(shown))}`);
}

/** `$1.23T`, `€45.60B`, `¥7.00M`, `$8.90K`; below a thousand as a price. */
export function formatAmount(amount: Maybe, currency: string = DOLLAR): string {
  if (!isNumber(amount)) return NOT_AVAILABLE;
  const size = Math.abs(amount);
  // 999,995 rounds to 1000.00K, so the unit is chosen after rounding.
  const unit = units.find(({ from }) => size >= from * 0.999995);
  if (!unit) return formatPrice(amount, currency);
  const { prefix } = notationOf(currency);
  return `${amount < 0 ? '-' : ''}${prefix}${grouped((size / unit.from).toFixed(2))}${unit.letter}`;
}

const units = [
  { from: 1e12, letter: 'T' },
  { from: 1e9, letter: 'B' },
  { from: 1e6, letter: 'M' },
  { from: 1e3, letter: 'K' },
] as const;

/** `+2.31%`, `-0.45%`, `0.00%`. */
export function formatPercent(percent: Maybe): string {
  if (!isNumber(percent)) return NOT_AVAILABLE;
  const digits = grouped(Math.abs(percent).toFixed(2));
  const sign = Number(percent.toFixed(2)) === 0 ? '' : percent < 0 ? '-' : '+';
  return `${sign}${digits}%`;
}

export function formatCount(count: number): string {
  return grouped(String(count));
}

function isNumber(value: Maybe): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function grouped(digits: string): string {
  const [whole = '', decimals] = digits.split('.');
  const separated = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return decimals === undefined ? separated : `${separated}.${decimals}`;
}

/** Keeps so many decimals: with two, prices of 1 and 0.5 are 1.00 and 0.50. */
function withoutEndZeros(digits: string, decimals: number): string {
  const [whole = '', fraction = ''] = digits.split('.');
  const kept = fraction.replace(/0+$/, '').padEnd(Math.min(decimals, fraction.length), '0');
  return kept === '' ? whole : `${whole}.${kept}`;
}

/** How amounts of a currency are written. */
export interface Notation {
  /** In front of the digits, with a space behind letters: `€`, `CHF `. */
  readonly prefix: string;
  /** Of its smallest coin: 2 for cents, 0 for yen. */
  readonly decimals: number;
}

type Display = 'narrowSymbol' | 'symbol';

const known = new Map<string, Notation>();

/** The notation of a currency by its ISO 4217 code, in any case. */
export function notationOf(code: string): Notation {
  let notation = known.get(code);
  if (!notation) {
    const symbol = symbolOf(code);
    notation = {
      prefix: /\p{L}$/u.test(symbol) ? `${symbol} ` : symbol,
      decimals: formatOf(code, 'symbol').resolvedOptions().maximumFractionDigits ?? 2,
    };
    known.set(code, notation);
  }
  return notation;
}

/**
 * The short symbol, unless it would be taken for another currency's: `$` is six currencies', `kr` four. Then the longer
 * one, of which there is one each: `CA$`, `SEK`.
 */
function symbolOf(code: string): string {
  const short = symbolIn(code, 'narrowSymbol');
  const isShared = currencies.some(
    (other) => other !== code.toLowerCase() && symbolIn(other, 'narrowSymbol') === short,
  );
  return isShared ? symbolIn(code, 'symbol') : short;
}

function symbolIn(code: string, display: Display): string {
  return (
    formatOf(code, display)
      .formatToParts(0)
      .find(({ type }) => type === 'currency')?.value ?? code
  );
}

function formatOf(currency: string, currencyDisplay: Display): Intl.NumberFormat {
  return new Intl.NumberFormat('en-US', { style: 'currency', currency, currencyDisplay });
}
