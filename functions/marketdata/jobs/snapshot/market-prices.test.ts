import { beforeEach, describe, expect, it, vi } from 'vitest';
import { encodeSnapshot, openSnapshot } from '../../../../shared/marketdata/store/snapshot.ts';
import type { Ticker } from '../../../../shared/marketdata/ticker.ts';
import { NOW, tickerOf } from '../../../../test/snapshot/tickers.ts';
import { quotesOf } from '../../../../test/snapshot/two-sides.ts';
import { failoverOf, opinionOf } from './market-prices.ts';

describe('the markets’ opinion of a price', () => {
  it.each<[string, readonly number[], number, number, number, number | undefined]>([
    ['one market agrees', [101], 1, 1, 0, undefined],
    ['one market alone disputes nothing', [500], 0, 1, 0, undefined],
    ['two agree, and one that lies changes nothing', [100, 101, 900], 2, 3, 792.0792, undefined],
    ['all are off together', [112, 113, 114], 0, 3, 1.7699, 113],
    ['two are off together', [80, 88], 0, 2, 9.5238, 84],
    ['less than a tenth off is not disputed', [91, 91], 0, 2, 0, undefined],
    ['2 % off agrees', [98, 102, 102.1], 2, 3, 4.0196, undefined],
  ])('%s', (_what, prices, agreeing, of, spreadPercent, against) => {
    const quotes = quotesOf(...prices);
    expect(opinionOf(100, quotes)).toEqual({
      sources: {
        ...{ agreeing, of, spreadPercent },
        prices: quotes.map(({ exchange, price: last }) => ({ exchange, price: last })),
      },
      against,
    });
  });

  it('is nothing without a market, and no dispute without a price', () => {
    expect(opinionOf(100, [])).toEqual({ sources: null, against: undefined });
    expect(opinionOf(null, quotesOf(1, 1))).toMatchObject({
      sources: { agreeing: 0, of: 2, spreadPercent: 0 },
      against: undefined,
    });
  });
});

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

  it('has no all-time high below its price, and null for figures of another time', () => {
    const ticker = tickerOf('a', 100);
    const usd = {
      ...ticker.quotes.USD,
      ath_price: 102,
      ath_date: '2026-01-01T00:00:00Z',
      market_cap: 5,
      volume_24h: 6,
    };
    const list = snapshotAt(NOW, { ...ticker, max_supply: 21, quotes: { USD: usd } });
    const rowAt = (price: number) => {
      const quotes = { takenAt: LATER, coins: new Map([['a', quotesOf(price)]]) };
      return failoverOf({ list, published: list }, quotes, LATER).priced[0]?.ticker;
    };

    expect(rowAt(101)).toMatchObject({
      max_supply: 21,
      last_updated: new Date(LATER).toISOString(),
      quotes: {
        USD: { ath_price: 102, ath_date: '2026-01-01T00:00:00Z', market_cap: null, volume_24h: null },
      },
      sources: null,
    });
    expect(rowAt(103)?.quotes.USD).toMatchObject({ ath_price: null, ath_date: null });
  });
});
