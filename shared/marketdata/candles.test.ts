import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../platform/time.ts';
import { type BaseCandle, derive, fold as foldCandles, type PricePoint } from './candles.ts';
import { type Window, windowOf } from './window.ts';

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

/** The 7-day window that ends with day 13. */
const weeks = windowOf({ interval: '7d', limit: 2, end: iso(day(14)) }, day(30));
const indexes = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('folding', () => {
  it('makes a candle of the last unit alone if the coin was redenominated in its interval', () => {
    const daily = indexes(14).map((index) => candle(index));
    daily[3] = candle(3, { open: 3_000, high: 4_000, low: 2_000, close: 3_500, new_unit: true });
    for (const index of [4, 5, 6])
      daily[index] = candle(index, { open: 3_500, high: 3_900, low: 3_100, close: 3_600 });

    const [week, next] = fold(daily, weeks);

    expect(week).toMatchObject({
      ...{ time_open: '2026-01-01T00:00:00Z', open: 3_000, high: 4_000, low: 2_000, close: 3_600 },
      new_unit: true,
    });
    expect(next).not.toHaveProperty('new_unit');
  });

  it('takes the first open, the highest high, the lowest low, the last close and market cap, and adds volumes', () => {
    const daily = indexes(14).map((index) => candle(index));
    daily[3] = candle(3, { high: 99, low: 1 });

    const [week, next] = fold(daily, weeks);

    expect(week).toEqual({
      ...{ time_open: '2026-01-01T00:00:00Z', time_close: '2026-01-07T23:59:59Z' },
      ...{ open: 10, high: 99, low: 1, close: 17, volume: 700, market_cap: 1006 },
      ...made,
      complete: true,
    });
    expect(next).toMatchObject({ time_open: '2026-01-08T00:00:00Z', open: 17, market_cap: 1013 });
  });

  it('counts buckets back from the end of the window; the first one holds the rest', () => {
    const fromStart = windowOf({ interval: '7d', limit: 3, start: iso(day(0)), end: iso(day(10)) }, day(30));
    const daily = indexes(10).map((index) => candle(index));
    const spans = fold(daily, fromStart).map((one) => [
      one.time_open.slice(8, 10),
      one.time_close.slice(8, 10),
    ]);
    expect(spans).toEqual([
      ['01', '03'],
      ['04', '10'],
    ]);
  });

  it('makes candles of the known days, and none of an empty bucket', () => {
    const months = windowOf({ interval: '7d', limit: 3, end: iso(day(21)) }, day(30));
    expect(fold([candle(2), candle(5), candle(20)], months)).toMatchObject([
      { time_open: candle(2).time_open, time_close: candle(5).time_close, volume: 200, complete: false },
      { ...candle(20), complete: false },
    ]);
    expect(fold([], months)).toEqual([]);
  });

  it.each<[string, readonly Partial<BaseCandle>[], Partial<BaseCandle>]>([
    ['volumes, none of which is missing', [{ volume: 5 }, { volume: 0 }], { volume: 5 }],
    ['volumes, one of which is missing', [{ volume: 5 }, { volume: null }, { volume: 7 }], { volume: null }],
    ['a market cap that is missing last', [{}, { market_cap: null }], { market_cap: null }],
    [
      'qualities and sources',
      [{}, { quality: 'derived', source: 'other' }, { quality: 'sampled' }],
      { quality: 'derived', source: 'test,other' },
    ],
  ])('of %s', (_what, figures, expected) => {
    expect(
      fold(
        figures.map((one, index) => candle(index, one)),
        weeks,
      ),
    ).toMatchObject([expected]);
  });

  it('marks a candle that is not closed or lacks days', () => {
    const daily = indexes(14).map((index) => candle(index));
    const isClosed = ({ time_open }: BaseCandle) => Date.parse(time_open) < day(13);
    const completeness = (candles: readonly BaseCandle[]) =>
      foldCandles(candles, weeks, isClosed).map((folded) => folded.complete);

    expect(completeness(daily)).toEqual([true, false]);
    expect(completeness(daily.toSpliced(3, 1))).toEqual([false, false]);
  });
});

describe('deriving', () => {
  const point = (time: number, price: number): PricePoint => ({
    timestamp: iso(time),
    price,
    volume_24h: 100 * price,
    market_cap: 1000 * price,
  });
  const week = windowOf({ interval: '24h', limit: 7, end: iso(day(7)) }, day(30));

  it('opens at the previous price and closes at the price, and after a gap opens at its own', () => {
    const candles = derive([point(day(-1), 3), point(day(0), 5), point(day(1), 4), point(day(5), 9)], week);
    expect(candles[0]).toEqual({
      ...{ time_open: '2026-01-01T00:00:00Z', time_close: '2026-01-01T23:59:59Z' },
      ...{ open: 3, high: 5, low: 3, close: 5, volume: 500, market_cap: 5000, volume_24h: 500 },
    });
    expect(
      candles.map(({ time_open, open, high, low, close }) => [time_open, open, high, low, close]),
    ).toEqual([
      [iso(day(0)), 3, 5, 3, 5],
      [iso(day(1)), 5, 5, 4, 4],
      [iso(day(5)), 9, 9, 9, 9],
    ]);
  });

  it('has no volume for an hour: the history has that of 24 hours only', () => {
    const hours = windowOf({ interval: '1h', limit: 1, end: iso(day(0) + 3_600_000) }, day(30));
    expect(derive([point(day(0), 5)], hours)).toMatchObject([
      { open: 5, volume: null, market_cap: 5000, volume_24h: 500 },
    ]);
  });

  it('makes no candle of no prices, nor of the one before the window', () => {
    expect([derive([], week), derive([point(day(-1), 3)], week)]).toEqual([[], []]);
  });
});
