import type { Job } from '../../../../shared/platform/job.ts';
import { ratesSource } from '../../../../shared/providers/sources.ts';

export const job: Job = {
  name: 'marketdata/daily-rates',
  summary: 'Publishes the day’s euro exchange rates from one request to their source',
  // Rates are published in the afternoon, so some run finds them by the evening, whatever its phase.
  everyMinutes: 6 * 60,
  retries: 2,
  publishes: ['snapshot'],
  environment: [ratesSource.settings.baseUrl],
  // The file of all past days is 8 MB of XML.
  memoryMb: 512,
  timeoutSeconds: 60,
};
