import { array, type JsonObject, numberOrNull, object } from '../../../../shared/platform/json-fields.ts';
import { messageOf } from '../../../../shared/platform/message-of.ts';
import type { HttpAnswer } from '../../../../shared/platform/transport.ts';

/** A request of the probe, and the limits of a good response. */
export interface Check {
  /** The path relative to the page's address. */
  readonly path: string;
  /** The prices in the response's `data`; null if there is none. Throws an Error that names what is wrong. */
  readonly pricesOf: (data: JsonObject) => readonly (number | null)[];
  /** Older data, by its source's time, is a fault. */
  readonly maxAgeSeconds: number;
}

/** Longer than a snapshot of the free plan may be old, and shorter than an outage that users have to be informed of. */
const HOUR_SECONDS = 3600;

/** A coin that every provider has. Its price comes from the snapshot, and its daily candles are stored until midnight. */
export const checks: readonly Check[] = [
  {
    path: '/api/marketdata/ticker/btc-bitcoin',
    pricesOf: ({ quotes }) => [numberOrNull(object(object(quotes, 'quotes').USD, 'USD'), 'price')],
    maxAgeSeconds: HOUR_SECONDS,
  },
  {
    path: '/api/marketdata/ohlcv/btc-bitcoin?limit=2',
    pricesOf: ({ data }) =>
      array(data, 'data').map((candle) => numberOrNull(object(candle, 'a candle'), 'close')),
    maxAgeSeconds: 3 * HOUR_SECONDS,
  },
];

/** Undefined if it is no JSON: the message of JSON.parse quotes it. */
function jsonIn(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

const qualities = ['exact', 'sampled', 'derived', 'stale'];

/** The response's fault in words; undefined if it has none. */
export function faultOf(
  { status, headers, body }: HttpAnswer,
  { pricesOf, maxAgeSeconds }: Check,
): string | undefined {
  try {
    const { success, data, error } = object(jsonIn(body), 'the answer');
    if (status !== 200) return `answered ${status}: ${error}`;
    if (success !== true) return 'answered 200 without success';
    const prices = pricesOf(object(data, 'data'));
    if (prices.length === 0 || !prices.every((price) => price !== null && price > 0)) {
      return `has the prices ${JSON.stringify(prices)}`;
    }
  } catch (error) {
    return `answered ${status}, and ${messageOf(error)}`;
  }
  const { 'x-data-time': madeAt = 'unknown', 'x-data-quality': quality = 'unknown' } = headers;
  if (!qualities.includes(quality)) return `is of quality ${quality}`;
  const ageSeconds = (Date.now() - Date.parse(madeAt)) / 1000;
  if (!(ageSeconds <= maxAgeSeconds)) return `was made at ${madeAt}, more than ${maxAgeSeconds} s ago`;
  return undefined;
}
