import { parseAccount } from '../../../shared/evm/address.ts';
import { nodeFor } from '../../../shared/evm/input.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { clientOf } from '../../../shared/http/middleware/rate-limit.ts';
import { grant } from '../logic/faucet.ts';
import { checkNetworks } from '../logic/start-check.ts';
import { faucetTable, toldToCaller } from '../logic/table.ts';
import { faucets } from '../networks.ts';
import { route } from './route.ts';

const refuseWrongNetwork = checkNetworks(process.env);

export const handler = endpoint(route, async ({ address, network }, dependencies) => {
  const { secret, environment, event, deadline } = dependencies;
  refuseWrongNetwork(network);
  const request = {
    requestId: crypto.randomUUID(),
    network,
    address: parseAccount('address', address),
    client: clientOf(event),
  };
  const faucet = {
    node: nodeFor(network, dependencies),
    table: faucetTable(environment.SHARED_TABLE),
    key: secret(faucets[network].keySecret),
  };
  return grant(faucet, request, deadline).catch(toldToCaller);
});
