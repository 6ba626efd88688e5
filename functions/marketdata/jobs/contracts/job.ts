import type { Job } from '../../../../shared/platform/job.ts';
import { coinProvider, coinProviderSettings } from '../../../../shared/providers/index.ts';
import { budgetEnvironment } from '../../contract.ts';

export const job: Job = {
  name: 'marketdata/contracts',
  summary: 'Stores the coins of contracts, from about one request to the provider for each chain',
  everyMinutes: 7 * 24 * 60,
  retries: 2,
  publishes: ['sources'],
  environment: [...coinProviderSettings, 'TOKEN_SOURCES', ...budgetEnvironment],
  rows: [coinProvider.name],
  memoryMb: 512,
  timeoutSeconds: 120,
};
