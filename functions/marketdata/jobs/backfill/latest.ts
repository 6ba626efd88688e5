import { ApiError } from '../../../../shared/http/errors.ts';
import type { BaseCandle } from '../../../../shared/marketdata/candles.ts';
import type { Asked } from '../../../../shared/marketdata/store/candle-rows.ts';
import type { StoredCandle } from '../../../../shared/marketdata/store/stored-candle.ts';
import { upstreamOf } from '../../../../shared/marketdata/upstream.ts';
import type { HistoryClient, PriceLookup } from '../../../../shared/marketdata/upstream-rows.ts';
import { type BaseInterval, windowOf } from '../../../../shared/marketdata/window.ts';

/** What a provider was asked for, and what there was of it. */
export interface Latest {
  readonly candles: readonly StoredCandle[];
  readonly asked: Asked;
}

/** Gives the latest base candles of a coin that are closed for good. Throws ApiError. */
export type AskLatest = (id: string, base: BaseInterval, deadline: number) => Promise<Latest>;

/** The provider may still be adding up a candle for so long after it has closed. */
const SETTLED_AFTER_MS = 10 * 60_000;
const HOURS = 24;

/** The end of the last interval that is closed for good. */
export function closedUntil(now: number, stepMs: number): number {
  return Math.floor((now - SETTLED_AFTER_MS) / stepMs) * stepMs;
}

/**
 * By one request: the hours of a day, or as many days as there are in one answer of candles or prices. An older answer
 * that another instance has asked for is as good, up to when it was made.
 */
export function latestFrom(
  client: HistoryClient,
  isActive: (id: string) => boolean | undefined,
  priceOf: PriceLookup,
): AskLatest {
  const upstream = upstreamOf(client, client, priceOf);
  const { candles, prices } = client.provider.limits.latest;
  const limits = { '1h': HOURS, '24h': Math.min(candles, prices) } as const;

  return async (id, base, deadline) => {
    const now = Date.now();
    const window = windowOf({ interval: base, limit: limits[base] }, now);
    const query = { id, quote: 'usd' as const, window };
    const patience = { deadline, staleWaitMs: deadline - now, isActive: isActive(id) };
    const answer = await upstream.rows(query, patience);
    if (answer.stale) throw new ApiError(502, 'The provider fails, and what is at hand is from before');
    const to = closedUntil(Math.min(now, answer.closedUntil), window.stepMs);
    return {
      // They may be another coin's, and what is stored stays.
      candles: answer.isUnconfirmed
        ? []
        : answer.rows.map((row) => storedCandle(row, window.stepMs)).filter(({ opensAt }) => opensAt < to),
      asked: { from: Math.min(window.from, to), to },
    };
  };
}

function storedCandle({ time_open, time_close, ...candle }: BaseCandle, stepMs: number): StoredCandle {
  const opensAt = Date.parse(time_open);
  return { ...candle, opensAt, lastAt: opensAt + stepMs, samples: 0 };
}
