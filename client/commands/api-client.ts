import { ApiFailure, messageOf } from './api-failure.ts';
import { type Data, type Input, paths, type RouteName } from './contracts.ts';

export interface Answer<T> {
  readonly data: T;
  /** A response header by its name in lower case. */
  readonly header: (name: string) => string | undefined;
}

/** The routes as functions. Throws ApiFailure. */
export interface Api {
  get<Name extends RouteName>(route: Name, input: Input<Name>): Promise<Answer<Data<Name>>>;
}

export interface ApiOptions {
  /** The service's address without a slash at its end; `''` for the page's own origin. */
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  /** Sent as `x-api-key`; read anew for every request. */
  readonly apiKey?: () => string | undefined;
  readonly timeoutMs?: number;
  readonly now?: () => number;
}

/** API Gateway waits 29 s for a function at most. */
const TIMEOUT_MS = 30_000;

/**
 * The typed client of the service.
 *
 * @example
 * const api = createApi({ baseUrl: 'http://localhost:3000', fetch });
 * const { data } = await api.get('ticker', { id: 'btc-bitcoin' });
 */
export function createApi(options: ApiOptions): Api {
  const { baseUrl, fetch, apiKey, timeoutMs = TIMEOUT_MS, now = Date.now } = options;

  return {
    async get(route, input) {
      const key = apiKey?.();
      const init: RequestInit = {
        headers: key ? { accept: 'application/json', 'x-api-key': key } : { accept: 'application/json' },
        signal: AbortSignal.timeout(timeoutMs),
        credentials: 'omit',
        // A browser's cache would answer users who have no key any more.
        cache: 'no-store',
      };
      const { response, text } = await request(baseUrl + pathOf(route, input), init, timeoutMs, fetch);
      const envelope = parse(text);
      if (envelope === undefined) throw foreignAnswer(response, baseUrl);
      if (envelope.success) {
        const header = (name: string) => response.headers.get(name) ?? undefined;
        // The service checks its answers against the schema that these types are derived from.
        return { data: envelope.data as Data<typeof route>, header };
      }
      throw new ApiFailure(response.status, envelope.error, {
        // An older service answers 404 for a route that it does not have yet, which says nothing about a coin.
        isAnswer: !envelope.error.startsWith('No such route'),
        retryAfterSeconds: secondsUntil(response.headers.get('retry-after'), now()),
      });
    },
  };
}

async function request(url: string, init: RequestInit, timeoutMs: number, fetch: ApiOptions['fetch']) {
  try {
    const response = await fetch(url, init);
    return { response, text: await response.text() };
  } catch (error) {
    const isTimeout = error instanceof Error && error.name === 'TimeoutError';
    const message = isTimeout ? `no answer within ${timeoutMs / 1000} s` : messageOf(error);
    throw new ApiFailure(undefined, message, { cause: error });
  }
}

function pathOf<Name extends RouteName>(route: Name, input: Input<Name>): string {
  const query = new URLSearchParams();
  let path: string = paths[route];
  for (const [name, value] of Object.entries<string | number | boolean | undefined>(input)) {
    if (value === undefined) continue;
    if (path.includes(`{${name}}`)) path = path.replace(`{${name}}`, () => encodeURIComponent(value));
    else query.set(name, String(value));
  }
  return query.size > 0 ? `${path}?${query}` : path;
}

type Envelope = { readonly success: true; readonly data: unknown } | { success: false; error: string };

function parse(text: string): Envelope | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('success' in value)) return undefined;
    if (value.success === true && 'data' in value) return { success: true, data: value.data };
    const error = 'error' in value && typeof value.error === 'string' ? value.error : undefined;
    return value.success === false && error !== undefined ? { success: false, error } : undefined;
  } catch {
    return undefined;
  }
}

/** API Gateway's own refusals (429, 503) and other servers at that address have no envelope. */
function foreignAnswer({ status, headers }: Response, baseUrl: string): ApiFailure {
  if (status === 429) {
    return new ApiFailure(429, 'Rate limit exceeded', {
      retryAfterSeconds: secondsUntil(headers.get('retry-after'), Date.now()),
    });
  }
  const what = `HTTP ${status}, ${headers.get('content-type') ?? 'no content type'}`;
  const where = baseUrl === '' ? 'the service' : baseUrl;
  return new ApiFailure(status, `${where} does not answer as the market-data API does (${what})`);
}

/** `Retry-After` is a number of seconds or a date (RFC 9110, 10.2.3). */
function secondsUntil(retryAfter: string | null, now: number): number | undefined {
  if (retryAfter === null || retryAfter.trim() === '') return undefined;
  const seconds = /^\d+$/.test(retryAfter.trim())
    ? Number(retryAfter)
    : Math.ceil((Date.parse(retryAfter) - now) / 1000);
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}
