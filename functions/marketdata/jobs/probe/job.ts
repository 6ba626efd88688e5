import type { Job } from '../../../../shared/platform/job.ts';

export const job: Job = {
  name: 'marketdata/probe',
  summary: 'Asks for a price and for candles as a user does, and counts what is wrong with the answers',
  everyMinutes: 5,
  fromMinute: 4,
  onlyWith: 'probe',
  // The next run comes soon, and the one that failed is counted.
  retries: 0,
  environment: ['PAGE_URL', 'CLIENT_API_KEY'],
  memoryMb: 128,
  timeoutSeconds: 30,
};
