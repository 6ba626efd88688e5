import { createHash } from 'node:crypto';
import { chains } from '../../../shared/chains.ts';
import { configuredNode } from '../../../shared/evm/nodes.ts';
import { parseAccount } from '../../../shared/evm/values.ts';
import { payerOf } from '../../../shared/http/client.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { invalidParameter } from '../../../shared/http/middleware/input.ts';
import { fetchedSecret } from '../../../shared/platform/fetched-secret.ts';
import { grant } from '../logic/grant.ts';
import { openTable, throwUnavailable } from '../logic/ledger.ts';
import { type FaucetNetwork, faucetNames, faucets } from '../networks.ts';
import { route } from './route.ts';

export const handler = endpoint(
  route,
  async ({ address, network }, dependencies) => {
    const { secret, environment, event, deadline, idempotencyKey } = dependencies;
    assertServed(network);
    const client = payerOf(event);
    const requestId = idempotencyKey ? requestIdOf(client, idempotencyKey) : crypto.randomUUID();
    const request = { requestId, network, address: parseAccount('address', address), client };
    const table = openTable(environment.SHARED_TABLE);
    const [node, key] = await Promise.all([
      configuredNode(network, dependencies),
      secret(faucets[network].keySecret),
    ]);
    return grant({ node, table, key }, request, deadline).catch(throwUnavailable);
  },
  fetchedSecret,
);

/**
 * Throws the 400 that lists the available networks if the request's is not one of them, and the 500 of a wrong
 * configuration if there are none.
 */
function assertServed(network: FaucetNetwork): void {
  const served = faucetNames.filter(
    (name) => process.env[chains[name].rpcUrlSecret] && process.env[faucets[name].keySecret],
  );
  if (served.length === 0) throw ApiError.serverConfiguration('no faucet is configured');
  if (served.includes(network)) return;
  throw invalidParameter('network', network, `${served.join(', ')} (the networks that have a faucet here)`);
}

/** Derives the same UUID from the same client and key; neither can be recovered from it. */
function requestIdOf(client: string, idempotencyKey: string): string {
  const digest = createHash('sha256').update(`${client} ${idempotencyKey}`).digest('hex');
  return digest.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}
