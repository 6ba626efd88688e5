import { StoreError } from '../binary-file.ts';
import { type CandleQuality, candleQualities } from '../provenance.ts';
import type { StoredCandle } from './stored-candle.ts';

/** The span that was fetched from providers: candles missing in it do not exist. Milliseconds since the epoch. */
export interface Coverage {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

/** A coin's candles of one length. */
export interface CoveredSeries {
  /** Ascending, one an interval; intervals without a candle are left out. */
  readonly candles: readonly StoredCandle[];
  /** Undefined: nothing was fetched from providers. */
  readonly coverage: Coverage | undefined;
}

/** Bytes of an opened candle. */
export const CANDLE_IN_MEMORY = 250;

/**
 * A series in bytes, little-endian: beginning and end of the fetched span (doubles; NaN: nothing), the opening of the first
 * candle (double), then 62 bytes for each interval from the first candle to the last one. These are open, high, low, close,
 * volume, market cap, volume of 24 hours (doubles; NaN: not known), one byte with the quality (0: no candle, 1 exact, 2 sampled,
 * 3 derived; 64 is added if it is settled, 128 for a new unit), one with the number of samples (255: that many or more), two
 * with the time of the last price after the opening, in 36,000ths of the interval, rounded up (2.4 seconds of a day, a tenth of
 * one of an hour), and two with the source's place in the file's list.
 */
export const CANDLES_FROM = 24;
export const CANDLE_BYTES = 62;
export const TIME_PARTS = 36_000;
export const SETTLED = 64;
export const NEW_UNIT = 128;
export const at = { kind: 56, samples: 57, time: 58, source: 60 } as const;

/** The candles of a series that open between two times; all of them by default. Throws StoreError. */
export function readSeries(
  series: Buffer,
  stepMs: number,
  sources: readonly string[],
  from = Number.NEGATIVE_INFINITY,
  to = Number.POSITIVE_INFINITY,
): CoveredSeries {
  const { first, count } = boundsOf(series, stepMs);
  const candles: StoredCandle[] = [];
  const begin = Math.max(0, Math.ceil((from - first) / stepMs));
  for (let index = begin; index < count && first + index * stepMs < to; index += 1) {
    const opensAt = first + index * stepMs;
    const candle = readCandle(series, CANDLES_FROM + index * CANDLE_BYTES, opensAt, stepMs, sources);
    if (candle) candles.push(candle);
  }
  return { candles, coverage: coverageIn(series) };
}

/** When the candles of a series open, ascending, each with its number of samples. Throws StoreError. */
export function* openingsIn(
  series: Buffer,
  stepMs: number,
): Generator<readonly [opensAt: number, samples: number]> {
  const { first, count } = boundsOf(series, stepMs);
  for (let index = 0; index < count; index += 1)
    if (series.readUInt8(CANDLES_FROM + index * CANDLE_BYTES + at.kind) !== 0)
      yield [first + index * stepMs, series.readUInt8(CANDLES_FROM + index * CANDLE_BYTES + at.samples)];
}

export function coverageIn(series: Buffer): Coverage | undefined {
  const from = series.readDoubleLE(0);
  const to = series.readDoubleLE(8);
  return Number.isNaN(from) ? undefined : { from, to };
}

export function boundsOf(series: Buffer, stepMs: number): { readonly first: number; readonly count: number } {
  const count = (series.length - CANDLES_FROM) / CANDLE_BYTES;
  if (!Number.isInteger(count) || count < 0) throw new StoreError(`Candles in ${series.length} bytes`);
  const first = series.readDoubleLE(16);
  if (first % stepMs !== 0) throw new StoreError('Candles of another length');
  return { first, count };
}

/** Undefined if there is no candle for that interval. */
export function readCandle(
  series: Buffer,
  start: number,
  opensAt: number,
  stepMs: number,
  sources: readonly string[],
): StoredCandle | undefined {
  const kind = series.readUInt8(start + at.kind);
  const quality: CandleQuality | undefined = candleQualities[(kind % SETTLED) - 1];
  if (quality === undefined) return undefined;
  return {
    opensAt,
    open: series.readDoubleLE(start),
    high: series.readDoubleLE(start + 8),
    low: series.readDoubleLE(start + 16),
    close: series.readDoubleLE(start + 24),
    volume: amountAt(series, start + 32),
    market_cap: amountAt(series, start + 40),
    volume_24h: amountAt(series, start + 48),
    quality,
    samples: series.readUInt8(start + at.samples),
    lastAt: opensAt + (series.readUInt16LE(start + at.time) * stepMs) / TIME_PARTS,
    isSettled: (kind & SETTLED) !== 0,
    source: sources[series.readUInt16LE(start + at.source)] ?? '',
    ...(kind >= NEW_UNIT && { isNewUnit: true }),
  };
}

function amountAt(series: Buffer, start: number): number | null {
  const amount = series.readDoubleLE(start);
  return Number.isNaN(amount) ? null : amount;
}
