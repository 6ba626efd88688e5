import { listed } from '../candles.ts';
import { weakest } from '../provenance.ts';
import type { Sample } from './samples.ts';
import type { StoredCandle } from './stored-candle.ts';

/** The source and time of samples. */
export interface SampleOrigin {
  /** Milliseconds since the epoch. */
  readonly takenAt: number;
  /** Whether it is the first one after a redenomination. */
  readonly isNewUnit?: boolean;
  readonly intervalMs: number;
  readonly source: string;
}

/** The share of an interval's samples that makes a candle `sampled`; with fewer it is `derived`. */
export const SAMPLED_SHARE = 0.8;

/**
 * Adds a sample, not older than those before it, to the candle of its interval; without a candle, starts one. Two samples of one
 * slot, from two concurrent runs, count as one. The quality covers the elapsed part of the interval; `closed` is for candles that
 * no sample will follow.
 */
export function withSample(
  known: StoredCandle | undefined,
  { price, volume, market_cap }: Pick<Sample, 'price' | 'volume' | 'market_cap'>,
  { takenAt, intervalMs, source, isNewUnit = false }: SampleOrigin,
  stepMs: number,
): StoredCandle {
  // Prices in two units make no candle.
  const candle = isNewUnit ? undefined : known;
  const opensAt = Math.floor(takenAt / stepMs) * stepMs;
  const slotOf = (time: number) => Math.floor(time / intervalMs);
  const isNewSlot = candle === undefined || slotOf(candle.lastAt) !== slotOf(takenAt);
  const samples = (candle?.samples ?? 0) + (isNewSlot ? 1 : 0);
  const wholeSlots = slotOf(takenAt) - slotOf(opensAt) + 1;
  return {
    opensAt,
    open: candle?.open ?? price,
    high: Math.max(candle?.high ?? price, price),
    low: Math.min(candle?.low ?? price, price),
    close: price,
    volume: null,
    market_cap,
    volume_24h: volume,
    quality: samples >= wholeSlots * SAMPLED_SHARE ? 'sampled' : 'derived',
    samples,
    lastAt: takenAt,
    isSettled: false,
    source: listed(candle?.source, source),
    ...((isNewUnit || candle?.isNewUnit) && { isNewUnit: true }),
  };
}

/** The candle of an interval that is over: it is settled, and its quality follows from the number of expected samples. */
export function closed(candle: StoredCandle, intervalMs: number, stepMs: number): StoredCandle {
  const isSampled = candle.samples * intervalMs >= stepMs * SAMPLED_SHARE;
  return { ...candle, isSettled: true, quality: isSampled ? 'sampled' : 'derived' };
}

/** The candle of a running interval: its quality follows from the number of samples expected by its last one. */
export function sampledSoFar(candle: StoredCandle, intervalMs: number): StoredCandle {
  const slots = Math.floor(candle.lastAt / intervalMs) - Math.floor(candle.opensAt / intervalMs) + 1;
  return { ...candle, quality: candle.samples >= slots * SAMPLED_SHARE ? 'sampled' : 'derived' };
}

/**
 * Folds ascending hours into a day; of two units, only those of the last one. Its volume is that of the 24
 * hours up to its last price, or null if that price is not in the last hour up to `until`. Its quality is the weakest of
 * them; `closed` then checks its own number of samples.
 */
export function foldCandles(
  all: readonly StoredCandle[],
  {
    stepMs,
    shorterMs,
    until,
  }: { readonly stepMs: number; readonly shorterMs: number; readonly until: number },
): StoredCandle | undefined {
  const candles = ofLastUnit(all);
  const first = candles[0];
  const last = candles.at(-1);
  if (!first || !last) return undefined;
  const opensAt = Math.floor(first.opensAt / stepMs) * stepMs;
  const end = opensAt + stepMs;
  const isUpToEnd = last.opensAt + shorterMs >= Math.min(end, until);
  return {
    opensAt,
    open: first.open,
    high: Math.max(...candles.map(({ high }) => high)),
    low: Math.min(...candles.map(({ low }) => low)),
    close: last.close,
    volume: isUpToEnd ? last.volume_24h : null,
    market_cap: last.market_cap,
    volume_24h: last.volume_24h,
    quality: weakest(candles.map(({ quality }) => quality)),
    samples: candles.reduce((sum, { samples }) => sum + samples, 0),
    lastAt: last.lastAt,
    isSettled: end <= until,
    source: listed(...candles.map(({ source }) => source)),
    ...(first.isNewUnit && { isNewUnit: true }),
  };
}

function ofLastUnit(candles: readonly StoredCandle[]): readonly StoredCandle[] {
  const from = candles.findLastIndex(({ isNewUnit }) => isNewUnit);
  return from > 0 ? candles.slice(from) : candles;
}
