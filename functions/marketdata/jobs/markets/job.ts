import type { Job } from '../../../../shared/platform/job.ts';
import { exchanges, sourceSettings } from '../../../../shared/providers/sources.ts';

export const job: Job = {
  name: 'marketdata/markets',
  summary: 'Maps the markets of exchanges to coins, and publishes their prices',
  everyMinutes: 'SNAPSHOT_MINUTES',
  // Runs when the snapshot that markets are compared with has been published.
  fromMinute: 3,
  // The next run starts soon; a failed one loses nothing else.
  retries: 0,
  publishes: ['sources'],
  reads: ['snapshot'],
  registry: true,
  environment: [...sourceSettings, 'SNAPSHOT_MINUTES', 'REGISTRY_PATH'],
  rows: [...exchanges.keys()],
  memoryMb: 512,
  timeoutSeconds: 120,
};
