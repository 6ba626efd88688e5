import type { Job } from '../../../../shared/platform/job.ts';
import { exchanges, sourceSettings } from '../../../../shared/providers/sources.ts';

export const job: Job = {
  name: 'marketdata/markets',
  summary: 'Maps the markets of exchanges to the coins that the provider states for them',
  everyMinutes: 30,
  fromMinute: 1,
  retries: 0,
  publishes: ['sources'],
  reads: ['snapshot', 'registry'],
  registry: true,
  environment: [...sourceSettings, 'REGISTRY_PATH'],
  rows: [...exchanges.keys()],
  memoryMb: 512,
  timeoutSeconds: 120,
};
