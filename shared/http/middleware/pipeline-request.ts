import type { MiddlewareObj, Request } from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';

/** A request as a middleware sees it; `response` is the handler's data until the envelope is put around it. */
export type PipelineRequest = Request<APIGatewayProxyEventV2, unknown, Error, Context>;

/** The one shape of a middleware: any of the three named hooks. */
export type PipelineMiddleware = MiddlewareObj<APIGatewayProxyEventV2, unknown, Error, Context>;

export type HttpResult = APIGatewayProxyStructuredResultV2;

interface RequestState {
  /** Headers of the answer, whatever becomes of the request; lower-case names. */
  readonly headers: Record<string, string>;
  /** Filled in by the validation. */
  input: Record<string, unknown>;
  /** The caller's address as the distribution saw it; undefined where none stands before the API. */
  viewerAddress?: string | undefined;
}

// By event, because the event is all that middy hands to the handler of a chain.
const states = new WeakMap<object, RequestState>();

/** Forgets what an earlier run with the same event object left. */
export function beginRequest(event: object): void {
  states.set(event, { headers: {}, input: {} });
}

/** What the chain and the handler share about one request. */
export function stateOf(event: object): RequestState {
  let state = states.get(event);
  if (!state) {
    state = { headers: {}, input: {} };
    states.set(event, state);
  }
  return state;
}
