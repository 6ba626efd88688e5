import { HOUR_MS } from '../../platform/time.ts';
import type { StoredCandle } from './stored-candle.ts';

/**
 * An hour of a coin in a row's `hours`, which has the hour before the running one, if available, and the running one last:
 * hours since the epoch, open, high, low, close, samples, milliseconds from its opening to the last price, volume of 24
 * hours and market cap (null: unknown), marks (1: `sampled`, otherwise `derived`; 2: it begins a new unit; 4: it is settled), and
 * its source if that is not the snapshot's.
 */
type HourFields = readonly [
  hour: number,
  open: number,
  high: number,
  low: number,
  close: number,
  samples: number,
  lastMs: number,
  volume24h: number | null,
  marketCap: number | null,
  marks: number,
  source?: string,
];

export function hourFields(candles: readonly StoredCandle[], source: string): HourFields[] {
  return candles.map((candle) => {
    const { opensAt, open, high, low, close, samples, lastAt, volume_24h, market_cap } = candle;
    const marks =
      Number(candle.quality === 'sampled') +
      2 * Number(candle.isNewUnit ?? false) +
      4 * Number(candle.isSettled);
    const prices = [opensAt / HOUR_MS, open, high, low, close, samples, lastAt - opensAt] as const;
    const fields = [...prices, volume_24h, market_cap, marks] as const;
    return candle.source === source ? fields : [...fields, candle.source];
  });
}

/**
 * A coin's hour before the running one, closed, and the running one, if available; also empty if this version cannot read them.
 */
export function hoursIn(
  snapshot: { readonly source: string; fields(id: string): { readonly hours?: unknown } },
  id: string,
): readonly StoredCandle[] {
  const fields = snapshot.fields(id).hours;
  if (!Array.isArray(fields) || !fields.every(isHour)) return [];
  return fields.map(
    ([
      hour,
      open,
      high,
      low,
      close,
      samples,
      lastMs,
      volume_24h,
      market_cap,
      marks,
      source = snapshot.source,
    ]) => ({
      opensAt: hour * HOUR_MS,
      open,
      high,
      low,
      close,
      volume: null,
      market_cap,
      volume_24h,
      quality: marks & 1 ? 'sampled' : 'derived',
      ...(marks & 2 && { isNewUnit: true }),
      samples,
      lastAt: hour * HOUR_MS + lastMs,
      isSettled: (marks & 4) !== 0,
      source,
    }),
  );
}

/** True for an hour's fields: although the checksum is right, another version may have written the file. */
function isHour(fields: unknown): fields is HourFields {
  return Array.isArray(fields) && fields.slice(0, 7).every(Number.isFinite) && fields.length >= 10;
}
