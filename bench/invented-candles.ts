import type { StoredCandle } from '../shared/marketdata/store/stored-candle.ts';

interface Invented {
  /** The first one's opening, milliseconds since the epoch. */
  readonly from: number;
  readonly count: number;
  readonly stepMs: number;
  /** In USD; all are near it. */
  readonly price: number;
  readonly source: string;
}

const SAMPLES_A_CANDLE = 6;

/** Candles as they come out of samples, all alike but for a small wave. */
export function inventedCandles({ from, count, stepMs, price, source }: Invented): StoredCandle[] {
  return Array.from({ length: count }, (_, index) => {
    const opensAt = from + index * stepMs;
    const open = price * (1 + (index % 7) / 1000);
    return {
      opensAt,
      open,
      high: open * 1.001,
      low: open * 0.999,
      close: open,
      volume: 1e6 + index,
      market_cap: 1e9 + index,
      quality: 'sampled',
      samples: SAMPLES_A_CANDLE,
      lastAt: opensAt + stepMs * (1 - 1 / SAMPLES_A_CANDLE),
      source,
    };
  });
}
