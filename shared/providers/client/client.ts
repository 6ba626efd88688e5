import { budgetOf, type Purpose } from '../../coordination/budget.ts';
import type { Coordination } from '../../coordination/coordination.ts';
import { MemoryQuota } from '../../coordination/memory-quota.ts';
import { budgetUsedUp } from '../../coordination/quota.ts';
import { ApiError } from '../../http/errors.ts';
import type {
  Kept,
  KeptRequest,
  MarketDataProvider,
  Offer,
  Offering,
  ProviderClient,
  ProviderRequest,
  Received,
} from '../../marketdata/provider.ts';
import type { Environment } from '../../platform/environment.ts';
import { createTransport, type HttpAnswer, persistent, TransportError } from '../../platform/transport.ts';
import { version } from '../../platform/version.ts';
import { AnswerCache } from './cache.ts';
import { leaveAloneMs, receivedFrom, tooSlow } from './meaning.ts';
import { measured } from './measured.ts';
import { reserving } from './reserving.ts';
import { retried } from './retry.ts';
import { throttled } from './throttle.ts';

/** Everything about a client but its provider and its environment. */
export interface ClientOptions {
  readonly connect?: typeof createTransport;
  /** Opens what this instance shares with others, at the first miss of its own cache. */
  readonly coordinate?: (environment: Environment, provider: MarketDataProvider) => Promise<Coordination>;
  /** Of an answer, packed and unpacked; 8 MB by default. */
  readonly maxBodyBytes?: number;
  /** For one answer with its retry; UPSTREAM_TIMEOUT_MS by default. */
  readonly timeoutMs?: number;
  /** Whose part of the budget the requests are taken from; that of callers by default. */
  readonly purpose?: Purpose;
}

/** Loaded only if there is a table: neither it nor the AWS SDK behind it has a part in a cold start without one. */
const coordinateByTable: NonNullable<ClientOptions['coordinate']> = async (environment, provider) => {
  if (!environment.SHARED_TABLE) return { quota: new MemoryQuota(budgetOf(environment)) };
  const [{ openCoordination }, { errorCodec }] = await Promise.all([
    import('../../coordination/coordination.ts'),
    import('./error-codec.ts'),
  ]);
  return openCoordination(environment, provider, errorCodec(provider.title));
};

/** A client with its own cache and connections; one for each provider and container. */
export function createClient<O extends Offer>(
  provider: Offering<O>,
  environment: Environment,
  {
    connect = createTransport,
    coordinate = coordinateByTable,
    maxBodyBytes,
    timeoutMs = Number(environment.UPSTREAM_TIMEOUT_MS),
    purpose = 'answer',
  }: ClientOptions = {},
): ProviderClient<O> {
  let opening: Promise<Coordination> | undefined;
  const shared = () => {
    opening ??= coordinate(environment, provider);
    return opening;
  };
  const { baseUrl, headers } = provider.endpoint(environment);
  const connections = connect({
    baseUrl,
    headers: {
      accept: 'application/json',
      'accept-encoding': 'gzip',
      'user-agent': `marketdata-api/${version}`,
      ...headers,
    },
    maxBodyBytes,
  });
  const reserved = reserving(connections, async () => (await shared()).quota.reserve(purpose));
  const counted = measured(persistent(reserved, baseUrl));
  const transport = retried(throttled(counted, provider.limits.requestsPerSecond));
  const cache = new AnswerCache(timeoutMs);
  /** Until when the provider itself wants to be left alone. */
  let refusedUntil = 0;

  async function send(path: string, deadline: number): Promise<HttpAnswer | TransportError> {
    const pauseMs = refusedUntil - Date.now();
    if (pauseMs > 0) throw ApiError.rateLimited(pauseMs / 1000);
    // Scheduled work comes so seldom that it is a good probe while all others pause.
    if (purpose === 'answer') await (await shared()).pause?.check();
    const remainingMs = Math.min(timeoutMs, deadline - Date.now());
    if (remainingMs <= 0) throw tooSlow(provider.title);
    const outcome = await transport.get(path, remainingMs).catch((error: unknown) => {
      if (error instanceof TransportError) return error;
      throw error; // nobody was asked
    });
    refusedUntil = Date.now() + leaveAloneMs(outcome);
    return outcome;
  }

  async function fetch<T>(request: ProviderRequest<T>, deadline: number): Promise<Received<T>> {
    const askedAt = Date.now();
    const outcome = await send(request.path, deadline);
    // Told to the other instances before the caller, because afterwards this container stands still.
    const { pause } = await shared();
    try {
      const received = receivedFrom(provider, request, outcome, askedAt);
      await pause?.end();
      return received;
    } catch (error) {
      await pause?.note(error);
      throw error;
    }
  }

  async function ask<T>(request: KeptRequest<T>, deadline: number): Promise<Kept<T>> {
    const askedAt = Date.now();
    const received = await fetch(request, deadline);
    const freshUntil = request.freshUntil(askedAt);
    return { ...received, storedAt: askedAt, freshUntil, staleUntil: freshUntil + request.staleForMs };
  }

  return {
    provider,
    cache,
    load: (key, request, deadline) =>
      cache.load(key, async (onRequestStarted) => {
        const { answers, quota, pause } = await shared();
        if (!answers) return ask(request, deadline);
        return answers.load(key, {
          ask: () => ask(request, deadline),
          deadline,
          onRequestStarted,
          onStale: (entry) => cache.keep(key, entry),
          knownFailure: () => {
            const denial = quota.known(purpose);
            return denial ? budgetUsedUp(denial) : pause?.known();
          },
        });
      }),
    fetch,
    planMemory: async () => (await shared()).plan,
  };
}
