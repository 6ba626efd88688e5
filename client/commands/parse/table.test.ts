import { expect, test } from 'vitest';
import { route as ohlcv } from '../../../functions/marketdata/ohlcv/route.ts';
import { route as search } from '../../../functions/marketdata/search/route.ts';
import { intervals, maxCandles, maxMatches, quotes, rangeNameOf, ranges, wholeRange } from './table.ts';

test('the options allow what the routes allow', () => {
  const { interval, limit, quote } = ohlcv.query?.properties ?? {};
  expect(interval).toMatchObject({ enum: intervals });
  expect(quote).toMatchObject({ enum: quotes });
  expect(limit).toMatchObject({ minimum: 1, maximum: maxCandles });
  expect(search.query?.properties.limit).toMatchObject({ minimum: 1, maximum: maxMatches });
});

const NOW = Date.UTC(2026, 0, 1);

test.each([
  ['2025-12-01T00:00:00Z', '24h'],
  ['2023-01-01T00:00:00Z', '7d'],
  ['2014-01-01T00:00:00Z', '14d'],
  ['2010-07-17T00:00:00Z', '30d'],
])('all since %s is one request for candles of %s', (since, interval) => {
  expect(wholeRange(since, NOW)).toEqual({ interval, limit: 366 });
});

test('without a beginning it is as long as candles of two weeks reach', () => {
  expect(wholeRange(null, NOW)).toEqual(ranges.all);
});

test('a range has the name of the same candles, and none with a beginning or an end', () => {
  expect(
    [{}, { interval: '1h', limit: 24 }, { start: '2026-01-01' }].map(
      rangeNameOf as (range: object) => unknown,
    ),
  ).toEqual(['1m', '1d', undefined]);
});
