import type { Domain } from '../../shared/http/domain.ts';
import { faucetCounts } from './metrics.ts';
import { faucets } from './networks.ts';
import { route as request } from './request/route.ts';
import { route as status } from './status/route.ts';

export const domain: Domain = {
  name: 'faucet',
  routes: [request, status],
  counts: faucetCounts,
  alarms: [
    {
      name: 'FaucetLow',
      severity: 'ticket',
      says: 'The faucet has money for fewer than 50 more grants, or none at all',
      runbookEntry: 'Faucet low',
      metric: { sumOf: 'FaucetLow' },
      above: 0,
      periods: [1, 1],
    },
  ],
  graphs: [{ title: 'Faucet', sumsOf: faucetCounts }],
  localAccounts: [{ keyVariable: faucets.local.keySecret, wei: 1_000n * 10n ** 18n }],
};
