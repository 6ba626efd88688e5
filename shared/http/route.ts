import Type, { type Static, type TObject, type TOptional, type TSchema } from 'typebox';
import type { EnvironmentName } from '../platform/environment.ts';
import { compileInput, type InputValidator, type Parameter, parametersOf } from './compile-schemas.ts';
import { readBody } from './middleware/body.ts';

/** Requests a minute that one client may make: read-only data, quotes and route discovery, RPC proxies. */
const rateLimits = { read: 100, quote: 30, proxy: 10 } as const;

type NoFields = TObject<Record<never, never>>;

/** The content of a `route.ts`: the whole contract of one endpoint, as data. */
export interface RouteDefinition<
  Path extends TObject = NoFields,
  Query extends TObject = NoFields,
  Body extends TObject = NoFields,
  Data extends TSchema = TSchema,
> {
  /** `<protocol>/<action>`, also the folder below `functions/`. */
  readonly name: `${string}/${string}`;
  readonly method: 'GET' | 'POST' | 'ANY';
  /** As API Gateway writes it: `/api/marketdata/ticker/{id}`, or `$default`. */
  readonly path: `/${string}` | '$default';
  readonly summary: string;
  readonly description?: string;
  readonly limit: keyof typeof rateLimits;
  readonly pathParameters?: Path;
  readonly query?: Query;
  /** A JSON object; only for POST. */
  readonly body?: Body;
  /** Largest accepted body in bytes; 16,384 by default. */
  readonly maxBodyBytes?: number;
  /** Whether it takes an `Idempotency-Key`: the same key and input give the same answer for a day. */
  readonly idempotent?: boolean;
  /** Schema of `data` in the envelope of a 200; without the envelope, of the handler's whole answer. */
  readonly response: Data;
  /** `false`: it speaks another protocol, in whole answers of its own; what the pipeline refuses has the envelope. */
  readonly envelope?: false;
  /**
   * The function speaks in another API's shapes. Its own path takes all of these and what none of them
   * does, and it gives whole answers; only for GET without the envelope. It reads their queries itself, unless the route has
   * a `query`, to which those of all its paths are held.
   */
  readonly adapter?: Adapter;
  /** It answers browsers with HTML that anybody may have, whatever the query says; no client and no document names it. */
  readonly isPage?: boolean;
  /** Request headers beyond the common ones that it reads, for the distribution to hand through. */
  readonly requestHeaders?: readonly string[];
  /** Request headers that its clients send from web pages though nobody reads them: CORS has to allow them. */
  readonly unreadHeaders?: readonly string[];
  /** Response headers beyond the common ones, with their meaning (for the OpenAPI document). */
  readonly responseHeaders?: Readonly<Record<string, string>>;
  /** Statuses beyond 400, 401, 413 and 415 (with a body), 429 and 500 that the route answers, each with its reason. */
  readonly failures?: Readonly<Record<number, string>>;
  /**
   * Secrets that each request needs, fetched if their variables name them; a missing one is a 500. A stage that does not
   * name all of them is deployed without the route.
   */
  readonly secrets?: readonly string[];
  /**
   * Sets of secrets. Each request needs one of them, which one depends on its input: `secret(name)` reads a secret, and
   * a missing one is a 500. A stage without any complete set is deployed without the route.
   */
  readonly requestSecrets?: readonly (readonly string[])[];
  /** Names of the environment schema that the function gets, besides those of every function. */
  readonly environment?: readonly EnvironmentName[];
  /** The owners of the rows in the shared table that the function reads and writes (`rowKey`); none: it has no table. */
  readonly rows?: readonly string[];
  /** Whether the function carries the coin registry. */
  readonly registry?: boolean;
  /** Whether the function answers from the published ticker snapshot. */
  readonly snapshot?: boolean;
  /** Whether the function answers from our own history. */
  readonly history?: boolean;
  /** Whether the function reads which contract is which coin. */
  readonly sources?: boolean;
  /** Whether the function fetches what no store has, and puts it into the coin's object of the history. */
  readonly putsCoins?: boolean;
  /** Parameters of a request that succeeds, for the documents and their tests; `{}` if none is needed. */
  readonly example: Readonly<Record<string, string | number | boolean | readonly (string | object)[]>>;
  /** Bytes that its bundle may load at a cold start, checked by a test; 62,000 unless told. */
  readonly maxInitBytes?: number;
  readonly memoryMb: number;
  readonly timeoutSeconds: number;
  /** The most containers at once, if the stage reserves them: it limits the cost of a slow provider or a flood. */
  readonly maxConcurrency: number;
}

export interface Adapter {
  readonly routes: readonly AdapterRoute[];
  /** What its errors look like, with the statuses beyond 401, 429 and 500 that it answers. */
  readonly failure: TSchema;
}

/** One path of an adapter, for the infrastructure, the documents, and local runs, which hold answers against it. */
export interface AdapterRoute {
  /** Within the adapter. */
  readonly name: string;
  readonly path: `/${string}`;
  readonly summary: string;
  readonly description?: string;
  readonly pathParameters?: TObject;
  readonly query?: TObject;
  /** Of the whole body; of a text, its media type. */
  readonly response: TSchema | string;
  /** Parameters of a request that succeeds. */
  readonly example: RouteDefinition['example'];
}

/** `{path+}` takes the rest of a path, which is no parameter. */
type NamesIn<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? Exclude<Name, `${string}+`> | NamesIn<Rest>
  : never;

/** The path, if `pathParameters` names the same; else a sentence that the compiler shows in its place. */
type AgreedPath<P extends string, Path extends TObject> = [NamesIn<P>, keyof Static<Path>] extends [
  keyof Static<Path>,
  NamesIn<P>,
]
  ? P
  : '/ pathParameters must have exactly the names that path has in braces';

/** The part of a route that the pipeline needs at run time; the build keeps this and drops the schemas. */
export interface RuntimeRoute {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly requestsPerMinute: number;
  readonly maxBodyBytes: number;
  readonly hasBody: boolean;
  /** Only in routes with a body, so that the functions of the others do not carry it. */
  readonly readBody?: typeof readBody;
  readonly idempotent: boolean;
  readonly isPage?: boolean;
  readonly secrets: readonly string[];
  /** All of them, those of `requestSecrets` included. */
  readonly allSecrets: readonly string[];
  readonly parameters: readonly Parameter[];
  /** Of an adapter: the name of each of its routes by its path. */
  readonly adapted?: Readonly<Record<string, string>>;
  readonly validate: InputValidator;
}

type DefaultedNames<Properties> = {
  [Name in keyof Properties]: Properties[Name] extends { readonly default: unknown } ? Name : never;
}[keyof Properties];

/** The validator fills in what has a default, so that a handler always has it. */
type Fields<S> =
  S extends TObject<infer Properties>
    ? Static<S> & Required<Pick<Static<S>, DefaultedNames<Properties> & keyof Static<S>>>
    : Record<never, never>;

export type Route<
  Path extends TObject = TObject,
  Query extends TObject = TObject,
  Body extends TObject = TObject,
  Data extends TSchema = TSchema,
> = RouteDefinition<Path, Query, Body, Data> & RuntimeRoute;

/** The validated input of a route: path, query and body fields in one object. */
export type InputOf<R> =
  R extends RouteDefinition<infer P, infer Q, infer B, TSchema> ? Fields<P> & Fields<Q> & Fields<B> : never;

/** The return value of a route's handler: the `data` of the envelope. */
export type DataOf<R> = R extends { readonly response: infer D extends TSchema } ? Static<D> : never;

/** An optional field whose schema says its default. Throws if it says none. */
export function withDefault<S extends TSchema>(schema: S): TOptional<S & { readonly default: Static<S> }> {
  if (!('default' in schema)) throw new Error('withDefault needs a schema with a default');
  return Type.Optional(schema) as TOptional<S & { readonly default: Static<S> }>; // it has one, as just checked
}

const DEFAULT_MAX_BODY_BYTES = 16_384;

/** Completes a route's data with its compiled input validator. Throws if the definition contradicts itself. */
export function defineRoute<
  Path extends TObject = NoFields,
  Query extends TObject = NoFields,
  Body extends TObject = NoFields,
  Data extends TSchema = TSchema,
  P extends string = string,
>(
  definition: RouteDefinition<Path, Query, Body, Data> & { readonly path: AgreedPath<P, Path> },
): Route<Path, Query, Body, Data> {
  const parameters = parametersOf(definition);
  return {
    ...definition,
    requestsPerMinute: rateLimits[definition.limit],
    maxBodyBytes: definition.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES,
    hasBody: definition.body !== undefined,
    ...(definition.body && { readBody }),
    idempotent: definition.idempotent ?? false,
    secrets: definition.secrets ?? [],
    allSecrets: [...new Set([...(definition.secrets ?? []), ...(definition.requestSecrets ?? []).flat()])],
    parameters,
    ...(definition.adapter && { adapted: adaptedBy(definition.adapter) }),
    validate: compileInput(definition),
  };
}

function adaptedBy({ routes }: Adapter): Record<string, string> {
  return Object.fromEntries(routes.map(({ name, path }) => [path, name]));
}
