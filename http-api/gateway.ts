/** The HTTP server side of an HTTP API: request → event → function → response, with API Gateway's own limits. */
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { type Client, peerOf } from './client.ts';
import { compressed } from './compression.ts';
import { type CorsConfiguration, corsHeaders, isPreflight } from './cors.ts';
import { type GatewayRequest, splitTarget, toEvent } from './event.ts';
import {
  entityTooLarge,
  fromResult,
  type GatewayResponse,
  gatewayAnswer,
  internalServerError,
  jsonAnswer,
  serviceUnavailable,
} from './response.ts';
import type { ResponseCheck } from './response-check.ts';
import { createRouter } from './routing.ts';

// docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
const MAX_BODY_BYTES = 10 * 1024 * 1024;
const MAX_HEADER_BYTES = 10_240;

/** The outcome of an event, which may be too large for a function. */
export type Outcome =
  | { readonly kind: 'answer'; readonly result: unknown }
  | { readonly kind: 'error' | 'crashed' | 'timed-out' | 'too-large' };

export interface ServedRoute {
  /** The route's key as API Gateway writes it: `GET /a/{id}` or `$default`. */
  readonly key: string;
  readonly functionId: string;
  readonly timeoutMs: number;
}

export interface GatewayOptions {
  readonly template: {
    readonly routes: readonly ServedRoute[];
    readonly cors: CorsConfiguration | undefined;
  };
  readonly invoke: (functionId: string, event: APIGatewayProxyEventV2, timeoutMs: number) => Promise<Outcome>;
  readonly check: ResponseCheck;
  /** Who sent a request; the other end of its connection by default. */
  readonly clientOf?: (message: IncomingMessage) => Client;
  readonly log: (line: string) => void;
}

export type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** A server that passes requests to `handle`, and answers those that are not HTTP itself. */
export function createGatewayServer(handle: Handle): Server {
  // Above the limit, so that the limit's own response can be sent.
  const server = createServer({ maxHeaderSize: 64 * 1024, keepAliveTimeout: 60_000 });
  server.on('request', (request, response) => {
    if (hasSeveralHosts(request)) return refuse(response);
    handle(request, response).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    );
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
    const isTooLarge = error.code === 'HPE_HEADER_OVERFLOW';
    const status = isTooLarge ? '431 Request Header Fields Too Large' : '400 Bad Request';
    const body = JSON.stringify({ message: status.slice(4) });
    socket.end(
      `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
    );
  });
  return server;
}

/** RFC 9112, section 3.2. Node passes on the first one alone, which another server may read otherwise. */
function hasSeveralHosts({ headersDistinct }: IncomingMessage): boolean {
  return (headersDistinct.host?.length ?? 0) > 1;
}

function refuse(response: ServerResponse): void {
  response.writeHead(400, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify({ message: 'Bad Request' }));
}

/** Serves the routes of a synthesized template. The stage's throttling and access log exist only on AWS. */
export function createGateway(options: GatewayOptions): Handle {
  const { template, log, clientOf = peerOf } = options;
  const route = createRouter(template.routes);

  async function answer(request: GatewayRequest): Promise<GatewayResponse> {
    const match = route(request.method, splitTarget(request.target).rawPath);
    if (!match) return gatewayAnswer(404, 'Not Found');
    const { key, functionId, timeoutMs } = match.route;
    const outcome = await options.invoke(functionId, toEvent(request, key, match.parameters), timeoutMs);
    if (outcome.kind === 'too-large') return entityTooLarge;
    if (outcome.kind === 'timed-out') return serviceUnavailable;
    if (outcome.kind !== 'answer') return internalServerError;
    const response = fromResult(outcome.result);
    if (!response) {
      log(`${key}: the function returned no response that API Gateway takes`);
      return internalServerError;
    }
    const problems = options.check(key, splitTarget(request.target).rawPath, response);
    if (problems.length === 0) return response;
    const error = `The answer does not fit the response schema of ${key}: ${problems.join('; ')}`;
    log(`\n*** ${error}\n`);
    return jsonAnswer(500, { success: false, error });
  }

  return async (message, response) => {
    const method = message.method ?? 'GET';
    const corsRequest = {
      method,
      origin: message.headers.origin,
      requestedMethod: message.headers['access-control-request-method'],
    };
    const { cors } = template;
    const body = hasBody(message) ? await readBody(message) : NOTHING;
    let answered: GatewayResponse;
    if (headerBytes(message) > MAX_HEADER_BYTES) {
      answered = gatewayAnswer(431, 'Request Header Fields Too Large');
    } else if (!body) {
      answered = entityTooLarge;
    } else if (cors && isPreflight(corsRequest)) {
      answered = { status: 204, headers: {}, cookies: [], body: Buffer.alloc(0) };
    } else {
      answered = await answer(toRequest(message, method, body, clientOf(message)));
    }
    send(response, answered, cors && corsHeaders(cors, corsRequest));
  };
}

function toRequest(
  message: IncomingMessage,
  method: string,
  body: Buffer,
  { address, protocol }: Client,
): GatewayRequest {
  return {
    method,
    target: message.url ?? '/',
    httpVersion: message.httpVersion,
    headers: message.headersDistinct,
    body,
    sourceIp: address,
    protocol,
    port: message.socket.localPort ?? 0,
    now: Date.now(),
  };
}

/** Request line and header values, which the limit counts. */
function headerBytes({ method = '', url = '', httpVersion, rawHeaders }: IncomingMessage): number {
  const values = rawHeaders.filter((_, index) => index % 2 === 1);
  return [`${method} ${url} HTTP/${httpVersion}`, ...values].reduce((sum, text) => sum + text.length, 0);
}

const NOTHING = Buffer.alloc(0);

/** RFC 9112, section 6.3. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** The whole body; undefined if it is too large. It is read to its end even then, or the client would see a reset. */
async function readBody(message: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  }
  return size <= MAX_BODY_BYTES ? Buffer.concat(chunks) : undefined;
}

function send(
  response: ServerResponse,
  answer: GatewayResponse,
  cors: Record<string, string> | undefined,
): void {
  const sent: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(answer.headers)) {
    if (!cors || !name.startsWith('access-control-')) sent[name] = value;
  }
  if (answer.cookies.length > 0) sent['set-cookie'] = [...answer.cookies];
  const { 'accept-encoding': encodings } = response.req.headers;
  const { 'content-type': type, 'content-encoding': isEncoded } = answer.headers;
  const { body, headers } = compressed(answer.body, isEncoded ? '' : type, String(encodings ?? ''));
  const named = [answer.headers, cors, headers].flatMap((part) => part?.vary?.split(', ') ?? []);
  Object.assign(sent, cors, headers, named.length > 0 && { vary: [...new Set(named)].join(', ') });
  // A function's response to HEAD does not say how long the GET's would be.
  if (answer.status !== 204 && answer.status !== 304 && response.req.method !== 'HEAD')
    sent['content-length'] = Buffer.byteLength(body);
  response.writeHead(answer.status, sent).end(body);
}
