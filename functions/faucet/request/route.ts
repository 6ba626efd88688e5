import Type from 'typebox';
import { accountParameter, exampleAccount, nodeEnvironment } from '../../../shared/evm/contract.ts';
import { idempotencyFailures } from '../../../shared/http/idempotency.ts';
import { defineRoute } from '../../../shared/http/route.ts';
import { faucetFailures, grantFields, grantSecrets, networkEnum } from '../contract.ts';
import { FAUCET_ROWS } from '../networks.ts';

export const route = defineRoute({
  name: 'faucet/request',
  method: 'POST',
  path: '/api/faucet/request',
  summary: "A small amount of a test network's currency for an address",
  description:
    'The one route that signs, and only on test networks. An address gets one grant of a network in 24 hours, a ' +
    'client five a day; 429 says when the next one is possible. An address that has enough is a 400. `status` is ' +
    '`pending`: read it again with the id.',
  limit: 'proxy',
  idempotent: true,
  body: Type.Object({
    address: accountParameter('the address that gets the grant'),
    network: networkEnum(),
  }),
  response: Type.Object(grantFields),
  failures: { ...faucetFailures, ...idempotencyFailures },
  requestSecrets: grantSecrets,
  environment: nodeEnvironment,
  rows: [FAUCET_ROWS],
  example: { address: exampleAccount, network: 'local' },
  maxInitBytes: 127_000,
  memoryMb: 512,
  timeoutSeconds: 25,
  maxConcurrency: 5,
});
