import { ApiError } from '../../../../shared/http/errors.ts';
import { type HistoryClient, requestCandles } from '../../../../shared/marketdata/serve/fetch-candles.ts';
import type { Coverage } from '../../../../shared/marketdata/store/candle-rows.ts';
import { noCoinObject } from '../../../../shared/marketdata/store/coin-object.ts';
import type { StoredCandle } from '../../../../shared/marketdata/store/stored-candle.ts';
import { type BaseInterval, windowOf } from '../../../../shared/marketdata/window.ts';
import type { Environment } from '../../../../shared/platform/environment.ts';

/** What a provider was asked for, and what there was of it. */
export interface Latest {
  readonly candles: readonly StoredCandle[];
  readonly asked: Coverage;
}

/** Fetches the latest base candles of a coin that are closed for good. Throws ApiError. */
export type FetchLatest = (id: string, base: BaseInterval, deadline: number) => Promise<Latest>;

/** The provider may still be adding up a candle for so long after it has closed. */
const SETTLED_AFTER_MS = 10 * 60_000;
const HOURS = 24;

/** The end of the last interval that is closed for good. */
export function closedUntil(now: number, stepMs: number): number {
  return Math.floor((now - SETTLED_AFTER_MS) / stepMs) * stepMs;
}

/** By one request: the hours of a day, or as many days as there are in one answer of candles or prices. */
export function latestFrom(
  environment: Environment,
  client: HistoryClient,
  isActive: (id: string) => boolean | undefined,
  priceOf: (id: string) => Promise<number | undefined>,
): FetchLatest {
  const { candles, prices } = client.provider.limits.latest;
  const limits = { '1h': HOURS, '24h': Math.min(candles, prices) } as const;

  return async (id, base, deadline) => {
    const now = Date.now();
    const window = windowOf({ interval: base, limit: limits[base] }, now);
    let isConfirmed = false;
    const fetched = await requestCandles(
      environment,
      client,
      { id, window },
      {
        deadline,
        object: noCoinObject,
        isActive: isActive(id),
        async price() {
          const price = await priceOf(id);
          isConfirmed = price !== undefined;
          return price;
        },
      },
    );
    if ('refusal' in fetched) throw fetched.refusal;
    const { candles: rows, asked } = fetched.value;
    const to = closedUntil(Math.min(now, asked?.to ?? now), window.stepMs);
    return {
      // Without a price to hold them against they may be another coin's, and what is stored stays.
      candles: isConfirmed ? rows.filter(({ opensAt }) => opensAt < to) : [],
      asked: { from: Math.min(asked?.from ?? window.from, to), to },
    };
  };
}

/** For `catch`: an ApiError is an answer too. */
export function orApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  throw error;
}
