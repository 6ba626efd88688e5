import { endpoint } from '../../../shared/http/endpoint.ts';
import { setOriginHeaders } from '../../../shared/marketdata/provenance.ts';
import { priceNow } from '../../../shared/marketdata/serve/price-now.ts';
import { currentSnapshot } from '../../../shared/marketdata/store/current-snapshot.ts';
import { atInit } from '../../../shared/platform/waiting.ts';
import { tickerDemand } from '../../../shared/providers/demand.ts';
import { entryOf, isActiveCoin } from '../../../shared/registry/container.ts';
import { route } from './route.ts';

export const handler = endpoint(route, async ({ id }, dependencies) => {
  const { environment, headers } = dependencies;
  await isActiveCoin(id, environment);
  const demand = tickerDemand(dependencies, entryOf(id));
  const current = await priceNow(environment, id, { ...demand, maxAge: 'shown' });
  setOriginHeaders(headers, current);
  if (current.ticker.last_updated === null) delete headers['x-data-time']; // unknown
  return current.ticker;
});

await atInit(currentSnapshot);
