import { endpoint } from '../../../shared/http/endpoint.ts';
import { fetchedSecret } from '../../../shared/platform/fetched-secret.ts';
import { tradeOf } from '../input.ts';
import { prepare } from '../pools.ts';
import { bestQuote } from '../trial.ts';
import { route } from './route.ts';

export const handler = endpoint(
  route,
  async (input, dependencies) => {
    const { node, trade } = await tradeOf(input, dependencies);
    return bestQuote(node, trade, dependencies.deadline);
  },
  fetchedSecret,
);

await prepare();
