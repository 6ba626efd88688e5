import type { Job } from '../../../../shared/platform/job.ts';
import { coinProvider, coinProviderSettings } from '../../../../shared/providers/index.ts';
import { exchanges, idSource } from '../../../../shared/providers/sources.ts';
import { budgetEnvironment } from '../../contract.ts';

export const job: Job = {
  name: 'marketdata/registry',
  summary:
    'Publishes the daily coin registry from one request to the provider, with another list’s ids from eleven requests to its source, and the coins of each exchange’s markets from one request to the provider; reads what is left of a paid plan',
  everyMinutes: 24 * 60,
  retries: 2,
  publishes: ['registry', 'sources'],
  reads: ['snapshot'],
  requestsARun: 1 + exchanges.size,
  environment: [
    ...coinProviderSettings,
    idSource.settings.baseUrl,
    'ID_SOURCES',
    'CANDLE_SOURCES',
    ...budgetEnvironment,
  ],
  rows: [coinProvider.name, idSource.name],
  memoryMb: 1024,
  // Eleven requests, five seconds apart, and then a minute for the lists of markets.
  timeoutSeconds: 240,
};
