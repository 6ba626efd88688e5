/** What exchanges have in common: the formats of numbers and candles, and refusals. */
import { ApiError } from '../http/errors.ts';
import type { Candle } from '../marketdata/candles.ts';
import { FIRST_TIME } from '../marketdata/gate/bounds.ts';
import { Implausible } from '../marketdata/gate/implausible.ts';
import type { RefusedAnswer } from '../marketdata/provider.ts';
import type { Span } from '../marketdata/window.ts';
import { isoSeconds, MAX_CLOCK_LEAD_MS } from '../platform/time.ts';

/** A candle's columns at an exchange, in one order. */
export interface OhlcRow {
  /** When it opened, in milliseconds since the epoch. */
  readonly time: number;
  readonly open: unknown;
  readonly high: unknown;
  readonly low: unknown;
  readonly close: unknown;
}

const DECIMAL = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;

/**
 * A number, or a text that is one: exchanges differ in this, and have changed it. Throws an Error that names the field.
 */
export function decimal(value: unknown, name: string): number {
  const number = typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) throw new Error(`${name} is not a number`);
  return number;
}

/** Whether a flag is set, however it is written: `true`, `"True"`, `1`. */
export function isSet(flag: unknown): boolean {
  return flag !== undefined && flag !== null && !/^(false|0|)$/i.test(String(flag));
}

/** A price, undefined where there is none or a zero. Throws an Error that names the field. */
export function priceOrNone(value: unknown, name: string): number | undefined {
  return value === undefined || value === null ? undefined : decimal(value, name) || undefined;
}

/** Percent from an opening price to the last one; null without an opening price. */
export function changeSince(open: unknown, last: number): number | null {
  const before = open === undefined ? 0 : decimal(open, 'open');
  return before > 0 ? (last / before - 1) * 100 : null;
}

/**
 * The candles of the window, ascending. Throws an Error that names a column that is no number, and Implausible for a
 * time at which no interval opens or that no exchange can know.
 */
export function candlesOf(rows: Iterable<OhlcRow>, { from, to, stepMs }: Span): Candle[] {
  const latest = Date.now() + MAX_CLOCK_LEAD_MS;
  const inside = Array.from(rows).filter(({ time }) => {
    if (time < FIRST_TIME || time > latest) throw new Implausible('Time', `a time of ${time} ms`);
    if (time % stepMs !== 0) throw new Implausible('Time', `${isoSeconds(time)}, inside of an interval`);
    return time >= from && time < to;
  });
  return inside
    .sort((a, b) => a.time - b.time)
    .map(({ time, open, high, low, close }) => ({
      time_open: isoSeconds(time),
      time_close: isoSeconds(time + stepMs - 1000),
      open: decimal(open, 'open'),
      high: decimal(high, 'high'),
      low: decimal(low, 'low'),
      close: decimal(close, 'close'),
      volume: null,
      market_cap: null,
    }));
}

/** The error of a response without a meaning of the exchange's own; `code` is what it calls the error, not a text of it. */
export function exchangeRefusal(title: string, { status }: RefusedAnswer, code = ''): ApiError {
  if (status === 451) return new ApiError(502, `${title} refuses the region of the request (451)`);
  if (status === 403) return new ApiError(502, `${title}’s firewall refuses the address that asks (403)`);
  return new ApiError(502, `${title} answered ${status}${code && ` (${code})`}`);
}

export function unknownMarket(title: string, market: string): ApiError {
  return new ApiError(404, `${title} knows no market ${market}`);
}
