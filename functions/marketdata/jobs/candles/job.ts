import type { Job } from '../../../../shared/platform/job.ts';
import { exchanges, sourceSettings } from '../../../../shared/providers/sources.ts';

export const job: Job = {
  name: 'marketdata/candles',
  summary: 'Stores what exchanges tell of the coins that they are known to trade: hours, days and their past',
  everyMinutes: 10,
  // Until an exchange has told of an hour that has begun, its candle is made of samples.
  onTheHour: true,
  // The next run comes soon, and goes on where this one ended.
  retries: 0,
  publishes: ['history', 'sources'],
  reads: ['snapshot'],
  environment: sourceSettings,
  rows: [...exchanges.keys()],
  // The first run of 600 coins came to 217 MB, and waits more than it works (docs/cost.md).
  memoryMb: 384,
  timeoutSeconds: 300,
};
