import { nodeFor } from '../../../shared/evm/input.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { fetchedSecret } from '../../../shared/platform/fetched-secret.ts';
import { findGrant } from '../logic/grants.ts';
import { statusOf } from '../logic/status.ts';
import { faucetTable, toldToCaller } from '../logic/table.ts';
import { route } from './route.ts';

export const handler = endpoint(
  route,
  async ({ requestId }, dependencies) => {
    const { environment, headers, deadline } = dependencies;
    headers['cache-control'] = 'no-store';
    const record = await findGrant(faucetTable(environment.SHARED_TABLE), requestId).catch(toldToCaller);
    if (!record) throw ApiError.notFound(`No such faucet request: ${requestId}`);
    return statusOf(await nodeFor(record.network, dependencies), record, deadline);
  },
  fetchedSecret,
);
