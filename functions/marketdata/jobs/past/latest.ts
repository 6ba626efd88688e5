import type { HistoryClient } from '../../../../shared/marketdata/provider.ts';
import { requestCandles } from '../../../../shared/marketdata/serve/fetch-candles.ts';
import type { Coverage } from '../../../../shared/marketdata/store/candle-rows.ts';
import { SETTLED_AFTER_MS, type StoredCandle } from '../../../../shared/marketdata/store/stored-candle.ts';
import { windowOf } from '../../../../shared/marketdata/window.ts';
import type { Environment } from '../../../../shared/platform/environment.ts';
import { DAY_MS } from '../../../../shared/platform/time.ts';

/** The requested time, and the candles that the provider had in it. */
export interface Latest {
  readonly candles: readonly StoredCandle[];
  readonly coverage: Coverage;
}

/** Fetches the latest days of a coin that are closed for good. Throws ApiError. */
export type FetchLatest = (id: string, deadline: number) => Promise<Latest>;

/** The end of the last day that is closed for good. */
export function closedUntil(now: number): number {
  return Math.floor((now - SETTLED_AFTER_MS) / DAY_MS) * DAY_MS;
}

/** Fetches by one request, which returns as many days as one response of candles or prices may have. */
export function latestFrom(
  environment: Environment,
  client: HistoryClient,
  isActive: (id: string) => boolean | undefined,
  priceOf: (id: string) => Promise<number | null>,
): FetchLatest {
  const { latest } = client.provider.limits;
  const limit = Math.min(latest.candles, latest.prices);

  return async (id, deadline) => {
    const now = Date.now();
    const window = windowOf({ interval: '24h', limit }, now);
    let isConfirmed = false;
    const { candles, coverage } = await requestCandles(
      environment,
      client,
      { id, window },
      {
        deadline,
        isActive: isActive(id),
        async price() {
          const price = (await priceOf(id)) ?? undefined;
          isConfirmed = price !== undefined;
          return price;
        },
      },
    );
    const to = closedUntil(Math.min(now, coverage?.to ?? now));
    return {
      // Without a price to hold them against they may be another coin's, and what is stored stays.
      candles: isConfirmed ? candles.filter(({ isSettled }) => isSettled) : [],
      coverage: { from: Math.min(coverage?.from ?? window.from, to), to },
    };
  };
}
