import type { ClientOptions, IdempotentCallOptions } from './options.ts';

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
