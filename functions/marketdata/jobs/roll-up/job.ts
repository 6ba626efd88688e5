import type { Job } from '../../../../shared/platform/job.ts';

export const job: Job = {
  name: 'marketdata/roll-up',
  summary: 'Makes hours of the samples of all coins, and after each day adds it to the history of each coin',
  everyMinutes: 30,
  retries: 1,
  publishes: ['history'],
  environment: [],
  memoryMb: 512,
  timeoutSeconds: 300,
};
