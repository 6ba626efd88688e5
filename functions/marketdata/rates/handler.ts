import { endpoint } from '../../../shared/http/endpoint.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { setOriginHeaders } from '../../../shared/marketdata/provenance.ts';
import { currentRates } from '../../../shared/marketdata/rates/current-rates.ts';
import { ratesOrigin } from '../../../shared/marketdata/rates/euro-rates.ts';
import { atInit } from '../../../shared/platform/at-init.ts';
import { route } from './route.ts';

export const handler = endpoint(route, async (_input, { environment, headers }) => {
  const found = await currentRates(environment);
  if (!found) throw new ApiError(503, 'No exchange rates are at hand; try again in a minute');
  const { day, rates, days } = found;
  const now = Date.now();
  setOriginHeaders(headers, ratesOrigin(found, now), now);
  return { base: 'EUR' as const, day, rates, ...(days && { days }), count: Object.keys(rates).length };
});

await atInit(currentRates);
