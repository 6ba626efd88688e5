import { endpoint } from '../../../shared/endpoint.ts';
import { tradeOf } from '../../../shared/uniswap/input.ts';
import { quote, quoteData } from '../../../shared/uniswap/quote.ts';
import { route } from './route.ts';

export const handler = endpoint(route, async (input, dependencies) => {
  const { node, trade } = tradeOf(input, dependencies);
  return quoteData(node.chain, await quote(node, trade, dependencies.deadline));
});
