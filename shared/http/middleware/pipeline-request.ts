import type { MiddlewareObj, Request } from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';

/** A request in the pipeline; `response` is the handler's data until the envelope is added. */
export type PipelineRequest = Request<APIGatewayProxyEventV2, unknown, Error, Context>;

export type PipelineMiddleware = MiddlewareObj<APIGatewayProxyEventV2, unknown, Error, Context>;

export type HttpResult = APIGatewayProxyStructuredResultV2;

/** Cuts secrets out of a text. */
export type Redact = (text: string) => Promise<string>;

/** A client with a key of its own. */
export interface NamedClient {
  readonly name: string;
  /** Requests a minute, instead of a route's own limit. */
  readonly perMinute?: number | undefined;
  /** In milliseconds since the epoch. */
  readonly expires?: number | undefined;
}

interface RequestState {
  /** The client of the key, unless it was the client application's own. */
  client?: NamedClient;
  /** Headers of the response, for success or failure; lower-case names. */
  readonly headers: Record<string, string>;
  /** Filled in by the validation. */
  input: Record<string, unknown>;
  /** The caller's address as the distribution saw it; undefined without a distribution. */
  viewerAddress?: string | undefined;
  /** The caller's key, on routes that accept one. */
  idempotencyKey?: string;
}

// Keyed by event, because middy passes nothing else to the handler.
const states = new WeakMap<object, RequestState>();

/** Begins a request, and discards the state of an earlier run with the same event object. */
export function beginRequest(event: object): RequestState {
  const state: RequestState = { headers: {}, input: {} };
  states.set(event, state);
  return state;
}

export function stateOf(event: object): RequestState {
  return states.get(event) ?? beginRequest(event);
}

/** The value of a header, with any case of its name; empty if it is missing or repeated. */
export function onlyHeader(
  headers: Readonly<Record<string, string | undefined>> | undefined,
  name: string,
): string {
  let only: string | undefined;
  for (const key in headers) {
    const value = headers[key];
    if (value === undefined || key.length !== name.length || key.toLowerCase() !== name) continue;
    if (only !== undefined) return '';
    only = value;
  }
  return only ?? '';
}
