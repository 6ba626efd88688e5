import type { Job } from '../../../../shared/platform/job.ts';

export const job: Job = {
  name: 'marketdata/roll-up',
  summary:
    'Makes hours of the samples of all coins, and after each day merges it into the history of the coins',
  everyMinutes: 30,
  // Soon after an hour is over, and its last samples are stored.
  fromMinute: 6,
  retries: 1,
  publishes: ['history'],
  removesCoins: true,
  environment: [],
  // A day of 100,000 coins (docs/performance.md).
  memoryMb: 1024,
  timeoutSeconds: 300,
};
