import type { RetryLimits } from './retry.ts';

/** What may be set for all calls of a client, and anew for each of them. */
export interface CallOptions {
  /**
   * Whether to try again what may succeed a little later; `true` for three tries within 90 seconds. A pause is as long as
   * `Retry-After` says, at least half a second to a second, twice that the next time. Tried again are answers of 429, and,
   * where doing it twice does no harm (GET, or an `Idempotency-Key`), 503, 504 and no answer at all.
   * @default false
   */
  readonly retry?: boolean | RetryLimits | undefined;
  /**
   * How long one try may take until its answer is read.
   * @default 30_000
   */
  readonly timeoutMs?: number | undefined;
  /** Ends the call, whatever it waits for: it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Of a route that does a thing once, however often it is asked with the same key. */
export interface IdempotentCallOptions extends CallOptions {
  /**
   * 1 to 255 visible ASCII characters other than a comma. Keep it as long as you might ask again: the same key and input
   * give the same answer for 24 hours. With `retry` and without a key one is made for the call.
   */
  readonly idempotencyKey?: string | undefined;
}

export interface ClientOptions extends CallOptions {
  /** The service's address, such as `https://prices.example.com`; `''` for the page's own origin. */
  readonly baseUrl: string;
  /** Sent as `x-api-key`. A function is asked for each try. */
  readonly apiKey?: string | (() => string | undefined | Promise<string | undefined>) | undefined;
  /** In place of the platform's own `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

/** The part of a route that a call needs at run time. */
export interface RouteEntry {
  readonly method: 'GET' | 'POST';
  /** With the names of path parameters in braces. */
  readonly path: string;
  /** Of a POST, the fields that go to the query; all others go to the body. */
  readonly query?: readonly string[];
  /** Whether it takes an `Idempotency-Key`. */
  readonly idempotent?: true;
}

export type Input = Readonly<Record<string, unknown>>;

/** The input of a route as the path with its query, and the body. Throws a TypeError if the path cannot carry it. */
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

/** Headers of one try. */
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
