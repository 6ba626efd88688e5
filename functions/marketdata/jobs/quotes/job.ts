import type { Job } from '../../../../shared/platform/job.ts';
import { exchanges, sourceSettings } from '../../../../shared/providers/sources.ts';

export const job: Job = {
  name: 'marketdata/quotes',
  summary: 'Publishes the prices that the markets of exchanges have now',
  everyMinutes: 'QUOTES_MINUTES',
  // Where it runs every five minutes, no other job starts in these.
  fromMinute: 4,
  // The next run starts soon.
  retries: 0,
  publishes: ['snapshot', 'sources'],
  environment: [...sourceSettings, 'QUOTES_MINUTES'],
  rows: [...exchanges.keys()],
  memoryMb: 256,
  timeoutSeconds: 55,
};
