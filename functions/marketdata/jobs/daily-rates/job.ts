import type { Job } from '../../../../shared/platform/job.ts';
import { ratesSources } from '../../../../shared/providers/sources.ts';

export const job: Job = {
  name: 'marketdata/daily-rates',
  summary: 'Publishes the day’s euro exchange rates from two sources, and once those of all past days',
  // Each source has new rates at an hour of its own, and what one could not give comes with the next run.
  everyMinutes: 2 * 60,
  retries: 2,
  publishes: ['snapshot'],
  environment: Object.values(ratesSources).map(({ settings }) => settings.baseUrl),
  // The file of all past days is 8 MB of XML, and a group of currencies 6 MB of JSON.
  memoryMb: 512,
  timeoutSeconds: 300,
};
