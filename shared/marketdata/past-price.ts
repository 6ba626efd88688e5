import { isoSeconds } from '../platform/time.ts';
import type { PastPrice } from './candles.ts';
import { candleQualities } from './provenance.ts';
import type { Samples } from './store/samples.ts';
import type { StoredCandle } from './store/stored-candle.ts';

/** The span to look for a price in, the later the better. Milliseconds since the epoch, both inclusive. */
export interface Moment {
  readonly from: number;
  readonly to: number;
}

/** The later of two prices; at the same time the better one, otherwise the second. */
export function nearer(a: PastPrice | undefined, b: PastPrice | undefined): PastPrice | undefined {
  if (!a || !b) return a ?? b;
  if (a.time !== b.time) return a.time > b.time ? a : b;
  return candleQualities.indexOf(a.quality) < candleQualities.indexOf(b.quality) ? a : b;
}

/** The nearest of some prices and a known one. */
export function nearest(
  prices: readonly PastPrice[],
  { from, to }: Moment,
  known?: PastPrice,
): PastPrice | undefined {
  return prices.filter(({ time }) => time >= from && time <= to).reduce(nearer, known);
}

/** A close of a candle of `stepMs` made of samples is one of them, however many the candle lacks. */
export function closesOf(candles: readonly StoredCandle[], stepMs: number): PastPrice[] {
  return candles.map((candle) => {
    const { close: price, lastAt: time, samples, quality, source } = candle;
    if (isBroughtUp(candle, stepMs)) return { price, time, quality: 'sampled', source };
    return { price, time, quality: samples > 0 ? 'sampled' : quality, source };
  });
}

/** Whether an exchange's candle was continued from another source, so that its close may be a sample. */
function isBroughtUp({ opensAt, lastAt, source }: StoredCandle, stepMs: number): boolean {
  return lastAt < opensAt + stepMs && source.includes(',');
}

export function sampledPrice(samples: Samples | undefined, id: string): PastPrice | undefined {
  const sample = samples?.of(id);
  if (!samples || !sample || sample.isUnconfirmed) return undefined;
  const { price, source } = sample;
  return { price, time: samples.takenAt, quality: 'sampled', source };
}

/** The time of a price in whole seconds, never too early. */
export function timeText(time: number): string {
  return isoSeconds(Math.ceil(time / 1000) * 1000);
}
