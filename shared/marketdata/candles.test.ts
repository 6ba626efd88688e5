import { describe, expect, it } from 'vitest';
import { type BaseCandle, derive, fold as foldCandles, type PricePoint } from './candles.ts';
import { type Window, windowOf } from './window.ts';

const DAY_MS = 86_400_000;
const day = (index: number) => Date.UTC(2026, 0, 1) + index * DAY_MS;
const iso = (time: number) => `${new Date(time).toISOString().slice(0, 19)}Z`;

const made = { quality: 'exact', source: 'test' } as const;

function candle(index: number, figures: Partial<BaseCandle> = {}): BaseCandle {
  return {
    time_open: iso(day(index)),
    time_close: iso(day(index + 1) - 1000),
    open: 10 + index,
    high: 20 + index,
    low: 5 + index,
    close: 11 + index,
    volume: 100,
    market_cap: 1000 + index,
    ...made,
    ...figures,
  };
}

const fold = (candles: readonly BaseCandle[], window: Window) => foldCandles(candles, window, () => true);
const complete = (candle: BaseCandle) => ({ ...candle, complete: true });

/** The 7-day window that ends with day 13. */
const weeks = windowOf({ interval: '7d', limit: 2, end: iso(day(14)) }, day(30));
const indexes = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('folding', () => {
  it('takes the open of the first, the highest high, the lowest low, the close and market cap of the last, and adds volumes', () => {
    const daily = indexes(14).map((index) => candle(index));
    daily[3] = candle(3, { high: 99, low: 1 });

    expect(fold(daily, weeks)).toEqual([
      {
        time_open: '2026-01-01T00:00:00Z',
        time_close: '2026-01-07T23:59:59Z',
        open: 10,
        high: 99,
        low: 1,
        close: 17,
        volume: 700,
        market_cap: 1006,
        ...made,
        complete: true,
      },
      {
        time_open: '2026-01-08T00:00:00Z',
        time_close: '2026-01-14T23:59:59Z',
        open: 17,
        high: 33,
        low: 12,
        close: 24,
        volume: 700,
        market_cap: 1013,
        ...made,
        complete: true,
      },
    ]);
  });

  it('counts its buckets back from the end of the window, the first being what is left', () => {
    const fromStart = windowOf({ interval: '7d', limit: 3, start: iso(day(0)), end: iso(day(10)) }, day(30));

    const spans = fold(
      indexes(10).map((index) => candle(index)),
      fromStart,
    ).map(({ time_open, time_close }) => `${time_open.slice(0, 10)}/${time_close.slice(0, 10)}`);

    expect(spans).toEqual(['2026-01-01/2026-01-03', '2026-01-04/2026-01-10']);
  });

  it('makes candles of what there is where days are missing, and none of a bucket without any', () => {
    const months = windowOf({ interval: '7d', limit: 3, end: iso(day(21)) }, day(30));

    const folded = fold([candle(2), candle(5), candle(20)], months);

    expect(folded).toEqual([
      {
        ...candle(2),
        time_close: candle(5).time_close,
        high: 25,
        close: 16,
        volume: 200,
        market_cap: 1005,
        complete: false,
      },
      { ...candle(20), complete: false },
    ]);
  });

  it.each([
    [[null, null], null],
    [[null, 5], null],
    [[5, null], null],
    [[5, 0], 5],
    [[5, null, 7], null],
    [[5, 7], 12],
  ])('adds the volumes %j to %j, to none if one is missing', (volumes, sum) => {
    const folded = fold(
      volumes.map((volume, index) => candle(index, { volume })),
      weeks,
    );

    expect(folded.map(({ volume }) => volume)).toEqual([sum]);
  });

  it('is of the weakest quality of its days, and of all their sources', () => {
    const days = [
      candle(0),
      candle(1, { quality: 'sampled', source: 'other' }),
      candle(2, { quality: 'derived' }),
    ];
    expect(fold(days.slice(0, 2), weeks)).toMatchObject([{ quality: 'sampled', source: 'test,other' }]);
    expect(fold(days, weeks)).toMatchObject([{ quality: 'derived', source: 'test,other' }]);
  });

  it('has the market cap of the last even where that is unknown', () => {
    expect(fold([candle(0), candle(1, { market_cap: null })], weeks)).toMatchObject([{ market_cap: null }]);
  });

  it('tells a candle that is not closed, or that days are missing of', () => {
    const daily = indexes(14).map((index) => candle(index));
    const isClosed = ({ time_open }: BaseCandle) => Date.parse(time_open) < day(13);
    const completeness = (candles: readonly BaseCandle[]) =>
      foldCandles(candles, weeks, isClosed).map((folded) => folded.complete);

    expect(completeness(daily)).toEqual([true, false]);
    expect(completeness(daily.slice(1))).toEqual([false, false]);
    expect(completeness(daily.toSpliced(3, 1))).toEqual([false, false]);
  });

  it('leaves candles of the base interval alone, and makes none of none', () => {
    const days = windowOf({ interval: '24h', limit: 2 }, day(1));

    expect(fold([candle(0), candle(1)], days)).toEqual([complete(candle(0)), complete(candle(1))]);
    expect(fold([], weeks)).toEqual([]);
  });
});

describe('deriving', () => {
  const point = (time: number, price: number): PricePoint => ({
    timestamp: iso(time),
    price,
    volume_24h: 100 * price,
    market_cap: 1000 * price,
  });
  const days = windowOf({ interval: '24h', limit: 2, end: iso(day(2)) }, day(30));

  it('opens at the previous price and closes at the price, between the smaller and the larger of the two', () => {
    expect(derive([point(day(-1), 3), point(day(0), 5), point(day(1), 4)], days)).toEqual([
      {
        time_open: '2026-01-01T00:00:00Z',
        time_close: '2026-01-01T23:59:59Z',
        open: 3,
        high: 5,
        low: 3,
        close: 5,
        volume: 500,
        market_cap: 5000,
      },
      {
        time_open: '2026-01-02T00:00:00Z',
        time_close: '2026-01-02T23:59:59Z',
        open: 5,
        high: 5,
        low: 4,
        close: 4,
        volume: 400,
        market_cap: 4000,
      },
    ]);
  });

  it('opens the first candle at its own price where there is none before', () => {
    const [first] = derive([point(day(0), 5), point(day(1), 4)], days);

    expect(first).toMatchObject({ time_open: iso(day(0)), open: 5, high: 5, low: 5, close: 5 });
  });

  it('keeps a gap, and opens after it at its own price', () => {
    const week = windowOf({ interval: '24h', limit: 7, end: iso(day(7)) }, day(30));

    const candles = derive([point(day(0), 5), point(day(4), 9)], week);

    expect(candles.map(({ time_open, open, close }) => [time_open, open, close])).toEqual([
      [iso(day(0)), 5, 5],
      [iso(day(4)), 9, 9],
    ]);
  });

  it('gives an hour no volume: the history has that of 24 hours only', () => {
    const hours = windowOf({ interval: '1h', limit: 1, end: iso(day(0) + 3_600_000) }, day(30));

    expect(derive([point(day(0), 5)], hours)).toEqual([
      {
        time_open: '2026-01-01T00:00:00Z',
        time_close: '2026-01-01T00:59:59Z',
        open: 5,
        high: 5,
        low: 5,
        close: 5,
        volume: null,
        market_cap: 5000,
      },
    ]);
  });

  it('makes none of no prices, nor of the one before the window', () => {
    expect(derive([], days)).toEqual([]);
    expect(derive([point(day(-1), 3)], days)).toEqual([]);
  });
});
