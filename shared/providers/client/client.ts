import type { Purpose } from '../../coordination/budget.ts';
import type { Coordination } from '../../coordination/coordination.ts';
import { denied, limitedBy } from '../../coordination/quota.ts';
import { newest } from '../../marketdata/answer.ts';
import { gated } from '../../marketdata/gate/gated.ts';
import { lifetimes } from '../../marketdata/lifetimes.ts';
import type {
  Expected,
  MarketDataProvider,
  Offer,
  Offering,
  ProviderRequest,
  Received,
} from '../../marketdata/provider.ts';
import type { Errand, Kept, KeptRequest, ProviderClient } from '../../marketdata/provider-client.ts';
import type { Environment } from '../../platform/environment.ts';
import { urlParts } from '../../platform/redaction.ts';
import {
  createTransport,
  type HttpAnswer,
  persistent,
  type Transport,
  TransportError,
} from '../../platform/transport.ts';
import { version } from '../../platform/version.ts';
import { withoutEcho } from '../../platform/without-echo.ts';
import { AnswerCache } from './cache.ts';
import { weighed } from './doubt.ts';
import { reserving, throttle, throttled, withStatus } from './limits.ts';
import {
  asksForPause,
  DEFAULT_RETRY_MS,
  isLimit,
  isTrouble,
  leaveAloneMs,
  receivedFrom,
  tooSlow,
} from './meaning.ts';
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

/** An answer that all instances share is looked for so often if nobody asks for it to be loaded. */
const RECALL_MS = 300_000;
const MAX_RECALLED = 500;
const USER_AGENT = `marketdata-api/${version}`;

type Outcome = HttpAnswer | TransportError;

/** Loaded as it is needed: neither the table nor the AWS SDK behind it has a part in a cold start without one. */
const coordinateByTable: NonNullable<ClientOptions['coordinate']> = async (environment, provider) => {
  if (!environment.SHARED_TABLE) {
    const { coordinationOfThisProcess } = await import('../../coordination/without-table.ts');
    return coordinationOfThisProcess(environment, provider);
  }
  const [{ openCoordination }, { errorCodec }] = await Promise.all([
    import('../../coordination/coordination.ts'),
    import('./error-codec.ts'),
  ]);
  return openCoordination(environment, provider, errorCodec);
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
  const { title, isFree } = provider;
  const { key } = provider.settings;
  const sentSecrets = [(key && environment[key]) ?? '', ...urlParts(baseUrl)];
  const common = { accept: 'application/json', 'accept-encoding': 'gzip', 'user-agent': USER_AGENT };
  const connections = connect({ baseUrl, headers: { ...common, ...headers }, maxBodyBytes });
  const saysLimit = (answer: HttpAnswer) => isLimit(provider, answer);
  const mayStart = throttle(provider.limits.requestsPerSecond);
  const cache = new AnswerCache(timeoutMs);
  const isTimeFor = atMostEvery(RECALL_MS);
  let opening: Promise<Coordination> | undefined;
  /** Until when the provider itself wants to be left alone. */
  let refusedUntil = 0;

  function upstream(): Promise<Coordination> {
    opening ??= coordinate(environment, provider);
    return opening;
  }

  /** From the outside in: one more try, its turn, its count, what comes of its connection, its price. */
  async function transportFor(
    { quota, pace }: Coordination,
    client: string | undefined,
    { coinId, weight }: ProviderRequest<unknown>,
  ): Promise<Transport> {
    const shared = isFree ? await pace?.() : undefined;
    const turn = shared ? (maxWaitMs: number) => shared.mayStart(maxWaitMs, weight) : mayStart;
    const meant = withStatus(connections, provider);
    const paid = isFree ? meant : reserving(meant, quota, purpose, client);
    const clean = withoutEcho(measured(persistent(paid, baseUrl, coinId), saysLimit), sentSecrets);
    return retried(throttled(clean, turn, title));
  }

  async function send(
    to: Coordination,
    request: ProviderRequest<unknown>,
    { deadline, client }: Errand,
  ): Promise<Outcome> {
    const pauseMs = refusedUntil - Date.now();
    if (pauseMs > 0) throw limitedBy(title, pauseMs / 1000);
    // Scheduled work that costs something comes so seldom that it is a good probe while all others pause.
    if (isFree || purpose !== 'scheduled') await to.pause?.check();
    const remainingMs = Math.min(timeoutMs, deadline - Date.now());
    if (remainingMs <= 0) throw tooSlow(title);
    const { path } = request;
    const transport = await transportFor(to, client?.(), request);
    const outcome = await transport.get(path, remainingMs).catch((error: unknown) => {
      if (error instanceof TransportError) return error;
      throw error; // nobody was asked
    });
    // Told to the other instances before the caller, because afterwards this container stands still.
    await tell(to, path, outcome);
    return outcome;
  }

  async function tell({ pause }: Coordination, path: string, outcome: Outcome): Promise<void> {
    if (isTrouble(provider, outcome)) return pause?.noteTrouble(path);
    if (outcome instanceof TransportError) return;
    // Any other limit says nothing of the next request: it begins no pause, and ends none.
    if (!asksForPause(outcome)) return saysLimit(outcome) ? undefined : pause?.end();
    const leaveAlone = leaveAloneMs(outcome);
    if (leaveAlone > 0) refusedUntil = Date.now() + leaveAlone;
    await pause?.noteLimit(leaveAlone || DEFAULT_RETRY_MS);
  }

  async function ask<T>(
    to: Coordination,
    request: ProviderRequest<T>,
    errand: Errand,
    { price, ...expected }: Pick<KeptRequest<T>, 'price'> & Omit<Expected<T>, 'price'> = {},
  ): Promise<Received<T>> {
    const askedAt = Date.now();
    const outcome = await send(to, request, errand);
    return receivedFrom(provider, request, outcome, askedAt, { ...expected, price: await price?.() });
  }

  /** `before` is the failure of the one who asked last. */
  async function askToKeep<T>(
    to: Coordination,
    key: string,
    request: KeptRequest<T>,
    errand: Errand,
    before: Error | undefined,
  ): Promise<Kept<T>> {
    const askedAt = Date.now();
    const { isActive, isUsable, labels, price } = request;
    const atHand = newest(cache.kept<T>(key), request.published);
    const isMeasure =
      atHand && askedAt - atHand.madeAt < lifetimes.comparedForMs && (await isUsable?.(atHand)) !== false;
    const held = isMeasure ? atHand : undefined;
    const received = await ask(to, request, errand, { held, isActive, labels, price }).catch(
      (error: unknown) => {
        throw weighed(error, request, held, before, title);
      },
    );
    const freshUntil = request.freshUntil(askedAt, received.data);
    return { ...received, storedAt: askedAt, freshUntil, staleUntil: freshUntil + request.staleForMs };
  }

  return {
    provider: gated(provider),
    cache,
    load: (key, request, errand) =>
      cache.load(key, async (onRequestStarted) => {
        const to = await upstream();
        const { answers, quota, pause } = to;
        const askFor = (before: Error | undefined = cache.lastFailure(key)) =>
          askToKeep(to, key, request, errand, before);
        if (!answers) return askFor();
        return answers.load(key, {
          path: request.path,
          ask: askFor,
          deadline: errand.deadline,
          onRequestStarted,
          isUsable: request.isUsable,
          onStale: async (entry) => {
            cache.keep(key, entry);
            return (await request.isEnough?.(entry)) ?? false;
          },
          knownFailure: () => {
            const denial = quota.known(purpose, errand.client?.());
            return denial ? denied(denial) : pause?.known();
          },
        });
      }),
    recall: async <T>(key: string) => {
      if (!isTimeFor(key)) return undefined;
      const found = await (await upstream()).answers?.find<T>(key);
      if (found) cache.keep(key, found);
      return found;
    },
    fetch: async (request, deadline, { held, price } = {}) =>
      ask(await upstream(), request, { deadline }, { held, price: async () => price }),
    prepare: async () => {
      await (await upstream()).prepare?.();
    },
    reconcile: async ({ left }) => (await upstream()).quota.reconcile?.(left),
    planMemory: async () => (await upstream()).plan,
    wishes: async () => (await upstream()).wishes?.(),
  };
}

/** True for a key that was not asked about for `ms`. */
function atMostEvery(ms: number): (key: string) => boolean {
  const askedAt = new Map<string, number>();
  return (key) => {
    const now = Date.now();
    if (Math.abs(now - (askedAt.get(key) ?? Number.NEGATIVE_INFINITY)) < ms) return false;
    if (askedAt.size >= MAX_RECALLED) askedAt.clear();
    askedAt.set(key, now);
    return true;
  };
}
