import type { Environment } from '../environment.ts';
import { ApiError } from '../errors.ts';
import { type Cached, type Loaded, UpstreamCache } from '../upstream/cache.ts';
import { measured } from '../upstream/measured.ts';
import { getWithRetry, retryAfterMs } from '../upstream/retry.ts';
import { throttled } from '../upstream/throttle.ts';
import { createTransport, type HttpAnswer, TransportError } from '../upstream/transport.ts';
import { version } from '../version.ts';
import { jsonOf, refusalOf } from './answers.ts';
import { baseUrlOf } from './base-url.ts';

/** A part of the provider's answer, read and checked, with what is to be told about it. */
export interface ProviderData<T> {
  readonly value: T;
  /** When the provider made the data, in milliseconds since the epoch. */
  readonly madeAt: number;
  readonly source: 'coinpaprika' | 'simulated';
}

export interface ProviderRequest<T> {
  /** Path and query below the base URL; equal requests share one answer. */
  readonly path: string;
  /** Checks the JSON and takes from it what is needed; throws an Error that says what is wrong with its shape. */
  readonly read: (json: unknown) => T;
  /** When the value itself says when it was made. */
  readonly madeAt?: (value: T) => number | undefined;
  /** Until when an answer asked for at `askedAt` is fresh (both ms since the epoch). */
  readonly freshUntil: (askedAt: number) => number;
  readonly staleForMs: number;
  /** What the caller named, for the 404. */
  readonly coinId: string;
}

export interface CoinPaprika {
  /**
   * Throws ApiError: 404 unknown coin, 429 too many requests, 502 unreachable or unusable answer, 504 no answer in
   * time; and PlanRefusal where the plan does not include what was asked.
   */
  get<T>(request: ProviderRequest<T>, deadline: number): Promise<Cached<ProviderData<T>>>;
}

/** The provider's limit for one address. */
const REQUESTS_PER_SECOND = 10;
const MAX_ENTRIES = 500;
const DEFAULT_RETRY_SECONDS = 10;

/** A client with its own cache and connections; one for each container. */
export function createCoinPaprika(environment: Environment): CoinPaprika {
  const key = environment.COINPAPRIKA_API_KEY;
  const timeoutMs = Number(environment.UPSTREAM_TIMEOUT_MS);
  const connections = createTransport({
    baseUrl: baseUrlOf(environment),
    headers: {
      accept: 'application/json',
      'accept-encoding': 'gzip',
      'user-agent': `marketdata-api/${version}`,
      ...(key ? { authorization: key } : {}),
    },
  });
  const transport = throttled(measured(connections), REQUESTS_PER_SECOND);
  const cache = new UpstreamCache({
    maxEntries: MAX_ENTRIES,
    staleWaitMs: Number(environment.STALE_WAIT_MS),
    loadTimeoutMs: timeoutMs,
  });
  let refusedUntil = 0;

  async function ask(path: string, coinId: string, deadline: number): Promise<HttpAnswer> {
    const pauseMs = refusedUntil - Date.now();
    if (pauseMs > 0) throw ApiError.rateLimited(pauseMs / 1000);
    const remainingMs = Math.min(timeoutMs, deadline - Date.now());
    if (remainingMs <= 0) throw tooSlow();
    const answer = await getWithRetry(transport, path, remainingMs).catch(unreachable);
    if (answer.status === 429) {
      const asked = retryAfterMs(answer.headers['retry-after']);
      if (asked !== undefined) refusedUntil = Date.now() + Math.min(asked, 3_600_000);
      throw ApiError.rateLimited(asked === undefined ? DEFAULT_RETRY_SECONDS : asked / 1000);
    }
    if (answer.status !== 200) throw refusalOf(answer, coinId);
    return answer;
  }

  async function load<T>(request: ProviderRequest<T>, deadline: number): Promise<Loaded<ProviderData<T>>> {
    const askedAt = Date.now();
    const answer = await ask(request.path, request.coinId, deadline);
    const value = jsonOf(answer, request.read);
    const age = answer.headers.age ?? '';
    const servedFromCacheSeconds = /^\d{1,9}$/.test(age) ? Number(age) : 0;
    return {
      value: {
        value,
        madeAt: request.madeAt?.(value) ?? askedAt - servedFromCacheSeconds * 1000,
        source: answer.headers['x-data-source'] === 'simulated' ? 'simulated' : 'coinpaprika',
      },
      freshUntil: request.freshUntil(askedAt),
      staleForMs: request.staleForMs,
    };
  }

  return {
    get: (request, deadline) => cache.get(request.path, () => load(request, deadline)),
  };
}

function unreachable(error: unknown): never {
  if (!(error instanceof TransportError)) throw error;
  if (error.kind === 'timeout') throw tooSlow(error.message);
  const what = error.kind === 'connection' ? 'is unreachable' : 'gave an unusable answer';
  throw new ApiError(502, `CoinPaprika ${what}: ${error.message}`);
}

function tooSlow(detail = 'no answer in time'): ApiError {
  return new ApiError(504, `CoinPaprika timed out: ${detail}`);
}

let shared: { environment: Environment; client: CoinPaprika } | undefined;

/** The container's client, made at its first request. */
export function coinPaprika(environment: Environment): CoinPaprika {
  if (shared?.environment !== environment) shared = { environment, client: createCoinPaprika(environment) };
  return shared.client;
}
