import { nodeFor } from '../../../shared/evm/input.ts';
import { MAX_LEVELS } from '../../../shared/evm/rpc.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { fetchedSecret } from '../../../shared/platform/fetched-secret.ts';
import { isDeeperThan } from '../../../shared/platform/json-depth.ts';
import { boundedLogs } from './log-range.ts';
import { readMethods } from './read-methods.ts';
import { route } from './route.ts';

const MAX_ANSWER_BYTES = 1024 * 1024;

export const handler = endpoint(
  route,
  async ({ chain, method, params }, dependencies) => {
    if (!readMethods.has(method)) throw new ApiError(403, `Method not allowed: ${method}`);
    if (isDeeperThan(params, MAX_LEVELS)) {
      const allowed = `at most ${MAX_LEVELS} levels`;
      throw new ApiError(400, `Invalid parameter params: a value nested too deeply; allowed: ${allowed}`);
    }
    const { deadline } = dependencies;
    const node = await nodeFor(chain, dependencies);
    await node.assertChain(deadline);
    const bounded = method === 'eth_getLogs' ? await boundedLogs(node.rpc, params, deadline) : params;
    return node.rpc(method, bounded, { deadline, maxBytes: MAX_ANSWER_BYTES });
  },
  fetchedSecret,
);
