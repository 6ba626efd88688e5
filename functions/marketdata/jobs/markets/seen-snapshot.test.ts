import { describe, expect, it } from 'vitest';
import { encodeSnapshot, type SnapshotContent } from '../../../../shared/marketdata/snapshot/encode.ts';
import { FAILOVER } from '../../../../shared/marketdata/snapshot/layout.ts';
import { readTicker, type Ticker } from '../../../../shared/marketdata/ticker.ts';
import { seenIn } from './seen-snapshot.ts';

const NOW = Date.UTC(2026, 10, 22, 12);

function ticker(id: string, volume: number | null = 1e6): Ticker {
  const last_updated = new Date(NOW - 60_000).toISOString();
  const usd = { price: 100, volume_24h: volume };
  return readTicker({ id, name: id, symbol: 'X', rank: 1, last_updated, quotes: { USD: usd } });
}

const seen = (content: Partial<SnapshotContent>) => {
  const given = { tickers: [], takenAt: NOW, intervalSeconds: 600, source: 'coinpaprika', ...content };
  return seenIn({ bytes: encodeSnapshot(given), etag: '"1"' }, NOW, () => true);
};

describe('what markets are compared with', () => {
  it('are the prices of the provider’s list, also those that markets dispute', () => {
    const found = seen({ tickers: [ticker('a'), ticker('b')], disputed: new Set(['a']) });
    const figures = { price: 100, volume: 1e6 };
    expect(found?.comparable?.coins).toEqual([
      expect.objectContaining({ id: 'a', ...figures }),
      expect.objectContaining({ id: 'b', ...figures }),
    ]);
  });

  it('is nothing in a snapshot that was made of what exchanges say', () => {
    const others = [{ ticker: ticker('a'), takenAt: NOW, source: 'coinbase,kraken' }];
    const found = seen({ source: FAILOVER, others });
    expect(found?.comparable).toBeUndefined();
    expect(found?.coins).toEqual([expect.objectContaining({ id: 'a', symbol: 'X' })]);
  });

  it.each([
    ['an exchange', { takenAt: NOW, source: 'coinbase' }],
    ['an earlier snapshot', { takenAt: NOW - 600_000 }],
  ])('is no price of %s', (_whose, own) => {
    const found = seen({ tickers: [ticker('a')], others: [{ ticker: ticker('b'), ...own }] });
    expect(found?.comparable?.coins[1]).toMatchObject({ id: 'b', price: null, volume: null });
  });
});
