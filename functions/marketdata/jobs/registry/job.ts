import type { Job } from '../../../../shared/platform/job.ts';
import { providerNames, providerSettings } from '../../../../shared/providers/index.ts';
import { budgetEnvironment } from '../../contract.ts';

export const job: Job = {
  name: 'marketdata/registry',
  summary:
    'Publishes the daily coin registry from one request to the provider, and asks it what a paid plan has left',
  everyMinutes: 24 * 60,
  retries: 2,
  publishes: ['registry'],
  asksOnce: true,
  environment: [...providerSettings, ...budgetEnvironment],
  rows: providerNames,
  memoryMb: 1024,
  timeoutSeconds: 120,
};
