import { chains } from '../../../shared/evm/chains.ts';
import { configuredNode } from '../../../shared/evm/nodes.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { fetchedSecret } from '../../../shared/platform/fetched-secret.ts';
import { findGrant } from '../logic/grants.ts';
import { statusOf } from '../logic/status.ts';
import { faucetTable, toldToCaller } from '../logic/table.ts';
import { faucets } from '../networks.ts';
import { route } from './route.ts';

export const handler = endpoint(
  route,
  async ({ requestId }, dependencies) => {
    const { environment, headers, deadline, secret } = dependencies;
    headers['cache-control'] = 'no-store';
    const table = faucetTable(environment.SHARED_TABLE);
    const record = await findGrant(table, requestId).catch(toldToCaller);
    if (!record) throw ApiError.notFound(`No such faucet request: ${requestId}`);
    const { network } = record;
    const { keySecret } = faucets[network];
    const signer = async () => {
      // A stage may have taken the key away, and then grants no more.
      if (!process.env[keySecret]) return undefined;
      const [{ createSigner }, key] = await Promise.all([import('../logic/signer.ts'), secret(keySecret)]);
      return createSigner(chains[network], key, keySecret);
    };
    const node = await configuredNode(network, dependencies);
    return statusOf({ node, table, signer }, record, deadline).catch(toldToCaller);
  },
  fetchedSecret,
);
