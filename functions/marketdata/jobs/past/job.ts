import type { Job } from '../../../../shared/platform/job.ts';
import { coinProvider, coinProviderSettings } from '../../../../shared/providers/index.ts';
import {
  exchanges,
  sourceSettings,
  tokenSourceSettings,
  tokenSources,
} from '../../../../shared/providers/sources.ts';
import { budgetEnvironment } from '../../contract.ts';

export const job: Job = {
  name: 'marketdata/past',
  summary: 'Stores coins’ history from exchanges, token prices and the provider',
  everyMinutes: 30,
  // Between two runs of `candles`, so that the two do not share an exchange’s pace.
  fromMinute: 15,
  // The next run starts soon and continues where this one ended.
  retries: 0,
  publishes: ['history'],
  reads: ['snapshot', 'sources', 'registry'],
  registry: true,
  environment: [
    ...sourceSettings,
    ...tokenSourceSettings,
    'TOKEN_SOURCES',
    ...coinProviderSettings,
    'REGISTRY_PATH',
    'UPSTREAM_TIMEOUT_MS',
    ...budgetEnvironment,
  ],
  rows: [...exchanges.keys(), ...tokenSources.map(({ name }) => name), coinProvider.name],
  memoryMb: 512,
  timeoutSeconds: 300,
};
