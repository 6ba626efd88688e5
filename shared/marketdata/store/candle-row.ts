import { qualities } from '../quality.ts';
import type { StoredCandle } from './stored-candle.ts';

/**
 * A candle in 52 bytes, little-endian: open, high, low, close, volume, market cap (doubles; NaN: not known), then one
 * byte with quality (two low bits; 0: no candle, 1 exact, 2 sampled, 3 derived) and the source's place in the file's
 * list (six high bits), one with the number of samples (255: that many or more), and two with the time of the last
 * price after the opening, in 36,000ths of the interval, rounded up: 2.4 seconds of a day, a tenth of one of an hour.
 */
export const CANDLE_BYTES = 52;

const MAX_SAMPLES = 255;
export const MAX_SOURCES = 64;
const TIME_PARTS = 36_000;
const at = { kind: 48, samples: 49, time: 50 } as const;
const prices = ['open', 'high', 'low', 'close'] as const;

export function writeCandle(
  file: Buffer,
  start: number,
  candle: StoredCandle,
  source: number,
  stepMs: number,
): void {
  for (const [index, name] of prices.entries()) file.writeDoubleLE(candle[name], start + 8 * index);
  file.writeDoubleLE(candle.volume ?? Number.NaN, start + 32);
  file.writeDoubleLE(candle.market_cap ?? Number.NaN, start + 40);
  file.writeUInt8(qualities.indexOf(candle.quality) + 1 + 4 * source, start + at.kind);
  file.writeUInt8(Math.min(candle.samples, MAX_SAMPLES), start + at.samples);
  const part = Math.ceil(((candle.lastAt - candle.opensAt) * TIME_PARTS) / stepMs);
  file.writeUInt16LE(Math.min(Math.max(part, 0), TIME_PARTS), start + at.time);
}

/** Undefined if there is no candle for that interval. */
export function readCandle(
  file: Buffer,
  start: number,
  opensAt: number,
  stepMs: number,
  sources: readonly string[],
): StoredCandle | undefined {
  const kind = file.readUInt8(start + at.kind);
  const quality = qualities[(kind & 3) - 1];
  if (quality === undefined) return undefined;
  return {
    opensAt,
    open: file.readDoubleLE(start),
    high: file.readDoubleLE(start + 8),
    low: file.readDoubleLE(start + 16),
    close: file.readDoubleLE(start + 24),
    volume: amountAt(file, start + 32),
    market_cap: amountAt(file, start + 40),
    quality,
    samples: file.readUInt8(start + at.samples),
    lastAt: opensAt + (file.readUInt16LE(start + at.time) * stepMs) / TIME_PARTS,
    source: sources[kind >> 2] ?? '',
  };
}

function amountAt(file: Buffer, start: number): number | null {
  const amount = file.readDoubleLE(start);
  return Number.isNaN(amount) ? null : amount;
}
