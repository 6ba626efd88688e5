import { chains } from '../../../shared/evm/chains.ts';
import { configuredNode } from '../../../shared/evm/nodes.ts';
import { parseAccount } from '../../../shared/evm/values.ts';
import { clientOf } from '../../../shared/http/client.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { fetchedSecret } from '../../../shared/platform/fetched-secret.ts';
import { grant } from '../logic/faucet.ts';
import { grantOnce } from '../logic/grant-once.ts';
import { assertServed } from '../logic/served-network.ts';
import { checkNetworks } from '../logic/start-check.ts';
import { faucetTable, toldToCaller } from '../logic/table.ts';
import { faucetNetworks, faucets } from '../networks.ts';
import { route } from './route.ts';

const refuseWrongNetwork = checkNetworks(process.env, fetchedSecret);

export const handler = endpoint(
  route,
  async ({ address, network }, dependencies) => {
    const { secret, environment, event, deadline, idempotencyKey: key } = dependencies;
    assertServed(network);
    const request = { network, address: parseAccount('address', address), client: clientOf(event) };
    const table = faucetTable(environment.SHARED_TABLE);
    const [node, url, keyOfAccount] = await Promise.all([
      configuredNode(network, dependencies),
      secret(chains[network].rpcUrlSecret),
      secret(faucets[network].keySecret),
    ]);
    refuseWrongNetwork(network, url);
    const faucet = { node, table, key: keyOfAccount };
    if (key === undefined) {
      return grant(faucet, { requestId: crypto.randomUUID(), ...request }, deadline).catch(toldToCaller);
    }
    // One for all networks, so that a caller's key that comes again for another network is noticed.
    const keyed = faucetNetworks.find((name) => process.env[faucets[name].keySecret]) ?? network;
    const once = { route: route.name, key, secret: await secret(faucets[keyed].keySecret) };
    return grantOnce(faucet, request, once, deadline).catch(toldToCaller);
  },
  fetchedSecret,
);
