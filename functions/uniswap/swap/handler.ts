import { MAX_UINT256, parseAccount, parseAmount } from '../../../shared/evm/values.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { fetchedSecret } from '../../../shared/platform/fetched-secret.ts';
import { tradeOf } from '../input.ts';
import { prepare } from '../pools.ts';
import { swap } from '../swap.ts';
import { route } from './route.ts';

export const handler = endpoint(
  route,
  async (input, dependencies) => {
    const { slippageBps, maxPriceImpactBps, deadlineSeconds } = input;
    const minAmountOut =
      input.minAmountOut === undefined
        ? {}
        : { minAmountOut: parseAmount('minAmountOut', input.minAmountOut, MAX_UINT256) };
    const recipient = parseAccount('recipient', input.recipient);
    const sender = input.sender === undefined ? recipient : parseAccount('sender', input.sender);
    const { node, trade } = await tradeOf(input, dependencies);
    const bounds = { slippageBps, maxPriceImpactBps, ...minAmountOut };
    return swap(node, { trade, recipient, sender, deadlineSeconds, ...bounds }, dependencies.deadline);
  },
  fetchedSecret,
);

await prepare();
