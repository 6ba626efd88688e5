import type { Environment } from '../../platform/environment.ts';
import { type CoinPaprika, createCoinPaprika } from './client.ts';

/** 56,000 coins, or 14,000 tickers, are 10 MB. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;
/** For one answer with its retry, in milliseconds. */
export const SCHEDULED_TIME_MS = 30_000;

/** A client for scheduled work: large answers, more time for each, paid for from what is kept for such work. */
export function scheduledCoinPaprika(environment: Environment): CoinPaprika {
  return createCoinPaprika(environment, {
    maxBodyBytes: MAX_BODY_BYTES,
    timeoutMs: SCHEDULED_TIME_MS,
    purpose: 'scheduled',
  });
}
