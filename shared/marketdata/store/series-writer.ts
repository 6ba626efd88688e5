/** Writes series of candles, as `candle-rows.ts` reads them. */
import { candleQualities } from '../provenance.ts';
import {
  at,
  boundsOf,
  CANDLE_BYTES,
  CANDLES_FROM,
  type Coverage,
  type CoveredSeries,
  coverageIn,
  NEW_UNIT,
  readCandle,
  SETTLED,
  TIME_PARTS,
} from './candle-rows.ts';
import type { SourceList } from './source-list.ts';
import { betterOfBoth, type StoredCandle } from './stored-candle.ts';

const MAX_SAMPLES = 255;
const prices = ['open', 'high', 'low', 'close'] as const;

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
