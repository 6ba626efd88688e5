import type { Job } from '../../../../shared/platform/job.ts';
import { coinProvider, coinProviderSettings } from '../../../../shared/providers/index.ts';
import { budgetEnvironment } from '../../contract.ts';

export const job: Job = {
  name: 'marketdata/snapshot',
  summary: 'Publishes the tickers of all coins from one request to the provider',
  everyMinutes: 'SNAPSHOT_MINUTES',
  fromMinute: 2,
  // The next run starts soon, and every attempt costs a request.
  retries: 1,
  publishes: ['snapshot', 'history'],
  reads: ['sources', 'registry'],
  registry: true,
  requestsARun: 1,
  environment: [...coinProviderSettings, 'SNAPSHOT_MINUTES', 'REGISTRY_PATH', ...budgetEnvironment],
  rows: [coinProvider.name],
  memoryMb: 1024,
  timeoutSeconds: 60,
};
