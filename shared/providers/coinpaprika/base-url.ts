import type { Environment } from '../../platform/environment.ts';

const FREE_URL = 'https://api.coinpaprika.com/v1';
const PAID_URL = 'https://api-pro.coinpaprika.com/v1';

/** Where the provider answers: as configured, else the host of the plan that the key, or its absence, stands for. */
export function baseUrlOf({
  COINPAPRIKA_BASE_URL: configured,
  COINPAPRIKA_API_KEY: key,
}: Partial<Environment>): string {
  return configured ?? (key ? PAID_URL : FREE_URL);
}
