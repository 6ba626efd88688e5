import type { S3Server } from '../../local/s3.ts';
import type { LambdaHandler } from '../../shared/http/endpoint.ts';
import { call } from '../pipeline/event.ts';
import { startCold } from './world.ts';

/** A candle of the route with `provenance=true`. */
export interface Candle {
  readonly time_open: string;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number | null;
  readonly market_cap: number | null;
  readonly quality: string;
  readonly source: string;
  readonly complete: boolean;
}

/** The charts' function in a new container. */
export function coldStart(s3: S3Server): Promise<LambdaHandler> {
  return startCold(s3, () => import('../../functions/marketdata/ohlcv/handler.ts'));
}

export function fetchChart(handler: LambdaHandler, id: string, query: string) {
  const path = `/api/marketdata/ohlcv/${encodeURIComponent(id)}`;
  return call(handler, { path, pathParameters: { id }, query: `provenance=true&${query}` });
}
