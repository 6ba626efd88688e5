import type { Job } from '../../../../shared/platform/job.ts';

export const job: Job = {
  name: 'marketdata/probe',
  summary: 'Requests a price and candles as a user does, and counts faulty responses',
  everyMinutes: 5,
  fromMinute: 4,
  onlyWith: 'probe',
  // The next run starts soon, and the failed one is counted.
  retries: 0,
  environment: ['PAGE_URL', 'CLIENT_API_KEY'],
  memoryMb: 128,
  timeoutSeconds: 30,
};
