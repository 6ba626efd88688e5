import { endpoint } from '../../../shared/http/endpoint.ts';
import { setSourceHeaders } from '../../../shared/marketdata/provenance.ts';
import { currentTicker } from '../../../shared/marketdata/snapshot/answers.ts';
import { assertKnownCoin, refreshInBackground } from '../../../shared/registry/container.ts';
import { route } from './route.ts';

export const handler = endpoint(route, async ({ id }, { environment, headers, deadline }) => {
  await assertKnownCoin(id);
  refreshInBackground(environment);
  const answer = await currentTicker(environment, id, deadline);
  setSourceHeaders(headers, answer, 'exact');
  return answer.value.value;
});
