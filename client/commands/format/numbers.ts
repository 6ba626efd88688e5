import { DOLLAR } from '../currency.ts';
import type { Tone } from './text.ts';

/** Shown for a number that the provider does not know. */
export const NOT_AVAILABLE = 'n/a';

/** `btc`, or a currency by its ISO 4217 code, in any case. */
export type Quote = string;

type Maybe = number | null | undefined;

/** Smaller prices are written with an exponent: that many zeros are unreadable. */
const SMALLEST_DECIMAL = 1e-12;
const MAX_DECIMALS = 20;

/**
 * A price with thousands separators: whole units from a million on, cents from 10 on, at most four decimals from 1 on,
 * and four significant digits below. At least two decimals below a million; `n/a` for NaN and infinity. A currency
 * without cents has whole units from a thousand on, and no trailing zeros; one with a thousand parts has three decimals.
 */
export function formatPrice(price: Maybe, quote: Quote = DOLLAR): string {
  if (!isNumber(price)) return NOT_AVAILABLE;
  const sign = price < 0 ? '-' : '';
  if (quote === 'btc') return `${sign}${priceDigits(Math.abs(price), 2)} BTC`;
  const { prefix, decimals } = notationOf(quote);
  return `${sign}${prefix}${priceDigits(Math.abs(price), decimals)}`;
}

/** The digits of a price without its currency; `decimals` are the currency's own. */
function priceDigits(size: number, decimals: number): string {
  if (size > 0 && size < SMALLEST_DECIMAL) return size.toExponential(3);
  if (size >= 999_999.5 || (decimals === 0 && size >= 999.95)) return digits(size, 0);
  const most =
    size >= 9.99995
      ? Math.max(2, decimals)
      : size === 0
        ? decimals
        : size >= 1
          ? 4
          : 3 - Math.floor(Math.log10(size));
  return digits(size, Math.min(decimals, most), most);
}

/** A sum of money as people count it: with cents from 1 on, or the smaller parts that the currency has. */
export function formatMoney(value: Maybe, currency: string = DOLLAR): string {
  if (!isNumber(value) || Math.abs(value) < 1) return formatPrice(value, currency);
  const parts = 10 ** Math.max(2, notationOf(currency).decimals);
  return formatPrice(Math.round(value * parts) / parts, currency);
}

/** The prices of an axis, ascending or descending, with as few decimals as distinguish them. */
export function axisDigits(prices: readonly number[]): string[] {
  const [first = 0, second] = prices;
  if (second === undefined) return prices.map((price) => priceDigits(price, 2));
  const step = Math.abs(second - first);
  const decimals = Math.min(MAX_DECIMALS, Math.max(0, 1 - Math.floor(Math.log10(step))));
  // A step of 0.5 or 0.02 is exact with one digit less.
  const tenths = step * 10 ** (decimals - 1);
  const isRound = decimals > 0 && Math.abs(tenths - Math.round(tenths)) < 1e-9;
  return prices.map((price) => digits(price, isRound ? decimals - 1 : decimals));
}

/** A price in the currency in which it is shown. */
export interface QuotedPrice {
  readonly price: Maybe;
  readonly quote?: Quote | undefined;
}

/** The direction in which a price moved; undefined if it looks the same, or is in another currency than before. */
export function movement(
  from: QuotedPrice | undefined,
  to: QuotedPrice | undefined,
): 'up' | 'down' | undefined {
  if (!isNumber(from?.price) || !isNumber(to?.price) || from.quote !== to.quote) return undefined;
  if (formatPrice(from.price, from.quote) === formatPrice(to.price, to.quote)) return undefined;
  return to.price > from.price ? 'up' : 'down';
}

/** `$1.23T`, `€45.60B`, `¥7.00M`, `$8.90K`; below a thousand as a price. */
export function formatAmount(amount: Maybe, currency: string = DOLLAR): string {
  if (!isNumber(amount) || Math.abs(amount) < 999.995) return formatPrice(amount, currency);
  const { prefix } = notationOf(currency);
  return `${amount < 0 ? '-' : ''}${prefix}${digits(Math.abs(amount), 2, 2, { notation: 'compact' })}`;
}

/** `+2.31%`, `-0.45%`, `0.00%`. */
export function formatPercent(percent: Maybe): string {
  return isNumber(percent) ? `${digits(percent, 2, 2, { signDisplay: 'exceptZero' })}%` : NOT_AVAILABLE;
}

export function formatCount(count: number): string {
  return digits(count, 0);
}

function isNumber(value: Maybe): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

const formats = new Map<string, Intl.NumberFormat>();

/** A number with thousands separators and `from` to `to` decimals; trailing zeros beyond `from` are left out. */
function digits(value: number, from: number, to = from, options: Intl.NumberFormatOptions = {}): string {
  const key = `${from} ${to} ${Object.values(options)}`;
  let format = formats.get(key);
  if (!format) {
    const decimals = { minimumFractionDigits: from, maximumFractionDigits: to };
    format = new Intl.NumberFormat('en-US', { useGrouping: true, ...decimals, ...options });
    formats.set(key, format);
  }
  return format.format(value);
}

/** The notation of a currency. */
interface Notation {
  /** The text before the digits, with a space after letters and a point: `€`, `CA$`, `CHF `. */
  readonly prefix: string;
  /** The currency's decimals: 2 for cents, 0 for yen, 3 for dinars. */
  readonly decimals: number;
}

const notations = new Map<string, Notation>();

/** The notation of a currency by its ISO 4217 code, in any case. */
function notationOf(currency: string): Notation {
  let notation = notations.get(currency);
  if (!notation) {
    const format = new Intl.NumberFormat('en-US', { style: 'currency', currency });
    const symbol = format.formatToParts(0).find(({ type }) => type === 'currency')?.value ?? currency;
    const decimals = format.resolvedOptions().maximumFractionDigits ?? 2;
    notation = { prefix: /[\p{L}.]$/u.test(symbol) ? `${symbol} ` : symbol, decimals };
    notations.set(currency, notation);
  }
  return notation;
}

/** The tone of a change; a change of zero has none. */
export function toneOf(change: number | null): Tone | undefined {
  if (change === null || Number(change.toFixed(2)) === 0) return undefined;
  return change > 0 ? 'up' : 'down';
}
