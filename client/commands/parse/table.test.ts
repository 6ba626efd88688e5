import { expect, test } from 'vitest';
import { route as ohlcv } from '../../../functions/marketdata/ohlcv/route.ts';
import { route as search } from '../../../functions/marketdata/search/route.ts';
import { intervals, maxCandles, maxMatches, quotes } from './table.ts';

test('the options allow what the routes allow', () => {
  const { interval, limit, quote } = ohlcv.query?.properties ?? {};
  expect(interval).toMatchObject({ enum: intervals });
  expect(quote).toMatchObject({ enum: quotes });
  expect(limit).toMatchObject({ minimum: 1, maximum: maxCandles });
  expect(search.query?.properties.limit).toMatchObject({ minimum: 1, maximum: maxMatches });
});
