import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { TUnsafe } from 'typebox';
import { readSecret } from '../platform/environment.ts';
import { type Dependencies, endpoint, type LambdaHandler } from './endpoint.ts';
import { ApiError } from './errors.ts';
import { type AdapterShape, shapedAnswer } from './middleware/envelope.ts';
import { decoded } from './middleware/input.ts';
import type { HttpResult } from './middleware/pipeline-request.ts';
import { findByPath } from './path-pattern.ts';
import type { InputOf, RuntimeRoute } from './route.ts';

/** A request of an adapter's client. */
export interface AdapterRequest<Input = unknown> extends Dependencies {
  /** The parameters of the adapter's route, validated like those of any route. */
  readonly input: Input;
  /** The path parameters, decoded. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
}

type AdapterContract = RuntimeRoute & { readonly response: TUnsafe<HttpResult> };

/** The body of the response: a text unchanged, anything else as JSON. */
export type AdapterHandler<Input = unknown> = (request: AdapterRequest<Input>) => unknown;

const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * The Lambda handler of an adapter: the pipeline of every route, with responses and errors in another API's shapes. `handlers`
 * has a handler for each of the adapter's routes by name; `shape` converts our errors.
 */
export function adapterEndpoint<R extends AdapterContract>(
  route: R,
  handlers: Readonly<Record<string, AdapterHandler<InputOf<R>>>>,
  shape: AdapterShape,
): LambdaHandler {
  const { adapted = {} } = route;
  const handle = async (given: unknown, dependencies: Dependencies): Promise<HttpResult> => {
    const { event, headers } = dependencies;
    refuseOtherMethods(event);
    const { found = '', values = {} } = findByPath(adapted, event.rawPath.replace(/\/$/, '')) ?? {};
    const handler = handlers[found];
    if (!handler) throw ApiError.notFound(`No such route: ${event.rawPath}; there are ${listOf(adapted)}`);
    const path = decodedAll(values);
    const query = new URLSearchParams(event.rawQueryString);
    const input = given as InputOf<R>; // as the pipeline has validated it
    const body = await handler({ ...dependencies, input, path, query });
    if (typeof body === 'string') return { statusCode: 200, body };
    return {
      statusCode: 200,
      headers: { 'content-type': JSON_TYPE, ...headers },
      body: JSON.stringify(body),
    };
  };
  return endpoint<AdapterContract>(route, handle, readSecret, shapedAnswer(shape));
}

function refuseOtherMethods({ requestContext }: APIGatewayProxyEventV2): void {
  const { method } = requestContext.http;
  if (method === 'GET' || method === 'HEAD') return;
  throw new ApiError(405, `Method not allowed: ${method}; allowed: GET, HEAD`, {
    headers: { allow: 'GET, HEAD' },
  });
}

function listOf(adapted: Readonly<Record<string, string>>): string {
  return Object.keys(adapted).join(', ');
}

function decodedAll(given: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, decoded(value) ?? '']));
}
