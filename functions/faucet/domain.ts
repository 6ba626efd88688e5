import type { AlarmRule, Domain } from '../../shared/http/domain.ts';
import { faucetCounts } from './metrics.ts';
import { faucets } from './networks.ts';
import { route as request } from './request/route.ts';
import { route as status } from './status/route.ts';

export const domain: Domain = {
  name: 'faucet',
  routes: [request, status],
  counts: faucetCounts,
  alarms: [
    alarm('FaucetLow', 'The faucet has money for fewer than 50 more grants, or none at all'),
    alarm('FaucetTooDear', 'The faucet refuses grants, because gas costs more than it pays'),
    alarm('FaucetStuck', 'Transfers of the faucet are not mined, and cannot be replaced', [2, 3]),
    alarm('FaucetDaySpent', 'The faucet has given all that it gives in a day'),
    alarm(
      'FaucetNonceLost',
      'A transaction that the faucet did not sign was mined with the nonce of a grant',
    ),
  ],
  graphs: [{ title: 'Faucet', sumsOf: faucetCounts }],
  localAccounts: [{ keyVariable: faucets.local.keySecret, wei: 1_000n * 10n ** 18n }],
};

/** Of a count that is nothing while all is well. */
function alarm(
  name: (typeof faucetCounts)[number],
  says: string,
  periods: AlarmRule['periods'] = [1, 1],
): AlarmRule {
  return { name, entry: 'Faucet', severity: 'ticket', says, metric: { sumOf: name }, above: 0, periods };
}
