import { budgetOf, type Purpose } from '../../coordination/budget.ts';
import type { Fleet } from '../../coordination/fleet.ts';
import { measureFleet } from '../../coordination/fleet-metrics.ts';
import { MemoryQuota } from '../../coordination/memory-quota.ts';
import type { Observe } from '../../coordination/observer.ts';
import { budgetUsedUp, stretched } from '../../coordination/quota.ts';
import { ApiError } from '../../http/errors.ts';
import type { Environment } from '../../platform/environment.ts';
import { createTransport, type HttpAnswer, TransportError } from '../../platform/transport.ts';
import { version } from '../../platform/version.ts';
import { type Cached, type Loaded, UpstreamCache } from '../client/cache.ts';
import { measured } from '../client/measured.ts';
import { getWithRetry, retryAfterMs } from '../client/retry.ts';
import { throttled } from '../client/throttle.ts';
import { jsonOf, refusalOf } from './answers.ts';
import { baseUrlOf } from './base-url.ts';
import type { PlanMemory } from './plan-limits.ts';

/** A part of the provider's answer, read and checked, with what is to be told about it. */
export interface ProviderData<T> {
  readonly value: T;
  /** When the provider made the data, in milliseconds since the epoch. */
  readonly madeAt: number;
  readonly source: 'coinpaprika' | 'simulated';
}

export interface ProviderQuestion<T> {
  /** Path and query below the base URL. */
  readonly path: string;
  /** Requests with the same key share one answer; the path unless told. */
  readonly key?: string;
  /** Checks the JSON and takes from it what is needed; throws an Error that says what is wrong with its shape. */
  readonly read: (json: unknown) => T;
  /** When the value itself says when it was made. */
  readonly madeAt?: (value: T) => number | undefined;
  /** What the caller named, for the 404. */
  readonly coinId?: string;
}

export interface ProviderRequest<T> extends ProviderQuestion<T> {
  /** Until when an answer asked for at `askedAt` is fresh (both ms since the epoch). */
  readonly freshUntil: (askedAt: number) => number;
  readonly staleForMs: number;
  readonly coinId: string;
}

export interface CoinPaprika {
  /**
   * Throws ApiError: 404 unknown coin, 429 too many requests, 502 unreachable or unusable answer, 504 no answer in
   * time; and PlanRefusal where the plan does not include what was asked.
   */
  get<T>(request: ProviderRequest<T>, deadline: number): Promise<Cached<ProviderData<T>>>;
  /** What all instances remember of the plan's refusals; undefined where they share nothing. */
  plan?(): Promise<PlanMemory | undefined>;
  /** The same past the cache, for what is published instead of answered. */
  fetchFresh<T>(question: ProviderQuestion<T>, deadline: number): Promise<ProviderData<T>>;
}

/** What a client is made of, beside its environment. */
export interface Parts {
  readonly connect?: typeof createTransport;
  /** What this instance shares with others; opened at the first miss of its own cache. */
  readonly openFleet?: (environment: Environment, observe: Observe) => Promise<Fleet>;
  readonly observe?: Observe;
  /** Of an answer, packed and unpacked; 8 MB unless told. */
  readonly maxBodyBytes?: number;
  /** For one answer with its retry; UPSTREAM_TIMEOUT_MS unless told. */
  readonly timeoutMs?: number;
  /** What the requests are paid for as; to answer callers unless told. */
  readonly purpose?: Purpose;
}

/** Loaded where there is a table: neither it nor the AWS SDK behind it has a part in a cold start without one. */
const openSharedFleet: NonNullable<Parts['openFleet']> = async (environment, observe) => {
  const { SHARED_TABLE: tableName } = environment;
  if (!tableName) return { quota: new MemoryQuota(budgetOf(environment)) };
  const { tableFleet } = await import('./table-fleet.ts');
  return tableFleet(tableName, environment, observe);
};

/** The provider's limit for one address. */
const REQUESTS_PER_SECOND = 10;
const MAX_ENTRIES = 500;
const DEFAULT_RETRY_SECONDS = 10;

/** A client with its own cache and connections; one for each container. */
export function createCoinPaprika(
  environment: Environment,
  {
    connect = createTransport,
    openFleet = openSharedFleet,
    observe = measureFleet,
    maxBodyBytes,
    timeoutMs = Number(environment.UPSTREAM_TIMEOUT_MS),
    purpose = 'answer',
  }: Parts = {},
): CoinPaprika {
  const key = environment.COINPAPRIKA_API_KEY;
  const connections = connect({
    baseUrl: baseUrlOf(environment),
    headers: {
      accept: 'application/json',
      'accept-encoding': 'gzip',
      'user-agent': `marketdata-api/${version}`,
      ...(key ? { authorization: key } : {}),
    },
    pay,
    maxBodyBytes,
  });
  const transport = throttled(measured(connections), REQUESTS_PER_SECOND);
  const cache = new UpstreamCache({
    maxEntries: MAX_ENTRIES,
    staleWaitMs: Number(environment.STALE_WAIT_MS),
    loadTimeoutMs: timeoutMs,
  });
  let opening: Promise<Fleet> | undefined;
  let refusedUntil = 0;
  /** By how much lifetimes are to be lengthened, as of the last request that was paid for. */
  let stretch = 1;

  function fleet(): Promise<Fleet> {
    opening ??= openFleet(environment, observe);
    return opening;
  }

  async function pay(): Promise<void> {
    const { quota } = await fleet();
    const spent = await quota.spend(purpose);
    if (!spent.allowed) throw budgetUsedUp(spent);
    stretch = spent.stretch;
  }

  async function ask(path: string, deadline: number): Promise<HttpAnswer> {
    const pauseMs = refusedUntil - Date.now();
    if (pauseMs > 0) throw ApiError.rateLimited(pauseMs / 1000);
    // Scheduled work comes so seldom that it is a good probe while all others pause.
    if (purpose === 'answer') await (await fleet()).health?.check();
    const remainingMs = Math.min(timeoutMs, deadline - Date.now());
    if (remainingMs <= 0) throw tooSlow();
    return getWithRetry(transport, path, remainingMs).catch(async (error: unknown) => {
      if (!(error instanceof TransportError)) throw error; // nobody was asked
      return failed(unreachable(error));
    });
  }

  /** Tells the others before the caller, because afterwards this container stands still. */
  async function failed(error: unknown): Promise<never> {
    await (await fleet()).health?.report(error);
    throw error;
  }

  async function fetchFresh<T>(question: ProviderQuestion<T>, deadline: number): Promise<ProviderData<T>> {
    const askedAt = Date.now();
    const answer = await ask(question.path, deadline);
    try {
      const data = dataOf(answer, question, askedAt);
      await (await fleet()).health?.report(undefined);
      return data;
    } catch (error) {
      return failed(error);
    }
  }

  function dataOf<T>(answer: HttpAnswer, question: ProviderQuestion<T>, askedAt: number): ProviderData<T> {
    if (answer.status === 429) {
      const asked = retryAfterMs(answer.headers['retry-after']);
      if (asked !== undefined) refusedUntil = Date.now() + Math.min(asked, 3_600_000);
      throw ApiError.rateLimited(asked === undefined ? DEFAULT_RETRY_SECONDS : asked / 1000);
    }
    if (answer.status !== 200) throw refusalOf(answer, question.coinId);
    const value = jsonOf(answer, question.read);
    const age = answer.headers.age ?? '';
    const servedFromCacheSeconds = /^\d{1,9}$/.test(age) ? Number(age) : 0;
    return {
      value,
      madeAt: question.madeAt?.(value) ?? askedAt - servedFromCacheSeconds * 1000,
      source: answer.headers['x-data-source'] === 'simulated' ? 'simulated' : 'coinpaprika',
    };
  }

  async function load<T>(request: ProviderRequest<T>, deadline: number): Promise<Loaded<ProviderData<T>>> {
    const askedAt = Date.now();
    const value = await fetchFresh(request, deadline);
    return {
      value,
      freshUntil: stretched(request.freshUntil(askedAt), askedAt, stretch),
      staleForMs: request.staleForMs,
    };
  }

  return {
    get: (request, deadline) => {
      const { key = request.path } = request;
      return cache.get(key, async (onRequestStarted) => {
        const ask = () => load(request, deadline);
        const { answers, quota, health } = await fleet();
        if (!answers) return ask();
        const knownFailure = () => {
          const denial = quota.known();
          return denial ? budgetUsedUp(denial) : health?.known();
        };
        return answers.load(key, { ask, deadline, onRequestStarted, knownFailure });
      });
    },
    fetchFresh,
    plan: async () => (await fleet()).plan,
  };
}

function unreachable(error: TransportError): ApiError {
  if (error.kind === 'timeout') return tooSlow(error.message);
  const what = error.kind === 'connection' ? 'is unreachable' : 'gave an unusable answer';
  return new ApiError(502, `CoinPaprika ${what}: ${error.message}`);
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
