import { describe, expect, it } from 'vitest';
import { FAILOVER, openSnapshot } from '../../../../shared/marketdata/store/snapshot.ts';
import { encodeSnapshot, type SnapshotContent } from '../../../../shared/marketdata/store/snapshot-writer.ts';
import { readTicker, type Ticker } from '../../../../shared/marketdata/ticker.ts';
import { coinsOf, isComparable } from './coins.ts';

const NOW = Date.UTC(2026, 10, 22, 12);

function ticker(id: string): Ticker {
  const last_updated = new Date(NOW - 60_000).toISOString();
  const usd = { price: 100, volume_24h: 1e6 };
  return readTicker({ id, name: id, symbol: 'X', rank: 1, last_updated, quotes: { USD: usd } });
}

function read(content: Partial<SnapshotContent>) {
  const given = { tickers: [], takenAt: NOW, intervalSeconds: 600, source: 'coinpaprika', ...content };
  const snapshot = openSnapshot(encodeSnapshot(given));
  return { coins: [...coinsOf(snapshot).values()], isComparable: isComparable(snapshot, NOW) };
}

describe('what markets are compared with', () => {
  it('are the prices of the provider’s list, also those that markets dispute', () => {
    const figures = { symbol: 'X', price: 100 };
    expect(read({ tickers: [ticker('a'), ticker('b')], disputed: new Set(['a']) })).toEqual({
      isComparable: true,
      coins: [
        { id: 'a', ...figures },
        { id: 'b', ...figures },
      ],
    });
  });

  it('is nothing in a snapshot made of exchanges’ prices', () => {
    const others = [{ ticker: ticker('a'), takenAt: NOW, source: 'coinbase,kraken' }];
    expect(read({ source: FAILOVER, others })).toMatchObject({
      isComparable: false,
      coins: [{ id: 'a', symbol: 'X' }],
    });
  });

  it('is nothing in a snapshot that is two intervals old', () => {
    expect(read({ takenAt: NOW - 1_199_999 }).isComparable).toBe(true);
    expect(read({ takenAt: NOW - 1_200_000 }).isComparable).toBe(false);
  });

  it.each([
    ['an exchange', { takenAt: NOW, source: 'coinbase' }],
    ['an earlier snapshot', { takenAt: NOW - 600_000 }],
  ])('is no price of %s', (_whose, own) => {
    const { coins } = read({ tickers: [ticker('a')], others: [{ ticker: ticker('b'), ...own }] });
    expect(coins[1]).toMatchObject({ id: 'b', price: null });
  });
});
