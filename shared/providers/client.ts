/** The client of all providers: it pays for a request, paces it, sends it, retries it once, and reads the response. */
import type { Purpose } from '../coordination/allowance.ts';
import { denied } from '../coordination/budget.ts';
import type { Coordination } from '../coordination/coordination.ts';
import { limitedBy } from '../coordination/source-limits.ts';
import { ApiError } from '../http/errors.ts';
import { gated } from '../marketdata/gate/gated.ts';
import type {
  FetchOptions,
  MarketDataProvider,
  Offer,
  Offering,
  ProviderClient,
  ProviderRequest,
} from '../marketdata/provider.ts';
import type { Environment } from '../platform/environment.ts';
import { type CountName, count, recordValue } from '../platform/metrics.ts';
import { urlParts, withoutEcho } from '../platform/redaction.ts';
import {
  createTransport,
  type HttpAnswer,
  leftUntil,
  persistent,
  retryAfterMs,
  type Transport,
  TransportError,
} from '../platform/transport.ts';
import { version } from '../platform/version.ts';
import {
  asksForPause,
  isLimit,
  isTrouble,
  type Outcome,
  pauseMsOf,
  receivedFrom,
  tooSlow,
} from './responses.ts';

/** Options of a client besides its provider and environment. */
export interface ClientOptions {
  readonly connect?: typeof createTransport;
  /** Opens the coordination with other instances, at the first request. */
  readonly coordinate?: (
    environment: Environment,
    provider: MarketDataProvider,
  ) => Coordination | Promise<Coordination>;
  /** The size limit of a response, packed and unpacked; 8 MB by default. */
  readonly maxBodyBytes?: number;
  /** The time limit of a request with its retry; UPSTREAM_TIMEOUT_MS by default. */
  readonly timeoutMs?: number;
  /** Which purse pays; the callers' by default. */
  readonly purpose?: Purpose;
}

const USER_AGENT = `marketdata-api/${version}`;
const RETRY_STATUSES = [502, 503, 504];
const JITTER_MS = { from: 50, to: 250 };

/** Loaded with the first request, because most responses come from the store. */
const coordinateByTable: NonNullable<ClientOptions['coordinate']> = async (environment, provider) =>
  (await import('../coordination/coordination.ts')).coordinationOf(environment, provider);

/** A client with its own connections. */
export function createClient<O extends Offer>(
  provider: Offering<O>,
  environment: Environment,
  {
    connect = createTransport,
    coordinate = coordinateByTable,
    maxBodyBytes,
    timeoutMs = Number(environment.UPSTREAM_TIMEOUT_MS),
    purpose = 'demand',
  }: ClientOptions = {},
): ProviderClient<O> {
  const { baseUrl, headers } = provider.endpoint(environment);
  const { title, isPaid, scheduledProbes } = provider;
  const { key } = provider.settings;
  const clean = withoutEcho([(key && environment[key]) ?? '', ...urlParts(baseUrl)]);
  const common = { accept: 'application/json', 'accept-encoding': 'gzip', 'user-agent': USER_AGENT };
  const connections = connect({ baseUrl, headers: { ...common, ...headers }, maxBodyBytes });
  let opening: Promise<Coordination> | undefined;

  async function coordination(): Promise<Coordination> {
    opening ??= Promise.resolve(coordinate(environment, provider));
    return opening;
  }

  /** The transport that reserves each request before it is sent; 429 if a budget is spent. */
  function paid({ budget }: Coordination, { client, beforePaying }: FetchOptions<unknown>): Transport {
    return {
      async get(path, ms) {
        const deadline = Date.now() + ms;
        beforePaying?.();
        const reserved = isPaid ? await budget.reserve(purpose, client?.()) : undefined;
        if (reserved?.allowed === false) throw denied(reserved);
        const answer = await connections.get(path, leftUntil(deadline));
        return { ...answer, status: provider.statusOf?.(answer) ?? answer.status };
      },
    };
  }

  /** One try, in its turn. Throws TransportError, and an ApiError if no request was sent. */
  async function attempt(
    to: Coordination,
    { path, coinId, weight }: ProviderRequest<unknown>,
    ms: number,
    options: FetchOptions<unknown>,
  ): Promise<HttpAnswer> {
    const deadline = Date.now() + ms;
    if (!(await to.limits.mayStart(ms, weight))) throw limitedBy(title, 1);
    if (Date.now() >= deadline) throw tooSlow(title); // the process was frozen
    // Another request may have received a pause while this one waited.
    const refused = to.limits.refused();
    if (refused) throw refused;
    const transport = persistent(paid(to, options), baseUrl, coinId);
    return counted(
      () => transport.get(path, leftUntil(deadline)).then(clean),
      (answer) => isLimit(provider, answer),
    );
  }

  async function send(
    to: Coordination,
    request: ProviderRequest<unknown>,
    deadline: number,
    options: FetchOptions<unknown>,
  ): Promise<Outcome> {
    await to.limits.check(scheduledProbes && purpose === 'scheduled');
    const remainingMs = Math.min(timeoutMs, deadline - Date.now());
    if (remainingMs <= 0) throw tooSlow(title);
    const sentAt = Date.now();
    const outcome = await withRetry((ms) => attempt(to, request, ms, options), remainingMs).catch(
      (error: unknown) => {
        if (error instanceof TransportError) return error;
        throw error; // no request was sent
      },
    );
    // Written for the other instances before the response returns, because this container may freeze afterwards.
    await note(to, request.path, outcome, sentAt);
    return outcome;
  }

  async function note(
    { limits }: Coordination,
    path: string,
    outcome: Outcome,
    sentAt: number,
  ): Promise<void> {
    if (isTrouble(outcome)) return limits.noteTrouble(path);
    if (outcome instanceof TransportError) return;
    if (asksForPause(outcome)) return limits.noteLimit(pauseMsOf(outcome));
    // Other limits do not concern the next request: they start no pause and end none.
    if (!isLimit(provider, outcome)) await limits.noteSuccess(sentAt);
  }

  return {
    provider: gated(provider),
    async fetch(request, deadline, options = {}) {
      const askedAt = Date.now();
      const outcome = await send(await coordination(), request, deadline, options);
      return receivedFrom(provider, request, outcome, askedAt, options);
    },
    reconcile: async ({ left }) => (await coordination()).budget.reconcile?.(left),
  };
}

/**
 * Retries once after a broken connection or a 502, 503 or 504, within `timeoutMs`; the first response stands if its `Retry-After`
 * leaves no time, or no further request is allowed.
 */
export async function withRetry(
  attempt: (timeoutMs: number) => Promise<HttpAnswer>,
  timeoutMs: number,
): Promise<HttpAnswer> {
  const deadline = Date.now() + timeoutMs;
  const first = await attempt(timeoutMs).catch((error: unknown) => {
    if (error instanceof TransportError && error.kind === 'connection') return error;
    throw error;
  });
  const hasFailed = first instanceof TransportError;
  const askedMs = hasFailed ? 0 : (retryAfterMs(first.headers['retry-after']) ?? 0);
  const waitMs = Math.max(askedMs, JITTER_MS.from + Math.random() * (JITTER_MS.to - JITTER_MS.from));
  const settled = () => {
    if (hasFailed) throw first;
    return first;
  };
  const isFinal = !hasFailed && !RETRY_STATUSES.includes(first.status);
  if (isFinal || Date.now() + waitMs >= deadline) return settled();
  await new Promise((resolve) => setTimeout(resolve, waitMs));
  return attempt(leftUntil(deadline)).catch((error: unknown) => {
    if (error instanceof ApiError) return settled(); // its turn, or its part of the budget, was refused
    throw error;
  });
}

/** Counts and times a request by its outcome; retries too, because each spends quota. */
export async function counted(
  send: () => Promise<HttpAnswer>,
  isLimit: (answer: HttpAnswer) => boolean,
): Promise<HttpAnswer> {
  const startedAt = performance.now();
  const record = (outcome: CountName) => {
    count(outcome);
    recordValue('UpstreamLatency', Math.round(performance.now() - startedAt));
  };
  try {
    const answer = await send();
    record(isLimit(answer) ? 'UpstreamRateLimited' : countOf(answer.status));
    return answer;
  } catch (error) {
    // Anything else is a request that was not paid for, and so never sent.
    if (error instanceof TransportError)
      record(error.kind === 'timeout' ? 'UpstreamTimedOut' : 'UpstreamFailed');
    throw error;
  }
}

/** The count for a response with this status, unless it reports a limit. */
function countOf(status: number): CountName {
  if (status === 200) return 'UpstreamOk';
  if (status === 404) return 'UpstreamNotFound';
  // 402, and 400 on older servers: the plan does not include it. A healthy provider says so.
  return status === 400 || status === 402 ? 'UpstreamRefused' : 'UpstreamFailed';
}
