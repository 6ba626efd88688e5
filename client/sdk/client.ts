import { dataIn, type RatedAnswer, ratedAnswer } from './answer.ts';
import { ApiFailure, messageOf } from './failure.ts';
import {
  type ClientOptions,
  headersOf,
  type IdempotentCallOptions,
  type Input,
  type RouteEntry,
  targetOf,
} from './request.ts';
import { withRetries } from './retry.ts';
import { type Client, routes } from './routes.ts';

/** API Gateway waits at most 29 s for a function. */
const TIMEOUT_MS = 30_000;

/**
 * The service's routes as functions: `client.<domain>.<action>(input, options)`. Each rejects with ApiFailure, with the
 * reason of its signal, or with a TypeError for an input that a path cannot carry. Throws a TypeError for an
 * invalid `baseUrl`.
 *
 * @example
 * const client = createClient({ baseUrl: 'http://localhost:3000' });
 * const { data, quality, dataTime } = await client.marketdata.ticker({ id: 'btc-bitcoin' });
 */
export function createClient(options: ClientOptions): Client {
  const baseUrl = checkedBaseUrl(options?.baseUrl);
  const methodOf =
    (route: RouteEntry) =>
    (input: Input = {}, own: IdempotentCallOptions = {}) =>
      call(route, input, { ...options, ...given(own), baseUrl });
  const methods = mapped(routes, (actions) => mapped(actions, methodOf));
  return methods as unknown as Client; // the interface and the table are generated from the same routes
}

/** The base URL without trailing slashes. Throws a TypeError that says what is expected. */
function checkedBaseUrl(given: unknown): string {
  const isOwnOrigin = typeof given === 'string' && /^(\/(?!\/)|$)/.test(given);
  const isAddress = typeof given === 'string' && /^https?:\/\//i.test(given) && URL.canParse(given);
  if (isOwnOrigin || isAddress) return given.replace(/\/+$/, '');
  throw new TypeError(
    `createClient: baseUrl is ${JSON.stringify(given)}; it must be the service's address, such as https://prices.example.com, or '' for the page's own origin`,
  );
}

type Settings = ClientOptions & IdempotentCallOptions;

async function call(route: RouteEntry, input: Input, options: Settings): Promise<RatedAnswer<unknown>> {
  const { retry = false, signal } = options;
  const { path, body } = targetOf(route, input);
  const idempotencyKey = options.idempotencyKey ?? (route.idempotent && retry ? randomKey() : undefined);
  return await withRetries(() => attempt(route.method, path, body, { ...options, idempotencyKey }), {
    limits: retry === false ? { tries: 1 } : retry === true ? {} : retry,
    repeatable: route.method === 'GET' || idempotencyKey !== undefined,
    signal,
  });
}

async function attempt(method: string, path: string, body: string | undefined, settings: Settings) {
  const { baseUrl, fetch = globalThis.fetch, signal, timeoutMs = TIMEOUT_MS } = settings;
  const headers = await headersOf(body, settings);
  signal?.throwIfAborted();
  const timeout = AbortSignal.timeout(timeoutMs);
  const init: RequestInit = {
    method,
    headers,
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    credentials: 'omit',
    // A browser's cache would also serve users without a key.
    cache: 'no-store',
    ...(body !== undefined && { body }),
  };
  let response: Response;
  let text: string;
  try {
    response = await fetch(baseUrl + path, init);
    text = await response.text();
  } catch (error) {
    signal?.throwIfAborted();
    const message = timeout.aborted ? `no answer within ${timeoutMs / 1000} s` : messageOf(error);
    throw new ApiFailure(undefined, message, { cause: error });
  }
  return ratedAnswer(dataIn(text, response, baseUrl), response.headers);
}

/** Drops undefined fields, so that they override nothing. */
function given<T extends object>(options: T): Partial<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<T>; // some of its own fields
}

function mapped<T, R>(record: Readonly<Record<string, T>>, change: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}

/** `randomUUID` is unavailable in pages without TLS. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
