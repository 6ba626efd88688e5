import { endpoint } from '../../../shared/http/endpoint.ts';
import { tellProvenance } from '../../../shared/marketdata/provenance.ts';
import { currentTicker } from '../../../shared/marketdata/snapshot/answers.ts';
import { refreshBeside } from '../../../shared/registry/answers.ts';
import { refuseUnknownId } from '../../../shared/registry/container.ts';
import { route } from './route.ts';

export const handler = endpoint(route, async ({ id }, { environment, headers, deadline }) => {
  await refuseUnknownId(id);
  refreshBeside(environment);
  const answer = await currentTicker(environment, id, deadline);
  tellProvenance(headers, answer, 'exact');
  return answer.value.value;
});
