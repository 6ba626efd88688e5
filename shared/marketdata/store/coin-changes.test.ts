import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../platform/time.ts';
import { StoreError } from '../binary-file.ts';
import { candlesOf, encodeCoin, encodeFetched, withCandles } from './coin-changes.ts';
import { type CoinCandles, coinCandles, coinFetched } from './coin-object.ts';
import type { StoredCandle } from './stored-candle.ts';

const START = Date.UTC(2026, 4, 1);
const candle = (opensAt: number, stepMs: number, given: Partial<StoredCandle> = {}): StoredCandle => ({
  opensAt,
  open: 1,
  high: 2,
  low: 0.5,
  close: 1.5,
  volume: null,
  market_cap: 7,
  volume_24h: null,
  quality: 'exact',
  samples: 0,
  lastAt: opensAt + stepMs,
  isSettled: true,
  source: 'coinbase',
  ...given,
});
const days = [0, 1, 3].map((day) => candle(START + day * DAY_MS, DAY_MS));
const known: CoinCandles = {
  '24h': { candles: days, coverage: { from: START, to: START + 4 * DAY_MS } },
  '1h': { candles: [], coverage: { from: START, to: START + DAY_MS } },
};
const open = (bytes: Uint8Array, id: string) => candlesOf(coinCandles.open(bytes, id));

describe('a coin’s candles', () => {
  it('are opened as they were written, and none too', () => {
    expect(open(encodeCoin('战旗-战旗', known), '战旗-战旗')).toEqual(known);
    expect(open(encodeCoin('a', {}), 'a')).toEqual({});
  });

  it('are not opened in place of another’s, nor if a row is damaged', () => {
    const bytes = encodeCoin('a', known);
    expect(() => open(bytes, 'b')).toThrow(StoreError);
    bytes[bytes.length - 1] = 255;
    expect(() => open(bytes, 'a')).toThrow('damaged rows 24h of a');
  });

  it('are joined with more: the better one stays, and fetched spans join if candles fill the gap', () => {
    const worse = candle(START, DAY_MS, { quality: 'derived', close: 9, volume: 5 });
    const more: CoinCandles = {
      '24h': {
        candles: [worse, candle(START + 4 * DAY_MS, DAY_MS)],
        coverage: { from: START + 4 * DAY_MS, to: START + 5 * DAY_MS },
      },
    };
    const { candles = [], coverage } = withCandles(known, more, START)['24h'] ?? {};
    expect(candles.map(({ opensAt }) => (opensAt - START) / DAY_MS)).toEqual([0, 1, 3, 4]);
    expect(candles.map(({ volume }) => volume)).toEqual([5, null, null, null]);
    expect(new Set(candles.map(({ close }) => close))).toEqual(new Set([1.5]));
    expect(coverage).toEqual({ from: START, to: START + 5 * DAY_MS });
    const later = { from: START + 40 * HOUR_MS, to: START + 50 * HOUR_MS };
    const gap = withCandles(known, { '1h': { candles: [], coverage: later } }, START);
    expect(gap['1h']?.coverage).toEqual(later);
  });

  it('lose hours that are older than two years', () => {
    const hour = candle(START, HOUR_MS);
    const before = withCandles({}, { '1h': { candles: [hour], coverage: undefined } }, START);
    expect(before['1h']?.candles).toEqual([hour]);
    const now = START + 731 * DAY_MS;
    const later = candle(now - HOUR_MS, HOUR_MS);
    const after = withCandles(before, { '1h': { candles: [later], coverage: undefined } }, now);
    expect(after['1h']?.candles).toEqual([later]);
  });
});

describe('what else was fetched for a coin', () => {
  it('is opened as it was written, but not in place of another’s', () => {
    const refusals = {
      '1h': { status: 402, message: 'not in the plan', at: START, until: START + 1 },
    } as const;
    expect(coinFetched.open(encodeFetched('a', { refusals }), 'a')).toEqual({ refusals });
    expect(() => coinFetched.open(encodeFetched('a', { refusals }), 'b')).toThrow(StoreError);
  });
});
