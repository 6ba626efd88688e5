import type { Job } from '../../../../shared/platform/job.ts';

export const job: Job = {
  name: 'marketdata/roll-up',
  summary: 'Makes hours of the samples of all coins, and after each day adds it to the history of each coin',
  everyMinutes: 30,
  retries: 1,
  publishes: ['history'],
  environment: [],
  // A day of 12,900 coins: 400 MB in a fresh container, more in a warm one (docs/performance.md).
  memoryMb: 1024,
  timeoutSeconds: 300,
};
