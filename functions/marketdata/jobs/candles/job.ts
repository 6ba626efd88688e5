import type { Job } from '../../../../shared/platform/job.ts';
import { exchanges, sourceSettings } from '../../../../shared/providers/sources.ts';

export const job: Job = {
  name: 'marketdata/candles',
  summary: 'Publishes the hours of the running day for coins that exchanges trade',
  everyMinutes: 'CANDLES_MINUTES',
  // Until an exchange reports an hour that has begun, its candle is made of samples.
  fromMinute: 0,
  // The next run starts soon and continues where this one ended.
  retries: 0,
  publishes: ['history'],
  reads: ['snapshot', 'sources'],
  environment: [...sourceSettings, 'CANDLES_MINUTES'],
  rows: [...exchanges.keys()],
  // The first run, of 600 coins, used 217 MB, and most of its time is waiting (docs/cost.md).
  memoryMb: 384,
  timeoutSeconds: 210,
};
