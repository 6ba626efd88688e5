import { describe, expect, it } from 'vitest';
import { tickerOf } from '../../../test/snapshot/tickers.ts';
import { DAY_MS, HOUR_MS } from '../../platform/time.ts';
import { StoreError } from '../binary-file.ts';
import { type CoinObject, encodeCoin, noCoinObject, openCoin, withSeries } from './coin-object.ts';
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
  quality: 'exact',
  samples: 0,
  lastAt: opensAt + stepMs,
  source: 'coinbase',
  ...given,
});
const days = [0, 1, 3].map((day) => candle(START + day * DAY_MS, DAY_MS));
const object: CoinObject = {
  ticker: {
    data: tickerOf('战旗-战旗', 3),
    source: 'coinpaprika',
    madeAt: START,
    storedAt: START + 1,
  },
  series: {
    '24h': { candles: days, coverage: { from: START, to: START + 4 * DAY_MS } },
    '1h': { candles: [], coverage: { from: START, to: START + DAY_MS } },
  },
  refusals: { '1h': { status: 402, message: 'not in the plan', at: START, until: START + 1, since: 5 } },
};

describe('a coin object', () => {
  it('is opened as it was written, and empty too', () => {
    expect(openCoin(encodeCoin('战旗-战旗', object), '战旗-战旗')).toEqual(object);
    expect(openCoin(encodeCoin('a', noCoinObject), 'a')).toEqual(noCoinObject);
  });

  it('is not opened in place of another, nor if a row is damaged', () => {
    const bytes = encodeCoin('a', object);
    expect(() => openCoin(bytes, 'b')).toThrow(StoreError);
    bytes[bytes.indexOf('not in the plan')] = 0;
    expect(() => openCoin(bytes, 'a')).toThrow('damaged rows refusals of a');
  });

  it('adds to a series: the better candle stays, and fetched spans join if candles fill the gap', () => {
    const worse = candle(START, DAY_MS, { quality: 'derived', close: 9, volume: 5 });
    const more = withSeries(object, '24h', {
      candles: [worse, candle(START + 4 * DAY_MS, DAY_MS)],
      coverage: { from: START + 4 * DAY_MS, to: START + 5 * DAY_MS },
    });
    const { candles = [] } = more.series['24h'] ?? {};
    expect(candles.map(({ opensAt }) => (opensAt - START) / DAY_MS)).toEqual([0, 1, 3, 4]);
    expect(candles.map(({ volume }) => volume)).toEqual([5, null, null, null]);
    expect(new Set(candles.map(({ close }) => close))).toEqual(new Set([1.5]));
    expect(more.series['24h']?.coverage).toEqual({ from: START, to: START + 5 * DAY_MS });
    const later = { from: START + 40 * HOUR_MS, to: START + 50 * HOUR_MS };
    const gap = withSeries(object, '1h', { candles: [], coverage: later });
    expect(gap.series['1h']?.coverage).toEqual(later);
  });
});
