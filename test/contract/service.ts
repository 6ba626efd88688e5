import { expect } from 'vitest';
import { type LocalService, type LocalServiceOptions, startLocalService } from '../../local/service.ts';
import type { SimulatedSource } from '../../local/simulated/index.ts';

export const KEY = 'contract-key-0123456789';
/** A busy machine may take its time. */
export const UPSTREAM_TIMEOUT_MS = 5_000;

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: unknown;
}

export interface Service {
  readonly provider: SimulatedSource;
  readonly local: LocalService;
  get(path: string, options?: { headers?: Record<string, string>; method?: string }): Promise<Answer>;
}

/** The synthesized template on this machine with a simulated provider. */
export async function startService(options: LocalServiceOptions = {}): Promise<Service> {
  const { env, provider, ...others } = options;
  const local = await startLocalService({
    quiet: true,
    provider: { mode: 'simulated', ...provider },
    env: { UPSTREAM_TIMEOUT_MS: String(UPSTREAM_TIMEOUT_MS), ...env },
    ...others,
  });
  const { simulated } = local.provider;
  if (!simulated) throw new Error('these tests need the simulated provider');
  return { provider: simulated.provider, local, get: (path, init) => request(local.url + path, init) };
}

/** One answer, read whole. */
export async function request(
  url: string,
  { headers = {}, method = 'GET' }: { headers?: Record<string, string>; method?: string } = {},
): Promise<Answer> {
  const response = await fetch(url, { headers, method });
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.json(),
  };
}

/** The statuses that the documents allow while others fail. */
export const DOCUMENTED: readonly number[] = [200, 404, 429, 502, 504];

export function isEnvelope({ status, body }: Answer): boolean {
  const { success, error, data } = body as { success?: boolean; error?: unknown; data?: unknown };
  return status === 200
    ? success === true && data !== undefined
    : success === false && typeof error === 'string';
}

/** Fails unless the answer is a failure's envelope with exactly this text and every common header. */
export function expectFailure(answer: Answer, status: number, error: string | RegExp): void {
  expect(answer.body).toEqual({
    success: false,
    error: typeof error === 'string' ? error : expect.stringMatching(error),
  });
  expect(answer.status).toBe(status);
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'ratelimit-limit': expect.stringMatching(/^\d+$/),
    'ratelimit-remaining': expect.stringMatching(/^\d+$/),
    'ratelimit-reset': expect.stringMatching(/^\d+$/),
  });
}

/** The age of an answer's data in seconds; NaN if it does not say. */
export function ageOf({ headers }: Answer): number {
  return (Date.now() - Date.parse(headers['x-data-time'] ?? '')) / 1000;
}

/** The `data` of a success; fails on anything else. */
export function dataOf<T = Record<string, unknown>>(answer: Answer): T {
  expect(answer).toMatchObject({ status: 200, body: { success: true } });
  return (answer.body as { data: T }).data;
}
