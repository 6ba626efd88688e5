import { configuredNode } from '../../../shared/evm/nodes.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { fetchedSecret } from '../../../shared/platform/fetched-secret.ts';
import { findGrant, openTable, throwUnavailable } from '../logic/ledger.ts';
import { statusOf } from '../logic/transfer.ts';
import { route } from './route.ts';

export const handler = endpoint(
  route,
  async ({ requestId }, dependencies) => {
    const { environment, headers, deadline } = dependencies;
    headers['cache-control'] = 'no-store';
    const granted = await findGrant(openTable(environment.SHARED_TABLE), requestId).catch(throwUnavailable);
    if (!granted) throw ApiError.notFound(`No such faucet request: ${requestId}`);
    return statusOf(await configuredNode(granted.network, dependencies), granted, deadline);
  },
  fetchedSecret,
);
