import type { Job } from '../../../../shared/platform/job.ts';

export const job: Job = {
  name: 'marketdata/roll-up',
  summary: 'Makes hours of all coins’ samples, and merges each completed day into the shards',
  everyMinutes: 30,
  // Soon after an hour ends and its last samples are stored.
  fromMinute: 6,
  retries: 1,
  publishes: ['history'],
  environment: [],
  // Room for a day of 100,000 coins.
  memoryMb: 1024,
  timeoutSeconds: 300,
};
