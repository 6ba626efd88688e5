import type { Agent, IncomingMessage, request } from 'node:http';
import { elapsedMs } from './time.ts';
import { inSeconds, startTimer, type TimeOut } from './waiting.ts';

/** A complete response; the body is unpacked and within the size limit. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

/** A failure before the response was complete; its message never contains the URL, host or port. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly kind: 'timeout' | 'connection' | 'answer';
  /** How the time ran out, if the kind is `timeout`. */
  readonly timeOut: TimeOut | undefined;

  constructor(kind: TransportError['kind'], message: string, timeOut?: TimeOut) {
    super(message);
    this.kind = kind;
    this.timeOut = timeOut;
  }
}

export interface Transport {
  /** GETs a path, or a whole URL of the same host. `timeoutMs` includes the last byte. Throws TransportError. */
  get(path: string, timeoutMs: number): Promise<HttpAnswer>;
}

/** POSTs a JSON text and follows no redirect; `timeoutMs` includes the last byte. Throws TransportError. */
export type Post = (json: string, limits: { timeoutMs: number; maxBytes: number }) => Promise<HttpAnswer>;

export interface TransportOptions {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The size limit of a response, packed and unpacked; 8 MB by default. */
  readonly maxBodyBytes?: number;
}

export interface Sending {
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** The method; by default POST for a request with a body, otherwise GET. */
  readonly method?: 'PUT' | 'DELETE';
  readonly body?: string | Uint8Array;
  /** Includes the last byte. */
  readonly timeoutMs: number;
  /** The time limit until the response begins, on an open connection; on a new one there is `NEW_CONNECTION_MS` more. */
  readonly answerWithinMs?: number | undefined;
  readonly signal?: AbortSignal;
  readonly maxBytes: number;
}

const CONNECT_TIMEOUT_MS = 2_000;
/**
 * For a name look-up and handshakes, which take 35 to 140 ms on the processor share of 256 MB, and the server's first answer.
 * Connections are dropped after `MAX_IDLE_MS`, so with sparse traffic every request needs it.
 */
const NEW_CONNECTION_MS = 800;
const MAX_BODY_BYTES = 8 * 1024 * 1024;
/** The longest idle time of a reused connection: its container may have been frozen meanwhile. */
const MAX_IDLE_MS = 15_000;

/** HTTP GETs over kept connections to one base URL, each sent once: `persistent` follows up what comes of it. */
export function createTransport(options: TransportOptions): Transport {
  const { baseUrl, headers, maxBodyBytes: maxBytes = MAX_BODY_BYTES } = options;
  return {
    get: (path, timeoutMs) => send({ url: urlOf(baseUrl, path), headers, timeoutMs, maxBytes }),
  };
}

/**
 * The transport that retries once if a kept connection turned out dead, and follows one redirect on the same host. The redirect's
 * path has to name `subject`, if there is one, because another path may be about something else.
 */
export function persistent(transport: Transport, baseUrl: string, subject = ''): Transport {
  return {
    async get(path, timeoutMs) {
      const deadline = Date.now() + timeoutMs;
      const send = (target: string) => onLiveConnection(() => transport.get(target, leftUntil(deadline)));
      const answer = await send(path);
      const target = redirectTarget(answer, urlOf(baseUrl, path), subject);
      return target ? send(target.href) : answer;
    },
  };
}

function urlOf(baseUrl: string, path: string): URL {
  return new URL(path.startsWith('/') ? baseUrl.replace(/\/+$/, '') + path : path);
}

/** Requests sent this way must be harmless when they arrive twice. */
export function onLiveConnection(send: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
  return send().catch((error: unknown) => {
    if (!(error instanceof DeadConnection)) throw error;
    return send();
  });
}

/** JSON POSTs over kept connections to one URL. */
export function createPost(address: string): Post {
  const url = new URL(address);
  const headers = { 'content-type': 'application/json' };
  return (json, { timeoutMs, maxBytes }) => {
    const deadline = Date.now() + timeoutMs;
    return onLiveConnection(() =>
      send({ url, headers, body: json, timeoutMs: leftUntil(deadline), maxBytes }),
    );
  };
}

/** The connections to one host. */
interface Pool {
  readonly agent: Agent;
  readonly request: typeof request;
  lastUsed: number;
}

/** Connection pools by origin: a second one would pay for a handshake with a host to which a connection is open. */
const pools = new Map<string, Pool>();

function poolOf({ origin, protocol }: URL): Pool {
  const known = pools.get(origin);
  if (known) return known;
  // Loaded with the first request; it costs a third of the global fetch.
  const http = process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http');
  const agent = new http.Agent({ keepAlive: true, maxSockets: 16, scheduling: 'lifo' });
  const pool = { agent: agent as Agent, request: http.request as typeof request, lastUsed: 0 }; // both have one interface
  pools.set(origin, pool);
  return pool;
}

function closeIdle({ agent }: Pool): void {
  for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
}

/** Sends a request once, over a kept connection if there is one. Throws DeadConnection if that turns out dead. */
export async function send(sending: Sending): Promise<HttpAnswer> {
  const pool = poolOf(sending.url);
  if (elapsedMs(pool.lastUsed) > MAX_IDLE_MS) closeIdle(pool);
  try {
    return await exchange(pool, sending);
  } catch (error) {
    if (error instanceof DeadConnection) closeIdle(pool); // connections that died while frozen died together
    throw error;
  } finally {
    pool.lastUsed = Date.now();
  }
}

function exchange(pool: Pool, { url, body, timeoutMs, answerWithinMs, maxBytes, ...own }: Sending) {
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const method = own.method ?? (body === undefined ? 'GET' : 'POST');
  const headers = { ...own.headers, ...length };
  const { agent } = pool;
  let cancelSlow = () => {};
  const sent = pool.request(url, { agent, method, headers, signal: own.signal }, (response) => {
    cancelSlow();
    receive(response, maxBytes).then(resolve, reject);
  });
  const failIn = (ms: number, kind: TransportError['kind'], what: string) =>
    startTimer(ms, (timeOut) => {
      sent.destroy(new TransportError(kind, `no ${what} within ${inSeconds(ms)}`, timeOut));
    });
  const cancelWhole = failIn(timeoutMs, 'timeout', 'answer');
  sent.on('socket', (socket) => {
    if (answerWithinMs !== undefined) {
      cancelSlow = failIn(answerWithinMs + (socket.connecting ? NEW_CONNECTION_MS : 0), 'timeout', 'answer');
    } else if (socket.connecting) {
      cancelSlow = failIn(CONNECT_TIMEOUT_MS, 'connection', 'connection');
      socket.once('connect', cancelSlow);
    }
  });
  sent.on('error', (error: Error & { code?: string }) => {
    const died =
      error instanceof TransportError ? error : new TransportError('connection', error.code ?? 'failed');
    reject(sent.reusedSocket && died.kind === 'connection' ? new DeadConnection() : died);
  });
  sent.end(body);
  return promise.finally(() => {
    cancelWhole();
    cancelSlow();
  });
}

/** The milliseconds left for a transport, at least one. */
export function leftUntil(deadline: number): number {
  return Math.max(1, deadline - Date.now());
}

/** `Retry-After` as milliseconds from now: seconds or an HTTP date (RFC 9110 §10.2.3); undefined if unusable. */
export function retryAfterMs(header: string | undefined, now = Date.now()): number | undefined {
  if (!header) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** A kept connection that the other side had closed, or that died while the container was frozen. */
class DeadConnection extends TransportError {
  constructor() {
    super('connection', 'kept connection was closed');
  }
}

/** The response would exceed the caller's limit. */
export class AnswerTooLarge extends TransportError {
  constructor(maxBytes: number) {
    super('answer', `the answer is larger than ${maxBytes / 1024 / 1024} MB`);
  }
}

async function receive(response: IncomingMessage, maxBytes: number): Promise<HttpAnswer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw new AnswerTooLarge(maxBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof TransportError) throw error;
    const cause = response.errored;
    throw cause instanceof TransportError ? cause : new TransportError('answer', 'the answer broke off');
  }
  const headers = response.headers as HttpAnswer['headers'];
  const body = unpack(Buffer.concat(chunks), headers, maxBytes);
  return { status: response.statusCode ?? 0, headers, body };
}

function unpack(body: Buffer, headers: HttpAnswer['headers'], maxBytes: number): Buffer {
  const coding = (headers['content-encoding'] ?? '').toLowerCase(); // RFC 9110, 8.4.1: in any case
  if (coding === '' || coding === 'identity' || body.length === 0) return body;
  // x-gzip is another name of gzip (8.4.1.3).
  if (coding !== 'gzip' && coding !== 'x-gzip') {
    throw new TransportError('answer', 'the answer is encoded, but not as gzip');
  }
  try {
    return process.getBuiltinModule('node:zlib').gunzipSync(body, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') throw new AnswerTooLarge(maxBytes);
    throw new TransportError('answer', 'the answer is not valid gzip');
  }
}

/** The target of one redirect: only on the same host and about the same subject. */
function redirectTarget({ status, headers }: HttpAnswer, requested: URL, subject: string): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(status) || !headers.location) return undefined;
  if (!URL.canParse(headers.location, requested.href)) return undefined;
  const target = new URL(headers.location, requested);
  if (target.origin !== requested.origin) throw new TransportError('answer', 'it redirects to another host');
  if (!`${target.pathname}/`.includes(`/${encodeURIComponent(subject.toWellFormed())}/`.replace('//', '/'))) {
    throw new TransportError('answer', 'it redirects to something else');
  }
  return target;
}
