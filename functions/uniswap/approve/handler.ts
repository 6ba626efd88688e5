import { chains } from '../../../shared/chains.ts';
import { meetNodes, servedChain } from '../../../shared/evm/nodes.ts';
import {
  MAX_UINT256,
  meansNative,
  parseAccount,
  parseAddress,
  parseAmount,
} from '../../../shared/evm/values.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { invalidParameter } from '../../../shared/http/middleware/input.ts';
import { fetchedSecret } from '../../../shared/platform/fetched-secret.ts';
import { approve } from '../approve.ts';
import { nodeFor } from '../input.ts';
import { route } from './route.ts';

export const handler = endpoint(
  route,
  async ({ chain, owner, router, token, amount }, dependencies) => {
    const served = chains[servedChain(chain)];
    if (meansNative(served, token)) {
      const allowed = `a token's address; ${served.nativeSymbol} needs no approval`;
      throw invalidParameter('token', token, allowed);
    }
    const approval = {
      token: parseAddress('token', token),
      // 0 revokes an approval, and wallets use the largest amount for an unlimited one.
      amount: /^0+$/.test(amount) ? 0n : parseAmount('amount', amount, MAX_UINT256),
      router,
      ...(owner !== undefined && { owner: parseAccount('owner', owner) }),
    };
    return approve(await nodeFor(chain, dependencies), approval, dependencies.deadline);
  },
  fetchedSecret,
);

await meetNodes();
