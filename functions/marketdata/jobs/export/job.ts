import type { Job } from '../../../../shared/platform/job.ts';

export const job: Job = {
  name: 'marketdata/export',
  summary:
    'Writes the stored history as Parquet files below exports/, for years and months that have changed',
  everyMinutes: 30 * 24 * 60,
  onlyWith: 'monthlyExport',
  // The next attempt continues a run that ends halfway.
  retries: 2,
  publishes: ['exports'],
  reads: ['history'],
  environment: [],
  memoryMb: 2048,
  timeoutSeconds: 900,
};
