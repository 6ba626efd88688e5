import type { Job } from '../../../../shared/platform/job.ts';
import { providerNames, providerSettings } from '../../../../shared/providers/index.ts';
import { budgetEnvironment } from '../../contract.ts';

export const job: Job = {
  name: 'marketdata/contracts',
  summary: 'Stores the coins of contracts, from about one request to the provider for each chain',
  everyMinutes: 7 * 24 * 60,
  retries: 2,
  publishes: ['sources'],
  environment: [...providerSettings, 'TOKEN_SOURCES', ...budgetEnvironment],
  rows: providerNames,
  memoryMb: 512,
  timeoutSeconds: 120,
};
