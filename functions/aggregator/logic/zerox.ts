import { ApiError } from '../../../shared/http/errors.ts';
import { jsonApi } from '../../../shared/http/json-api.ts';
import type { Environment } from '../../../shared/platform/environment.ts';
import type { JsonObject } from '../../../shared/platform/json-fields.ts';
import { count } from '../metrics.ts';
import { refusalOf } from './refusal.ts';

/** The data that `read` returned, and whether the server marks it as simulated. */
export interface ApiResponse<T> {
  readonly data: T;
  readonly isSimulated: boolean;
}

/**
 * Requests an indicative `price` or a firm `quote` from 0x; `deadline` in ms since the epoch. Throws an ApiError in our own
 * words if 0x refuses or is unreachable, or if `read` throws.
 */
export type Zerox = <T>(
  what: 'price' | 'quote',
  parameters: URLSearchParams,
  read: (json: JsonObject) => T,
  deadline: number,
) => Promise<ApiResponse<T>>;

/** Uses AllowanceHolder: one approval, and no signature besides the transaction's (docs.0x.org, "Swap API v2"). */
export function zeroxWith(key: string, { ZEROX_BASE_URL, UPSTREAM_TIMEOUT_MS }: Environment): Zerox {
  const api = jsonApi({
    title: '0x',
    baseUrl: ZEROX_BASE_URL,
    headers: { '0x-api-key': key, '0x-version': 'v2' },
    secrets: [key],
    timeoutMs: Number(UPSTREAM_TIMEOUT_MS),
  });
  return async (what, parameters, read, deadline) => {
    count('ZeroxAsked');
    const answer = await counted('ZeroxFailed', () =>
      api.get(`/swap/allowance-holder/${what}?${parameters}`, deadline),
    );
    if (answer.status !== 200) throw refusalOf(answer);
    const data = await counted('ZeroxUnusable', async () => api.read(answer, read));
    return { data, isSimulated: answer.headers['x-data-source'] === 'simulated' };
  };
}

/** Counts failures that end in a 502 or 504. */
async function counted<T>(name: Parameters<typeof count>[0], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError) || error.statusCode >= 500) count(name);
    throw error;
  }
}
