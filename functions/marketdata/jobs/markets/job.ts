import type { Job } from '../../../../shared/platform/job.ts';
import { exchanges, sourceSettings } from '../../../../shared/providers/sources.ts';

export const job: Job = {
  name: 'marketdata/markets',
  summary:
    'Maps the markets of exchanges to the coins that the provider states for them, and publishes their prices',
  everyMinutes: 'SNAPSHOT_MINUTES',
  // Runs just before the snapshot, whose prices are compared with those of markets at the same moment.
  fromMinute: 1,
  // The next run starts soon; a failed one loses nothing else.
  retries: 0,
  publishes: ['sources'],
  reads: ['snapshot', 'registry'],
  registry: true,
  environment: [...sourceSettings, 'SNAPSHOT_MINUTES', 'REGISTRY_PATH'],
  rows: [...exchanges.keys()],
  memoryMb: 512,
  timeoutSeconds: 120,
};
