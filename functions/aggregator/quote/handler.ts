import { endpoint } from '../../../shared/http/endpoint.ts';
import { fetchedSecret } from '../../../shared/platform/fetched-secret.ts';
import { questionOf } from '../logic/question.ts';
import { quote } from '../logic/quote.ts';
import { zeroxWith } from '../logic/zerox.ts';
import { route } from './route.ts';

export const handler = endpoint(
  route,
  async (input, { environment, secret, headers, deadline }) => {
    const question = questionOf(input);
    const zerox = zeroxWith(await secret('ZEROX_API_KEY'), environment);
    const { data, isSimulated } = await quote(zerox, question, deadline);
    headers['x-data-source'] = isSimulated ? 'simulated' : '0x';
    return data;
  },
  fetchedSecret,
);
