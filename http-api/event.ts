/**
 * The event of an HTTP API with payload format 2.0
 * (docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html).
 */
import { randomBytes } from 'node:crypto';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { decodeOnce } from './routing.ts';

export const ACCOUNT_ID = '123456789012';

/** A request as received, without Node's own objects. */
export interface GatewayRequest {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  readonly httpVersion: string;
  /** Lower-case name → every value in the order sent. */
  readonly headers: Readonly<Record<string, readonly string[] | undefined>>;
  readonly body: Buffer;
  readonly sourceIp: string;
  readonly protocol?: 'http' | 'https';
  readonly port: number;
  readonly now: number;
}

// API Gateway consumes these: cookies have a field of their own, the others are dropped.
const consumedHeaders = new Set([
  'cookie',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'expect',
  'upgrade',
]);
const textTypes = /^(text\/.*|application\/(json|xml|javascript|.+\+json|.+\+xml))\s*(;|$)/i;
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const POOL_BYTES = 4096;
let pool = Buffer.alloc(0);

/** A call of the system for each id would take longer than the rest of an event. */
function random(bytes: number): Buffer {
  if (pool.length < bytes) pool = randomBytes(POOL_BYTES);
  const taken = pool.subarray(0, bytes);
  pool = pool.subarray(bytes);
  return taken;
}

/** Path and query of a request target, both still encoded. */
export function splitTarget(target: string): { rawPath: string; rawQuery: string } {
  const [beforeQuery = ''] = target.split('?', 1);
  const rawQuery = target.slice(beforeQuery.length + 1);
  // An absolute target, as a proxy sends it, starts with scheme and host (RFC 9112, 3.2.2).
  return { rawPath: beforeQuery.replace(/^https?:\/\/[^/]*/i, '') || '/', rawQuery };
}

/** The function's event for a request that matches `routeKey`. */
export function toEvent(
  request: GatewayRequest,
  routeKey: string,
  pathParameters: Record<string, string> | undefined,
): APIGatewayProxyEventV2 {
  const { rawPath, rawQuery } = splitTarget(request.target);
  // An HTTP API passes the path decoded, unlike a function URL (seen in events captured from live APIs).
  const path = rawPath.split('/').map(decodeOnce).join('/');
  const domainName = request.headers.host?.[0] ?? 'localhost';
  const query = queryParameters(rawQuery);
  const cookies = request.headers.cookie?.flatMap((value) => value.split(/;\s*/)).filter(Boolean);

  return {
    version: '2.0',
    routeKey,
    rawPath: path,
    rawQueryString: rawQuery,
    ...(cookies && { cookies }),
    headers: eventHeaders(request),
    ...(query && { queryStringParameters: query }),
    requestContext: {
      accountId: ACCOUNT_ID,
      apiId: 'local',
      domainName,
      domainPrefix: domainName.split(/[.:]/, 1)[0] ?? '',
      http: {
        method: request.method,
        path,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: request.sourceIp,
        userAgent: request.headers['user-agent']?.[0] ?? '',
      },
      requestId: random(11).toString('base64'),
      routeKey,
      stage: '$default',
      time: commonLogTime(request.now),
      timeEpoch: request.now,
    },
    ...(pathParameters && { pathParameters }),
    ...eventBody(request),
  };
}

function eventHeaders(request: GatewayRequest): Record<string, string> {
  const headers: Record<string, string> = { 'content-length': '0' };
  for (const [name, values] of Object.entries(request.headers)) {
    if (values && !consumedHeaders.has(name)) headers[name] = values.join(',');
  }
  const forwardedFor = request.headers['x-forwarded-for'] ?? [];
  return {
    ...headers,
    'x-amzn-trace-id': `Root=1-${Math.floor(request.now / 1000).toString(16)}-${random(12).toString('hex')}`,
    'x-forwarded-for': [...forwardedFor, request.sourceIp].join(', '),
    'x-forwarded-port': String(request.port),
    'x-forwarded-proto': request.protocol ?? 'http',
  };
}

function queryParameters(rawQuery: string): Record<string, string> | undefined {
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(rawQuery)) {
    const earlier = parameters.get(name);
    parameters.set(name, earlier === undefined ? value : `${earlier},${value}`);
  }
  return parameters.size > 0 ? Object.fromEntries(parameters) : undefined;
}

function eventBody({ body, headers }: GatewayRequest): { body?: string; isBase64Encoded: boolean } {
  if (body.length === 0) return { isBase64Encoded: false };
  const isText = textTypes.test(headers['content-type']?.[0] ?? '');
  return { body: body.toString(isText ? 'utf8' : 'base64'), isBase64Encoded: !isText };
}

let formatted = { second: 0, text: '' };

/** `21/Nov/2026:10:52:23 +0000`, the time format of Apache's common log. */
function commonLogTime(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (formatted.second === second) return formatted.text;
  const [year = '', month = '', day = '', time = ''] = new Date(ms).toISOString().split(/[-T.]/);
  const text = `${day}/${months[Number(month) - 1]}/${year}:${time} +0000`;
  formatted = { second, text };
  return text;
}
