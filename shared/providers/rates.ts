/** Who tells what a euro is worth. For jobs: no route loads this. */

import type { Offering } from '../marketdata/provider.ts';
import type { ProviderClient } from '../marketdata/provider-client.ts';
import { gatedRates } from '../marketdata/rates/gate.ts';
import type { Environment } from '../platform/environment.ts';
import { createClient } from './client/client.ts';
import { ecb } from './ecb/index.ts';

export const ratesSource: Offering<'rates'> = ecb;

/** A day's rates are 2 KB. */
const BODY_BYTES = 256 * 1024;
/** For the answer with its retry, in milliseconds. */
export const RATES_TIME_MS = 10_000;

export function ratesClientFor(environment: Environment): ProviderClient<'rates'> {
  return createClient(gatedRates(ratesSource), environment, {
    maxBodyBytes: BODY_BYTES,
    timeoutMs: RATES_TIME_MS,
    purpose: 'scheduled',
  });
}
