import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { TUnsafe } from 'typebox';
import { readSecret } from '../platform/environment.ts';
import { type Dependencies, endpoint, type LambdaHandler } from './endpoint.ts';
import { ApiError } from './errors.ts';
import { type AdapterShape, shapedAnswer } from './middleware/envelope.ts';
import { decoded } from './middleware/input.ts';
import type { HttpResult } from './middleware/pipeline-request.ts';
import type { RuntimeRoute } from './route.ts';

/** A request of an adapter's client. */
export interface AdapterRequest extends Dependencies {
  /** Decoded. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
}

type AdapterContract = RuntimeRoute & { readonly response: TUnsafe<HttpResult> };

/** The body of the answer: a text as it is, anything else as JSON. */
export type AdapterHandler = (request: AdapterRequest) => unknown;

const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * The Lambda handler of an adapter: the pipeline of every route, with answers and errors in another API's shapes.
 * `handlers` has a handler for each of the adapter's routes by name; `shape` makes its errors of ours.
 */
export function adapterEndpoint(
  route: AdapterContract,
  handlers: Readonly<Record<string, AdapterHandler>>,
  shape: AdapterShape,
): LambdaHandler {
  const { adapted = {} } = route;
  const handle = async (_input: unknown, dependencies: Dependencies): Promise<HttpResult> => {
    const { event, headers } = dependencies;
    refuseOtherMethods(event);
    const handler = handlers[adapted[pathOf(event)] ?? ''];
    if (!handler) throw ApiError.notFound(`No such route: ${event.rawPath}; there are ${listOf(adapted)}`);
    const path = decodedAll(event.pathParameters ?? {});
    const body = await handler({ ...dependencies, path, query: new URLSearchParams(event.rawQueryString) });
    if (typeof body === 'string') return { statusCode: 200, body };
    return {
      statusCode: 200,
      headers: { 'content-type': JSON_TYPE, ...headers },
      body: JSON.stringify(body),
    };
  };
  return endpoint(route, handle, readSecret, shapedAnswer(shape));
}

/** `ANY /coingecko/api/v3/ping` → `/coingecko/api/v3/ping`. */
function pathOf({ routeKey }: APIGatewayProxyEventV2): string {
  return routeKey.slice(routeKey.indexOf(' ') + 1);
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

function decodedAll(given: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, decoded(value) ?? '']));
}
