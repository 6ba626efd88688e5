import type { Job } from '../../../../shared/platform/job.ts';
import { exchanges, sourceSettings } from '../../../../shared/providers/sources.ts';

export const job: Job = {
  name: 'marketdata/candles',
  summary: 'Publishes the hours of the running day of the coins that exchanges are known to trade',
  everyMinutes: 'CANDLES_MINUTES',
  // Until an exchange has told of an hour that has begun, its candle is made of samples.
  fromMinute: 0,
  // The next run comes soon, and goes on where this one ended.
  retries: 0,
  publishes: ['history'],
  reads: ['snapshot', 'sources'],
  environment: [...sourceSettings, 'CANDLES_MINUTES'],
  rows: [...exchanges.keys()],
  // The first run of 600 coins came to 217 MB, and waits more than it works (docs/cost.md).
  memoryMb: 384,
  timeoutSeconds: 210,
};
