import type { RetryLimits } from './retry.ts';

/** Options for all calls of a client, or for one of them. */
export interface CallOptions {
  /**
   * Whether to retry temporary failures; `true` for three attempts within 90 seconds. A pause is as long as `Retry-After`
   * says, but at least half a second to a second, and twice that the next time. Retried are 429 and, where repetition is
   * harmless (GET, or an `Idempotency-Key`), 503, 504 and requests without a response.
   * @default false
   */
  readonly retry?: boolean | RetryLimits | undefined;
  /**
   * The time limit of one attempt, including reading its response.
   * @default 30_000
   */
  readonly timeoutMs?: number | undefined;
  /** Aborts the call at any point: it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The options of a route that runs once for all requests with the same key. */
export interface IdempotentCallOptions extends CallOptions {
  /**
   * 1 to 255 visible ASCII characters other than a comma. Keep it as long as you might retry: the same key and input
   * give the same response for 24 hours. With `retry` and without a key, the client generates one for the call.
   */
  readonly idempotencyKey?: string | undefined;
}

export interface ClientOptions extends CallOptions {
  /** The service's address, such as `https://prices.example.com`; `''` for the page's own origin. */
  readonly baseUrl: string;
  /** Sent as `x-api-key`. A function is called for each attempt. */
  readonly apiKey?: string | (() => string | undefined | Promise<string | undefined>) | undefined;
  /** Replaces the platform's own `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

/** The part of a route that a call needs at run time. */
export interface RouteEntry {
  readonly method: 'GET' | 'POST';
  /** The path, with its parameters in braces. */
  readonly path: string;
  /** The fields of a POST that are sent in the query; all others are sent in the body. */
  readonly query?: readonly string[];
  /** Whether it accepts an `Idempotency-Key`. */
  readonly idempotent?: true;
}

export type Input = Readonly<Record<string, unknown>>;

/** The path with the query, and the body, for a route's input. Throws a TypeError if the path cannot carry it. */
export function targetOf({ method, path, query = [] }: RouteEntry, input: Input) {
  const fields = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const filled = path.replace(/\{(.+?)\}/g, (_, name: string) => {
    const value = String(fields.get(name) ?? '');
    fields.delete(name);
    // Dots in a path are steps, encoded or not.
    if (/^\.{0,2}$/.test(value))
      throw new TypeError(`A path cannot carry this ${name}: ${JSON.stringify(value)}`);
    return encodeURIComponent(value);
  });
  const inQuery = [...fields].filter(([name]) => method === 'GET' || query.includes(name));
  const search = new URLSearchParams(inQuery.map(([name, value]): [string, string] => [name, String(value)]));
  for (const [name] of inQuery) fields.delete(name);
  return {
    path: inQuery.length > 0 ? `${filled}?${search}` : filled,
    body: method === 'POST' ? JSON.stringify(Object.fromEntries(fields)) : undefined,
  };
}

type Body = string | undefined;

/** The headers of one attempt. */
export async function headersOf(
  body: Body,
  { apiKey, idempotencyKey }: Pick<ClientOptions, 'apiKey'> & IdempotentCallOptions,
): Promise<Record<string, string>> {
  const key = typeof apiKey === 'function' ? await apiKey() : apiKey;
  return {
    accept: 'application/json',
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(key && { 'x-api-key': key }),
    ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
  };
}
