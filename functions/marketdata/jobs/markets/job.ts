import type { Job } from '../../../../shared/platform/job.ts';
import { exchanges, sourceSettings } from '../../../../shared/providers/sources.ts';

export const job: Job = {
  name: 'marketdata/markets',
  summary: 'Finds out which market of an exchange is which coin, and publishes what these markets say',
  everyMinutes: 'SNAPSHOT_MINUTES',
  // When the snapshot is published, which the markets are compared with.
  fromMinute: 3,
  // The next run comes soon, and nothing is lost but this one.
  retries: 0,
  publishes: ['sources'],
  reads: ['snapshot'],
  registry: true,
  environment: [...sourceSettings, 'SNAPSHOT_MINUTES', 'REGISTRY_PATH'],
  rows: [...exchanges.keys()],
  memoryMb: 512,
  timeoutSeconds: 120,
};
