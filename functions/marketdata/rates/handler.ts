import { endpoint } from '../../../shared/http/endpoint.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { setSourceHeaders } from '../../../shared/marketdata/provenance.ts';
import { currentRates } from '../../../shared/marketdata/rates/current-rates.ts';
import { atInit } from '../../../shared/platform/at-init.ts';
import { route } from './route.ts';

/** By then the day's rates may have been published. */
const FRESH_MS = 10 * 60_000;

export const handler = endpoint(route, async (_input, { environment, headers }) => {
  const found = await currentRates(environment);
  if (!found)
    throw new ApiError(
      503,
      'No exchange rates have been published yet; try again in a minute, and if there are none then, run the job marketdata/daily-rates',
    );
  const { day, rates, source, madeAt, stale } = found;
  const now = Date.now();
  setSourceHeaders(headers, { source, madeAt, stale, freshUntil: now + FRESH_MS }, 'exact', now);
  return { base: 'EUR' as const, day, rates, count: Object.keys(rates).length };
});

await atInit(currentRates);
