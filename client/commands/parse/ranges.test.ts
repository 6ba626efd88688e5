import { expect, test } from 'vitest';
import { rangeNameOf, ranges, wholeRange } from './table.ts';

const NOW = Date.UTC(2026, 0, 1);

test.each([
  ['2025-12-01T00:00:00Z', { interval: '24h', limit: 32 }],
  ['2023-01-01T00:00:00Z', { interval: '7d', limit: 158 }],
  ['2014-01-01T00:00:00Z', { interval: '14d', limit: 315 }],
  ['2010-07-17T00:00:00Z', { interval: '30d', limit: 190 }],
])('all of a coin that is known since %s is one request for %j', (firstDataAt, range) => {
  expect(wholeRange(firstDataAt, NOW)).toEqual(range);
});

test('of a coin whose age nobody knows it is as long as candles of two weeks reach', () => {
  expect(wholeRange(null, NOW)).toEqual(ranges.all);
});

test('a range has the name of the same candles, and none with a beginning or an end', () => {
  expect(
    [{}, { interval: '1h', limit: 24 }, { start: '2026-01-01' }].map(
      rangeNameOf as (range: object) => unknown,
    ),
  ).toEqual(['1m', '1d', undefined]);
});
