import type { AlarmRule, Domain } from '../../shared/http/domain.ts';
import { faucetCounts } from './metrics.ts';
import { ETHER, faucets } from './networks.ts';
import { route as request } from './request/route.ts';
import { route as status } from './status/route.ts';

export const domain: Domain = {
  name: 'faucet',
  routes: [request, status],
  counts: faucetCounts,
  alarms: [
    alarm('FaucetLow', 'The faucet has money for fewer than 50 more grants, or none at all'),
    alarm('FaucetTooDear', 'The faucet refuses grants, because gas costs more than it pays'),
    alarm('FaucetStuck', 'A transfer of the faucet is not mined, and the faucet grants nothing until it is'),
    alarm('FaucetDaySpent', 'The faucet has given all that it gives in a day'),
    alarm('FaucetNonceLost', 'A transaction that the faucet did not sign used the nonce of a grant'),
  ],
  graphs: [{ title: 'Faucet', sumsOf: faucetCounts }],
  localAccounts: [{ keyVariable: faucets.local.keySecret, wei: 1_000n * ETHER }],
};

/** An alarm on a count that is zero in normal operation. */
function alarm(name: (typeof faucetCounts)[number], says: string): AlarmRule {
  return {
    name,
    entry: 'Faucet',
    severity: 'ticket',
    says,
    metric: { sumOf: name },
    above: 0,
    periods: [1, 1],
  };
}
