import { beforeEach, describe, expect, it, vi } from 'vitest';
import { openSnapshot } from '../../../../shared/marketdata/store/snapshot.ts';
import { encodeSnapshot } from '../../../../shared/marketdata/store/snapshot-writer.ts';
import type { Ticker } from '../../../../shared/marketdata/ticker.ts';
import { NOW, tickerOf } from '../../../../test/snapshot/tickers.ts';
import { quotesOf } from '../../../../test/snapshot/two-sides.ts';
import { failoverOf } from './market-prices.ts';

const LATER = NOW + 20 * 60_000;
const snapshotAt = (takenAt: number, ...tickers: Ticker[]) =>
  openSnapshot(encodeSnapshot({ tickers, takenAt, intervalSeconds: 600, source: 'coinpaprika' }));

/** What becomes of a coin that cost 100, and 10 minutes ago that much, if markets say these prices. */
function failover(prices: readonly number[], latest = 100, at: number | null = null) {
  const list = snapshotAt(NOW, tickerOf('a', 100));
  const published = snapshotAt(NOW + 600_000, tickerOf('a', latest));
  const quotes = {
    takenAt: LATER - 60_000,
    coins: new Map([['a', quotesOf(...prices).map((quote) => ({ ...quote, at }))]]),
  };
  const { priced, carried } = failoverOf({ list, published }, quotes, LATER);
  const [row] = priced;
  return row ? [row.ticker.quotes.USD.price, row.source] : carried.map(({ takenAt }) => takenAt);
}

describe('a row made of markets’ prices', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: LATER });
    return () => vi.useRealTimers();
  });
  const carried = [NOW + 600_000];

  it.each<[string, readonly number[], unknown]>([
    ['of one is its price', [103], [103, 'coinbase']],
    ['of two is what lies between', [102, 104], [103, 'coinbase,kraken']],
    ['of three is the middle one', [102, 9, 104], [102, 'coinbase,kraken,binance']],
    ['of two that contradict each other is the one near the former price', [140, 102], [102, 'kraken']],
    ['of two that contradict each other and the former price is none', [140, 60], carried],
    ['of one without a time is none if it is not near the former price', [130], carried],
    ['three times as far is none', [300, 301], carried],
    ['a third is none', [33, 33], carried],
    ['without a market is none', [], carried],
  ])('%s', (_what, prices, expected) => {
    expect(failover(prices)).toEqual(expected);
  });

  it('may return to the list’s price, however far markets were from it', () => {
    expect(failover([101], 900)).toEqual([101, 'coinbase']);
    expect(failover([800], 900)).toEqual(carried);
    expect(failover([800], 900, LATER - 120_000)).toEqual([800, 'coinbase']);
  });

  it('has a market cap of the last supply, the last figures with their time, and no all-time high below its price', async () => {
    const ticker = tickerOf('a', 100);
    const usd = {
      ...ticker.quotes.USD,
      ath_price: 102,
      ath_date: '2026-01-01T00:00:00Z',
      market_cap: 500,
      volume_24h: 6,
      percent_change_1h: 1,
      percent_change_24h: 3,
      percent_change_7d: 25,
    };
    const list = snapshotAt(NOW, { ...ticker, max_supply: 21, rank: 9, quotes: { USD: usd } });
    const rowAt = (price: number, now = LATER) => {
      const quotes = { takenAt: now, coins: new Map([['a', quotesOf(price)]]) };
      return failoverOf({ list, published: list }, quotes, now).priced[0]?.ticker;
    };

    expect(rowAt(101)).toMatchObject({
      ...{ max_supply: 21, rank: 9, last_updated: new Date(LATER).toISOString().replace('.000', '') },
      quotes: {
        USD: {
          ...{ ath_price: 102, ath_date: '2026-01-01T00:00:00Z', percent_from_price_ath: -0.98 },
          ...{ market_cap: 505, volume_24h: 6, figures_at: ticker.last_updated },
          // That of a day is the markets' own, and shorter ones would be of another time.
          ...{ percent_change_1h: null, percent_change_24h: 0, percent_change_7d: 26.25 },
        },
      },
      sources: null,
    });
    expect(rowAt(103)?.quotes.USD).toMatchObject({ ath_price: null, ath_date: null });
    const late = NOW + 13 * 3_600_000;
    vi.setSystemTime(late);
    expect(rowAt(101, late)?.quotes.USD).toMatchObject({
      ...{ price: 101, market_cap: null, volume_24h: null, percent_change_7d: null },
    });
  });
});
