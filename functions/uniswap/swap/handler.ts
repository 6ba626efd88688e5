import { parseAccount } from '../../../shared/evm/address.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { fetchedSecret } from '../../../shared/platform/fetched-secret.ts';
import { tradeOf } from '../logic/input.ts';
import { swap } from '../logic/swap.ts';
import { route } from './route.ts';

export const handler = endpoint(
  route,
  async (input, dependencies) => {
    const { slippageBps, deadlineSeconds } = input;
    const recipient = parseAccount('recipient', input.recipient);
    const sender = input.sender === undefined ? recipient : parseAccount('sender', input.sender);
    const { node, trade } = await tradeOf(input, dependencies);
    return swap(node, { trade, recipient, sender, slippageBps, deadlineSeconds }, dependencies.deadline);
  },
  fetchedSecret,
);
