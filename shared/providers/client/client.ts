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
import {
  createTransport,
  type HttpAnswer,
  persistent,
  type Transport,
  TransportError,
} from '../../platform/transport.ts';
import { version } from '../../platform/version.ts';
import { AnswerCache } from './cache.ts';
import { reserving, throttled } from './limits.ts';
import { leaveAloneMs, receivedFrom, tooSlow } from './meaning.ts';
import { measured } from './measured.ts';
import { retried } from './retry.ts';

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

const USER_AGENT = `marketdata-api/${version}`;

type Outcome = HttpAnswer | TransportError;
type Upstream = Coordination & { readonly transport: Transport };

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
  const { baseUrl, headers } = provider.endpoint(environment);
  const common = { accept: 'application/json', 'accept-encoding': 'gzip', 'user-agent': USER_AGENT };
  const connections = connect({ baseUrl, headers: { ...common, ...headers }, maxBodyBytes });
  const cache = new AnswerCache(timeoutMs);
  let opening: Promise<Upstream> | undefined;
  /** Until when the provider itself wants to be left alone. */
  let refusedUntil = 0;

  function upstream(): Promise<Upstream> {
    opening ??= coordinate(environment, provider).then((shared) => {
      const counted = measured(persistent(reserving(connections, shared.quota, purpose), baseUrl));
      return { ...shared, transport: retried(throttled(counted, provider.limits.requestsPerSecond)) };
    });
    return opening;
  }

  async function send({ pause, transport }: Upstream, path: string, deadline: number): Promise<Outcome> {
    const pauseMs = refusedUntil - Date.now();
    if (pauseMs > 0) throw ApiError.rateLimited(pauseMs / 1000);
    // Scheduled work comes so seldom that it is a good probe while all others pause.
    if (purpose === 'answer') await pause?.check();
    const remainingMs = Math.min(timeoutMs, deadline - Date.now());
    if (remainingMs <= 0) throw tooSlow(provider.title);
    const outcome = await transport.get(path, remainingMs).catch((error: unknown) => {
      if (error instanceof TransportError) return error;
      throw error; // nobody was asked
    });
    const leaveAlone = leaveAloneMs(outcome);
    if (leaveAlone > 0) refusedUntil = Date.now() + leaveAlone;
    return outcome;
  }

  async function ask<T>(to: Upstream, request: ProviderRequest<T>, deadline: number): Promise<Received<T>> {
    const askedAt = Date.now();
    const outcome = await send(to, request.path, deadline);
    // Told to the other instances before the caller, because afterwards this container stands still.
    try {
      const received = receivedFrom(provider, request, outcome, askedAt);
      await to.pause?.end();
      return received;
    } catch (error) {
      await to.pause?.note(error);
      throw error;
    }
  }

  async function askToKeep<T>(to: Upstream, request: KeptRequest<T>, deadline: number): Promise<Kept<T>> {
    const askedAt = Date.now();
    const received = await ask(to, request, deadline);
    const freshUntil = request.freshUntil(askedAt);
    return { ...received, storedAt: askedAt, freshUntil, staleUntil: freshUntil + request.staleForMs };
  }

  return {
    provider,
    cache,
    load: (key, request, deadline) =>
      cache.load(key, async (onRequestStarted) => {
        const to = await upstream();
        const { answers, quota, pause } = to;
        if (!answers) return askToKeep(to, request, deadline);
        return answers.load(key, {
          ask: () => askToKeep(to, request, deadline),
          deadline,
          onRequestStarted,
          onStale: (entry) => cache.keep(key, entry),
          knownFailure: () => {
            const denial = quota.known(purpose);
            return denial ? budgetUsedUp(denial) : pause?.known();
          },
        });
      }),
    fetch: async (request, deadline) => ask(await upstream(), request, deadline),
    planMemory: async () => (await upstream()).plan,
  };
}
