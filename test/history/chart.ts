import { vi } from 'vitest';
import type { S3Server } from '../../local/s3.ts';
import type { LambdaHandler } from '../../shared/http/endpoint.ts';
import { call } from '../pipeline/event.ts';

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

/** The charts' function in a new container; what it asked S3 for while it was loaded is forgotten. */
export async function coldStart(s3: S3Server): Promise<LambdaHandler> {
  vi.resetModules();
  const { handler } = await import('../../functions/marketdata/ohlcv/handler.ts');
  s3.requests.length = 0;
  return handler;
}

export function askForChart(handler: LambdaHandler, id: string, query: string) {
  const path = `/api/marketdata/ohlcv/${encodeURIComponent(id)}`;
  return call(handler, { path, pathParameters: { id }, query: `provenance=true&${query}` });
}
