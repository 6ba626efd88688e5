import { coinPaprika } from '../../../shared/coinpaprika/client.ts';
import { ticker } from '../../../shared/coinpaprika/ticker.ts';
import { endpoint } from '../../../shared/endpoint.ts';
import { tellProvenance } from '../../../shared/marketdata/provenance.ts';
import { refreshBeside } from '../../../shared/registry/answers.ts';
import { refuseUnknownId } from '../../../shared/registry/container.ts';
import { route } from './route.ts';

export const handler = endpoint(route, async ({ id }, { environment, headers, deadline }) => {
  await refuseUnknownId(id);
  refreshBeside(environment);
  const answer = await ticker(coinPaprika(environment), id, {
    deadline,
    freshMs: Number(environment.TICKER_FRESH_SECONDS) * 1000,
  });
  tellProvenance(headers, answer, 'exact');
  return answer.value.value;
});
