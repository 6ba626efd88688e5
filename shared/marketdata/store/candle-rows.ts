import { StoreError } from '../binary-file.ts';
import { type CandleQuality, candleQualities } from '../provenance.ts';
import { betterOfBoth, type StoredCandle } from './stored-candle.ts';

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

/**
 * A series in bytes, little-endian: beginning and end of the fetched span (doubles; NaN: nothing), the opening of the first
 * candle (double), then 62 bytes for each interval from the first candle to the last one. These are open, high, low, close,
 * volume, market cap, volume of 24 hours (doubles; NaN: not known), one byte with the quality (0: no candle, 1 exact, 2 sampled,
 * 3 derived; 64 is added if it is settled, 128 for a new unit), one with the number of samples (255: that many or more), two
 * with the time of the last price after the opening, in 36,000ths of the interval, rounded up (2.4 seconds of a day, a tenth of
 * one of an hour), and two with the source's place in the file's list.
 */
/** Bytes of an opened candle. */
export const CANDLE_IN_MEMORY = 250;
const CANDLES_FROM = 24;
const CANDLE_BYTES = 62;
const MAX_SAMPLES = 255;
const MAX_SOURCES = 65_536;
export const TIME_PARTS = 36_000;
const SETTLED = 64;
const NEW_UNIT = 128;
const at = { kind: 56, samples: 57, time: 58, source: 60 } as const;
const prices = ['open', 'high', 'low', 'close'] as const;

/** The names of a file's sources. Candles refer to their positions, so none is ever moved. */
export class SourceList {
  readonly names: string[];
  readonly #places: Map<string, number>;

  constructor(names: readonly string[] = []) {
    this.names = [...names];
    this.#places = new Map(names.map((name, place) => [name, place]));
  }

  /** Adds a new name. Throws StoreError if there are more than a candle can refer to. */
  placeOf(name: string): number {
    const known = this.#places.get(name);
    if (known !== undefined) return known;
    if (this.names.length >= MAX_SOURCES) throw new StoreError(`Candles: more than ${MAX_SOURCES} sources`);
    this.#places.set(name, this.names.length);
    return this.names.push(name) - 1;
  }
}

/** How to write a series: `stepMs` is the length of an interval. */
export interface SeriesFormat {
  readonly stepMs: number;
  readonly sources: SourceList;
}

/**
 * The bytes of a series with more candles, in whatever order the parts come. Of two candles for one interval the better one stays
 * (`joined`). Existing bytes are copied, not parsed.
 */
export function joinSeries(
  before: Buffer | undefined,
  { candles, coverage }: CoveredSeries,
  { stepMs, sources }: SeriesFormat,
): Buffer {
  const known = before ? boundsOf(before, stepMs) : { first: 0, count: 0 };
  const newFirst = candles[0]?.opensAt;
  const newLast = candles.at(-1)?.opensAt;
  const isEmpty = known.count === 0;
  const first = Math.min(
    isEmpty ? Number.POSITIVE_INFINITY : known.first,
    newFirst ?? Number.POSITIVE_INFINITY,
  );
  const knownEnd = isEmpty ? Number.NEGATIVE_INFINITY : known.first + known.count * stepMs;
  const end = Math.max(knownEnd, newLast === undefined ? Number.NEGATIVE_INFINITY : newLast + stepMs);
  const count = end > first ? Math.round((end - first) / stepMs) : 0;
  const series = Buffer.alloc(CANDLES_FROM + count * CANDLE_BYTES);
  const placeOf = (opensAt: number) => CANDLES_FROM + Math.round((opensAt - first) / stepMs) * CANDLE_BYTES;
  if (before && !isEmpty) before.copy(series, placeOf(known.first), CANDLES_FROM);
  for (const candle of candles) {
    const start = placeOf(candle.opensAt);
    const there = readCandle(series, start, candle.opensAt, stepMs, sources.names);
    const kept = there ? betterOfBoth(there, candle) : candle;
    if (kept !== there) writeCandle(series, start, kept, sources.placeOf(kept.source), stepMs);
  }
  series.writeDoubleLE(count === 0 ? 0 : first, 16);
  const isThere = (opensAt: number) =>
    opensAt >= first && opensAt < end && series.readUInt8(placeOf(opensAt) + at.kind) !== 0;
  const together = joinedCoverage(before && coverageIn(before), coverage, isThere, stepMs);
  series.writeDoubleLE(together?.from ?? Number.NaN, 0);
  series.writeDoubleLE(together?.to ?? Number.NaN, 8);
  return series;
}

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

/**
 * The fetched span after a further fetch. Two spans with a gap are one if candles fill the gap; otherwise the later span counts,
 * because missing candles are fetched from the gap on.
 */
export function joinedCoverage(
  before: Coverage | undefined,
  more: Coverage | undefined,
  isThere: (opensAt: number) => boolean,
  stepMs: number,
): Coverage | undefined {
  if (!before || !more) return before ?? more;
  const [first, second] = before.from <= more.from ? [before, more] : [more, before];
  for (let opensAt = Math.ceil(first.to / stepMs) * stepMs; opensAt < second.from; opensAt += stepMs)
    if (!isThere(opensAt)) return second;
  return { from: first.from, to: Math.max(first.to, second.to) };
}

function coverageIn(series: Buffer): Coverage | undefined {
  const from = series.readDoubleLE(0);
  const to = series.readDoubleLE(8);
  return Number.isNaN(from) ? undefined : { from, to };
}

function boundsOf(series: Buffer, stepMs: number): { readonly first: number; readonly count: number } {
  const count = (series.length - CANDLES_FROM) / CANDLE_BYTES;
  if (!Number.isInteger(count) || count < 0) throw new StoreError(`Candles in ${series.length} bytes`);
  const first = series.readDoubleLE(16);
  if (first % stepMs !== 0) throw new StoreError('Candles of another length');
  return { first, count };
}

function writeCandle(
  series: Buffer,
  start: number,
  candle: StoredCandle,
  source: number,
  stepMs: number,
): void {
  for (const [index, name] of prices.entries()) series.writeDoubleLE(candle[name], start + 8 * index);
  series.writeDoubleLE(candle.volume ?? Number.NaN, start + 32);
  series.writeDoubleLE(candle.market_cap ?? Number.NaN, start + 40);
  series.writeDoubleLE(candle.volume_24h ?? Number.NaN, start + 48);
  const kind = candleQualities.indexOf(candle.quality) + 1;
  const marks = (candle.isSettled ? SETTLED : 0) + (candle.isNewUnit ? NEW_UNIT : 0);
  series.writeUInt8(kind + marks, start + at.kind);
  series.writeUInt8(Math.min(candle.samples, MAX_SAMPLES), start + at.samples);
  const part = Math.ceil(((candle.lastAt - candle.opensAt) * TIME_PARTS) / stepMs);
  series.writeUInt16LE(Math.min(Math.max(part, 0), TIME_PARTS), start + at.time);
  series.writeUInt16LE(source, start + at.source);
}

/** Undefined if there is no candle for that interval. */
function readCandle(
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
