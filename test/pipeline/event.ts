import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import type { LambdaHandler } from '../../shared/http/endpoint.ts';

export interface TestRequest {
  readonly method?: string;
  readonly path?: string;
  /** The query as sent, without the question mark. */
  readonly query?: string;
  readonly pathParameters?: Record<string, string>;
  /** Headers in addition to `content-type: application/json`, which a body has unless they say otherwise. */
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
  readonly sourceIp?: string;
}

/** The API Gateway event (payload format 2.0) of a request. */
export function eventOf({
  method = 'GET',
  path = '/',
  query = '',
  pathParameters,
  headers = {},
  body,
  isBase64Encoded = false,
  sourceIp = '192.0.2.1',
}: TestRequest): APIGatewayProxyEventV2 {
  const routeKey = `${method} ${path}`;
  return {
    version: '2.0',
    routeKey,
    rawPath: path,
    rawQueryString: query,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    requestContext: {
      accountId: '123456789012',
      apiId: 'test',
      domainName: 'test.example',
      domainPrefix: 'test',
      http: { method, path, protocol: 'HTTP/1.1', sourceIp, userAgent: 'test' },
      requestId: 'request',
      routeKey,
      stage: '$default',
      time: '01/Jan/2026:00:00:00 +0000',
      timeEpoch: 1_767_225_600_000,
    },
    ...(pathParameters && { pathParameters }),
    ...(body !== undefined && { body }),
    isBase64Encoded,
  };
}

export function contextOf(remainingMs = 15_000): Context {
  // The pipeline reads nothing else of it.
  return { getRemainingTimeInMillis: () => remainingMs } as Context;
}

/** The context of a function whose own time-out is in `ms`. */
export function endingIn(ms: number): Context {
  const end = Date.now() + ms;
  return { ...contextOf(), getRemainingTimeInMillis: () => end - Date.now() };
}

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly body: unknown;
}

/** Calls a wrapped handler as Lambda does, and reads its answer. */
export async function call(
  handler: LambdaHandler,
  asked: TestRequest = {},
  context = contextOf(),
): Promise<Answer> {
  const { statusCode, headers, body } = await handler(eventOf(asked), context);
  return { status: statusCode ?? 0, headers: headers ?? {}, body: JSON.parse(body ?? '') };
}

/** The headers of every answer; by default those of a client's first request in a window. */
export function commonHeaders(limit: number, remaining = limit - 1, reset = 60): Record<string, string> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(reset),
  };
}

export function refusalHeaders(limit: number, remaining?: number, reset?: number): Record<string, string> {
  return { ...commonHeaders(limit, remaining, reset), 'cache-control': 'no-store' };
}

/** In production, a cache may not serve the answer to one key to a caller with another or none. */
export const keyed = { vary: 'x-api-key, authorization, x-cg-demo-api-key, x-cg-pro-api-key' };

export function failure(error: string): { success: false; error: string } {
  return { success: false, error };
}
