import Type, { type Static, type TObject, type TOptional, type TSchema } from 'typebox';
import type { EnvironmentName } from '../platform/environment.ts';
import { compileInput, type InputValidator, type Parameter, parametersOf } from './compile-schemas.ts';
import { readBody } from './middleware/body.ts';

/** Requests a minute of one client: read-only data, quotes and route discovery, RPC proxies. */
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
  /** The path in API Gateway's notation: `/api/marketdata/ticker/{id}`, or `$default`. */
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
  /** Whether it accepts an `Idempotency-Key`: the same key and input return the same response for a day. */
  readonly idempotent?: boolean;
  /** Schema of `data` in the envelope of a 200; without the envelope, of the handler's whole response. */
  readonly response: Data;
  /** `false`: it uses another protocol, with whole responses; the pipeline's errors have the envelope. */
  readonly envelope?: false;
  /**
   * The function serves another API's routes in that API's shapes, with whole responses. The route's own path matches all of
   * these, and paths that none of them matches; only for GET without the envelope. The function reads their queries itself,
   * unless the route has a `query`, against which all are validated.
   */
  readonly adapter?: Adapter;
  /** It serves HTML to browsers, publicly and for any query; no client and no document names it. */
  readonly isPage?: boolean;
  /** Request headers that it reads besides the common ones, for the distribution to pass on. */
  readonly requestHeaders?: readonly string[];
  /** Request headers that its clients send from web pages although they are not read: CORS has to allow them. */
  readonly unreadHeaders?: readonly string[];
  /** Response headers besides the common ones, with their meaning (for the OpenAPI document). */
  readonly responseHeaders?: Readonly<Record<string, string>>;
  /** Statuses besides 400, 401, 413 and 415 (with a body), 429 and 500, each with its reason. */
  readonly failures?: Readonly<Record<number, string>>;
  /**
   * Secrets that each request needs, fetched if their variables name them; a missing one is a 500. A stage without all of
   * them is deployed without the route.
   */
  readonly secrets?: readonly string[];
  /**
   * Sets of secrets. Each request needs one of them, depending on its input: `secret(name)` reads a secret, and a missing
   * one is a 500. A stage without any complete set is deployed without the route.
   */
  readonly requestSecrets?: readonly (readonly string[])[];
  /** Names of the environment schema that the function gets, besides those of every function. */
  readonly environment?: readonly EnvironmentName[];
  /**
   * The owners of the rows in the shared table that the function reads and writes (`rowKey`); none: it does not use the table.
   */
  readonly rows?: readonly string[];
  /** Whether the function carries the coin registry. */
  readonly registry?: boolean;
  /** Whether the function uses the published ticker snapshot. */
  readonly snapshot?: boolean;
  /** Whether the function uses our own history. */
  readonly history?: boolean;
  /** Whether the function reads the coins of contracts. */
  readonly sources?: boolean;
  /** Whether the function fetches data that is not stored, and puts it into the coin's own objects of the history. */
  readonly putsCoins?: boolean;
  /** Parameters of a successful request, for the documents and their tests; `{}` if none is needed. */
  readonly example: Readonly<Record<string, string | number | boolean | readonly (string | object)[]>>;
  /** The size limit of its bundle at a cold start in bytes, checked by a test; 62,000 by default. */
  readonly maxInitBytes?: number;
  readonly memoryMb: number;
  readonly timeoutSeconds: number;
  /** The most containers at once, if the stage reserves them: it limits the cost of a slow provider or a flood. */
  readonly maxConcurrency: number;
}

export interface Adapter {
  readonly routes: readonly AdapterRoute[];
  /** The shape of its errors, with its statuses besides 401, 429 and 500. */
  readonly failure: TSchema;
}

/** One path of an adapter, for the infrastructure, the documents, and local runs, which validate responses against it. */
export interface AdapterRoute {
  /** Unique within the adapter. */
  readonly name: string;
  readonly path: `/${string}`;
  readonly summary: string;
  readonly description?: string;
  readonly pathParameters?: TObject;
  readonly query?: TObject;
  /** The schema of the whole body; for a text, its media type. */
  readonly response: TSchema | string;
  /** Parameters of a successful request. */
  readonly example: RouteDefinition['example'];
}

/** `{path+}` matches the rest of a path and is not a parameter. */
type NamesIn<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? Exclude<Name, `${string}+`> | NamesIn<Rest>
  : never;

/** The path, if `pathParameters` has the same names; otherwise a sentence that the compiler shows instead. */
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
  /** The function that reads a body; absent from routes without one, so that their functions do not load it. */
  readonly readBody?: typeof readBody;
  readonly idempotent: boolean;
  readonly isPage?: boolean;
  readonly secrets: readonly string[];
  /** All secrets, including those of `requestSecrets`. */
  readonly allSecrets: readonly string[];
  readonly parameters: readonly Parameter[];
  /** The names of an adapter's routes by path. */
  readonly adapted?: Readonly<Record<string, string>>;
  readonly validate: InputValidator;
}

type DefaultedNames<Properties> = {
  [Name in keyof Properties]: Properties[Name] extends { readonly default: unknown } ? Name : never;
}[keyof Properties];

/** The validator fills in defaults, so handlers always get those fields. */
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

/** An optional field with a default in its schema. Throws without a default. */
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

/** The routes for which all `secrets` and at least one complete set of `requestSecrets` are there. */
export function withItsSecrets<R extends Pick<RouteDefinition, 'secrets' | 'requestSecrets'>>(
  routes: readonly R[],
  isThere: (name: string) => boolean,
): R[] {
  const areThere = (names: readonly string[]) => names.every(isThere);
  return routes.filter(
    ({ secrets = [], requestSecrets }) => areThere(secrets) && (requestSecrets?.some(areThere) ?? true),
  );
}
