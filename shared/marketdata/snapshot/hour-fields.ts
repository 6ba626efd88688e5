import { qualities, type StoredCandle } from '../store/stored-candle.ts';

/**
 * An hour of a coin in a row's `hours`, which has the running one last and the one before it, if there are any: hours
 * since the epoch, open, high, low, close, samples, milliseconds from its opening to the last price, volume and market
 * cap (null: not known), the place of its quality in `qualities`, and its source if that is not the snapshot's.
 */
type HourFields = readonly [
  hour: number,
  open: number,
  high: number,
  low: number,
  close: number,
  samples: number,
  lastMs: number,
  volume: number | null,
  marketCap: number | null,
  quality: number,
  source?: string,
];

const HOUR_MS = 3_600_000;

export function hourFields(candles: readonly StoredCandle[], source: string): HourFields[] {
  return candles.map((candle) => {
    const { opensAt, open, high, low, close, samples, lastAt, volume, market_cap, quality } = candle;
    const prices = [opensAt / HOUR_MS, open, high, low, close, samples, lastAt - opensAt] as const;
    const fields = [...prices, volume, market_cap, qualities.indexOf(quality)] as const;
    return candle.source === source ? fields : [...fields, candle.source];
  });
}

/** Empty if they are none that this version can read. */
export function readHours(fields: unknown, source: string): readonly StoredCandle[] {
  if (!Array.isArray(fields) || !fields.every(isHour)) return [];
  return fields.map(
    ([hour, open, high, low, close, samples, lastMs, volume, market_cap, place, other = source]) => ({
      opensAt: hour * HOUR_MS,
      open,
      high,
      low,
      close,
      volume,
      market_cap,
      quality: qualities[place] ?? 'derived',
      samples,
      lastAt: hour * HOUR_MS + lastMs,
      source: other,
    }),
  );
}

/** As far as another version may have written something else: the file's checksum is right. */
function isHour(fields: unknown): fields is HourFields {
  return Array.isArray(fields) && fields.slice(0, 7).every(Number.isFinite) && fields.length >= 10;
}
