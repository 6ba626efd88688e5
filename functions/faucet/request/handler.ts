import { endpoint } from '../../../shared/endpoint.ts';
import { parseAccount } from '../../../shared/evm/address.ts';
import { chains } from '../../../shared/evm/chains.ts';
import { nodeFor } from '../../../shared/evm/input.ts';
import { grant } from '../../../shared/faucet/faucet.ts';
import { checkNetworks } from '../../../shared/faucet/start-check.ts';
import { faucetTable, toldToCaller } from '../../../shared/faucet/table.ts';
import { clientOf } from '../../../shared/middleware/rate-limit.ts';
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
    key: secret(chains[network].faucet?.keySecret ?? ''),
  };
  return grant(faucet, request, deadline).catch(toldToCaller);
});
