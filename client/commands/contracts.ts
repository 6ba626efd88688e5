import type { route as coin } from '../../functions/marketdata/coin/route.ts';
import type { route as ohlcv } from '../../functions/marketdata/ohlcv/route.ts';
import type { route as resolve } from '../../functions/marketdata/resolve/route.ts';
import type { route as search } from '../../functions/marketdata/search/route.ts';
import type { route as ticker } from '../../functions/marketdata/ticker/route.ts';
import type { DataOf, RequestOf } from '../../shared/http/route.ts';

/** The routes that the commands call. Types alone: a schema, or its compiler, never reaches the page. */
export interface Contracts {
  readonly coin: typeof coin;
  readonly ohlcv: typeof ohlcv;
  readonly resolve: typeof resolve;
  readonly search: typeof search;
  readonly ticker: typeof ticker;
}

export type RouteName = keyof Contracts;
export type Input<Name extends RouteName> = RequestOf<Contracts[Name]>;
export type Data<Name extends RouteName> = DataOf<Contracts[Name]>;

export type Candle = Data<'ohlcv'>['data'][number];
export type SearchEntry = Data<'search'>['results'][number];

/** Paths are all of a route that is needed at run time; a test keeps them equal to the routes. */
export const paths = {
  coin: '/api/marketdata/coins/{id}',
  ohlcv: '/api/marketdata/ohlcv/{id}',
  resolve: '/api/marketdata/resolve/{symbol}',
  search: '/api/marketdata/search',
  ticker: '/api/marketdata/ticker/{id}',
} as const satisfies Record<RouteName, `/${string}`>;
