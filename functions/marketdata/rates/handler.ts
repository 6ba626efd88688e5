import { endpoint } from '../../../shared/http/endpoint.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { listed, setOriginHeaders } from '../../../shared/marketdata/provenance.ts';
import { currentRates, ratesOrigin } from '../../../shared/marketdata/rates.ts';
import { atInit } from '../../../shared/platform/waiting.ts';
import { route } from './route.ts';

export const handler = endpoint(route, async (_input, { environment, headers }) => {
  const published = await currentRates(environment);
  if (!published)
    throw new ApiError(503, 'No exchange rates are available; try again in a minute', {
      headers: { 'retry-after': '60' },
    });
  const { day, rates, days, sources } = published;
  const now = Date.now();
  const source = listed(published.source, ...Object.values(sources ?? {}));
  setOriginHeaders(headers, ratesOrigin({ day, source }, now), now);
  return {
    ...{ base: 'EUR' as const, day, rates },
    ...(days && { days }),
    ...(sources && { sources }),
    count: Object.keys(rates).length,
  };
});

await atInit(currentRates);
