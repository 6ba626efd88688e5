import type { Job } from '../../../../shared/platform/job.ts';
import { coinProvider, coinProviderSettings } from '../../../../shared/providers/index.ts';
import { tokenSourceSettings, tokenSources } from '../../../../shared/providers/sources.ts';
import { budgetEnvironment } from '../../contract.ts';

export const job: Job = {
  name: 'marketdata/tokens',
  summary: 'Publishes the prices of active coins that the snapshot does not list, by their contracts',
  everyMinutes: 'TOKENS_MINUTES',
  fromMinute: 8,
  // The next run starts soon; until then the existing tail is used.
  retries: 0,
  publishes: ['snapshot', 'history', 'sources'],
  reads: ['registry'],
  registry: true,
  environment: [
    ...tokenSourceSettings,
    'TOKEN_SOURCES',
    'TOKENS_MINUTES',
    'REGISTRY_PATH',
    ...coinProviderSettings,
    'UPSTREAM_TIMEOUT_MS',
    ...budgetEnvironment,
  ],
  rows: [...tokenSources.map(({ name }) => name), coinProvider.name],
  // A run with 9,300 coins used 240 MB, and most of its time is waiting (docs/cost.md).
  memoryMb: 384,
  timeoutSeconds: 120,
};
