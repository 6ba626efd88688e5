import type { Job } from '../../../../shared/platform/job.ts';
import { providerNames, providerSettings } from '../../../../shared/providers/index.ts';
import { budgetEnvironment } from '../../contract.ts';

export const job: Job = {
  name: 'marketdata/backfill',
  summary: 'Stores the past of coins in our own history, with the requests that are left of the day’s budget',
  everyMinutes: 30,
  // The next run comes soon, and goes on where this one ended.
  retries: 0,
  publishes: ['history'],
  registry: true,
  environment: [...providerSettings, 'REGISTRY_PATH', 'UPSTREAM_TIMEOUT_MS', ...budgetEnvironment],
  rows: providerNames,
  memoryMb: 512,
  timeoutSeconds: 120,
};
