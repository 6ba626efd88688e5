import { endpoint } from '../../../shared/http/endpoint.ts';
import { fetchedSecret } from '../../../shared/platform/fetched-secret.ts';
import { tradeOf } from '../logic/input.ts';
import { prepare } from '../logic/prepare.ts';
import { quote } from '../logic/quote.ts';
import { quoteData } from '../logic/quote-data.ts';
import { route } from './route.ts';

export const handler = endpoint(
  route,
  async (input, dependencies) => {
    const { node, trade } = await tradeOf(input, dependencies);
    return quoteData(node.chain, await quote(node, trade, dependencies.deadline));
  },
  fetchedSecret,
);

await prepare();
