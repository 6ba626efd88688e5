import { meetNodes } from '../../../shared/evm/nodes.ts';
import { MAX_UINT256, parseAccount, parseAmount } from '../../../shared/evm/values.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { fetchedSecret } from '../../../shared/platform/fetched-secret.ts';
import { approve } from '../approve.ts';
import { nodeFor, tokenToApprove } from '../input.ts';
import { route } from './route.ts';

export const handler = endpoint(
  route,
  async ({ chain, owner, router, ...input }, dependencies) => {
    const approval = {
      token: tokenToApprove(chain, input.token),
      // 0 revokes an approval, and wallets use the largest amount for an unlimited one.
      amount: /^0+$/.test(input.amount) ? 0n : parseAmount('amount', input.amount, MAX_UINT256),
      router,
      ...(owner !== undefined && { owner: parseAccount('owner', owner) }),
    };
    return approve(await nodeFor(chain, dependencies), approval, dependencies.deadline);
  },
  fetchedSecret,
);

await meetNodes();
