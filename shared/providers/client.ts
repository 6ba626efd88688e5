/** The one client of all providers: how a request is paid for, paced, sent, repeated once, and read. */
import type { Purpose } from '../coordination/allowance.ts';
import { denied } from '../coordination/budget.ts';
import type { Coordination } from '../coordination/coordination.ts';
import { limitedBy } from '../coordination/source-limits.ts';
import { ApiError } from '../http/errors.ts';
import { gated } from '../marketdata/gate/gated.ts';
import type { MarketDataProvider, Offer, Offering, ProviderRequest } from '../marketdata/provider.ts';
import type { FetchOptions, ProviderClient } from '../marketdata/provider-client.ts';
import type { Environment } from '../platform/environment.ts';
import { type CountName, count, recordValue } from '../platform/metrics.ts';
import { urlParts } from '../platform/redaction.ts';
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
import { withoutEcho } from '../platform/without-echo.ts';
import {
  asksForPause,
  isLimit,
  isTrouble,
  leaveAloneMs,
  type Outcome,
  receivedFrom,
  tooSlow,
} from './meaning.ts';

/** Everything about a client but its provider and its environment. */
export interface ClientOptions {
  readonly connect?: typeof createTransport;
  /** Opens what this instance shares with others, at the first request. */
  readonly coordinate?: (
    environment: Environment,
    provider: MarketDataProvider,
  ) => Coordination | Promise<Coordination>;
  /** Of an answer, packed and unpacked; 8 MB by default. */
  readonly maxBodyBytes?: number;
  /** For one answer with its retry; UPSTREAM_TIMEOUT_MS by default. */
  readonly timeoutMs?: number;
  /** Which purse pays; that of callers by default. */
  readonly purpose?: Purpose;
}

const USER_AGENT = `marketdata-api/${version}`;
const RETRY_STATUSES = [502, 503, 504];
const JITTER_MS = { from: 50, to: 250 };

/** Loaded with the first request: most answers come from the store. */
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
  const { title, isFree } = provider;
  const { key } = provider.settings;
  const sentSecrets = [(key && environment[key]) ?? '', ...urlParts(baseUrl)];
  const common = { accept: 'application/json', 'accept-encoding': 'gzip', 'user-agent': USER_AGENT };
  const connections = connect({ baseUrl, headers: { ...common, ...headers }, maxBodyBytes });
  let opening: Promise<Coordination> | undefined;

  async function coordination(): Promise<Coordination> {
    opening ??= Promise.resolve(coordinate(environment, provider));
    return opening;
  }

  /** The connections with each single request reserved before it is sent; 429 if a budget is used up. */
  function paid({ budget }: Coordination, { client, onPaid }: FetchOptions<unknown>): Transport {
    return {
      async get(path, ms) {
        const deadline = Date.now() + ms;
        const reserved = isFree ? undefined : await budget.reserve(purpose, client?.());
        if (reserved?.allowed === false) throw denied(reserved);
        onPaid?.();
        const answer = await connections.get(path, leftUntil(deadline));
        return { ...answer, status: provider.statusOf?.(answer) ?? answer.status };
      },
    };
  }

  /** One try, when it is its turn. Throws TransportError, and an ApiError if the provider was not asked. */
  async function attempt(
    to: Coordination,
    { path, coinId, weight }: ProviderRequest<unknown>,
    ms: number,
    options: FetchOptions<unknown>,
  ): Promise<HttpAnswer> {
    const deadline = Date.now() + ms;
    if (!(await to.limits.mayStart(ms, weight))) throw limitedBy(title, 1);
    // Another request may have been told so while this one waited.
    const refused = to.limits.refused();
    if (refused) throw refused;
    // The inner one follows redirects, whose targets the outer one may cut.
    const transport = withoutEcho(persistent(paid(to, options), baseUrl, coinId), sentSecrets);
    return counted(
      () => transport.get(path, leftUntil(deadline)),
      (answer) => isLimit(provider, answer),
    );
  }

  async function send(
    to: Coordination,
    request: ProviderRequest<unknown>,
    deadline: number,
    options: FetchOptions<unknown>,
  ): Promise<Outcome> {
    // Scheduled work that costs something comes so seldom that it is a good probe while all others pause.
    await to.limits.check(!isFree && purpose === 'scheduled');
    const remainingMs = Math.min(timeoutMs, deadline - Date.now());
    if (remainingMs <= 0) throw tooSlow(title);
    const sentAt = Date.now();
    const outcome = await withRetry((ms) => attempt(to, request, ms, options), remainingMs).catch(
      (error: unknown) => {
        if (error instanceof TransportError) return error;
        throw error; // nobody was asked
      },
    );
    // Written for the other instances before the caller is answered, because afterwards this container stands still.
    await note(to, request.path, outcome, sentAt);
    return outcome;
  }

  async function note(
    { limits }: Coordination,
    path: string,
    outcome: Outcome,
    sentAt: number,
  ): Promise<void> {
    if (isTrouble(provider, outcome)) return limits.noteTrouble(path);
    if (outcome instanceof TransportError) return;
    if (asksForPause(outcome)) return limits.noteLimit(leaveAloneMs(outcome));
    // Any other limit says nothing of the next request: it begins no pause, and ends none.
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
 * One more try after a broken connection or a 502, 503 or 504, within `timeoutMs`; the first answer stands if its
 * `Retry-After` leaves no time for that, or nobody may ask again.
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

/** Counts a request by its outcome and times it; the repeated ones too, because each spends quota. */
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
    // Anything else is a request that was not paid for, and so never made.
    if (error instanceof TransportError)
      record(error.kind === 'timeout' ? 'UpstreamTimedOut' : 'UpstreamFailed');
    throw error;
  }
}

/** The count of an answer with this status, unless that is a limit's. */
function countOf(status: number): CountName {
  if (status === 200) return 'UpstreamOk';
  if (status === 404) return 'UpstreamNotFound';
  // 402, and 400 on older servers: the plan does not include it. A healthy provider says so.
  return status === 400 || status === 402 ? 'UpstreamRefused' : 'UpstreamFailed';
}
