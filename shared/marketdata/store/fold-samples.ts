import { listed } from '../candles.ts';
import { weakest } from '../provenance.ts';
import type { Sample } from './samples.ts';
import type { StoredCandle } from './stored-candle.ts';

/** By whom and when samples were taken. */
export interface TakenAt {
  /** Milliseconds since the epoch. */
  readonly takenAt: number;
  readonly intervalMs: number;
  readonly source: string;
}

/** So much of an interval's samples make a candle `sampled`; with fewer it is `derived`. */
export const SAMPLED_SHARE = 0.8;

/**
 * The candle of an interval with one more sample, which is not older than those in it; without a candle, the sample's
 * own. Two samples of the same slot, as of two runs at once, count as one. The quality is that of the interval as far
 * as it has gone: `closed` is for candles that no sample will follow.
 */
export function withSample(
  candle: StoredCandle | undefined,
  { price, volume, market_cap }: Omit<Sample, 'id' | 'source'>,
  { takenAt, intervalMs, source }: TakenAt,
  stepMs: number,
): StoredCandle {
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
    volume,
    market_cap,
    quality: samples >= wholeSlots * SAMPLED_SHARE ? 'sampled' : 'derived',
    samples,
    lastAt: takenAt,
    source: listed(candle?.source, source),
  };
}

/** The candle of an interval that is over: its quality follows from the samples that it should have. */
export function closed(candle: StoredCandle, intervalMs: number, stepMs: number): StoredCandle {
  const isSampled = candle.samples * intervalMs >= stepMs * SAMPLED_SHARE;
  return { ...candle, quality: isSampled ? 'sampled' : 'derived' };
}

/** The candle of an interval that still runs: its quality follows from the samples that it should have by its last one. */
export function sampledSoFar(candle: StoredCandle, intervalMs: number): StoredCandle {
  const slots = Math.floor(candle.lastAt / intervalMs) - Math.floor(candle.opensAt / intervalMs) + 1;
  return { ...candle, quality: candle.samples >= slots * SAMPLED_SHARE ? 'sampled' : 'derived' };
}

/**
 * One candle of ascending shorter ones made of samples. Its volume is that of the 24 hours up to its last price: `null`
 * if that is not in the last of the shorter intervals, because then it is not the volume at the interval's end. It is no
 * better than the weakest of them; whether it has the samples that itself should have, `closed` tells.
 */
export function foldCandles(
  candles: readonly StoredCandle[],
  {
    stepMs,
    shorterMs,
    until,
  }: { readonly stepMs: number; readonly shorterMs: number; readonly until: number },
): StoredCandle | undefined {
  const [first, last] = [candles[0], candles.at(-1)];
  if (!first || !last) return undefined;
  const opensAt = Math.floor(first.opensAt / stepMs) * stepMs;
  const isUpToEnd = last.opensAt + shorterMs >= Math.min(opensAt + stepMs, until);
  return {
    opensAt,
    open: first.open,
    high: Math.max(...candles.map(({ high }) => high)),
    low: Math.min(...candles.map(({ low }) => low)),
    close: last.close,
    volume: isUpToEnd ? last.volume : null,
    market_cap: last.market_cap,
    quality: weakest(candles.map(({ quality }) => quality)),
    samples: candles.reduce((sum, { samples }) => sum + samples, 0),
    lastAt: last.lastAt,
    source: listed(...candles.map(({ source }) => source)),
  };
}
