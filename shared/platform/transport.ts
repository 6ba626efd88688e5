import type { IncomingMessage } from 'node:http';
import type { Agent } from 'node:https';

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

  constructor(kind: TransportError['kind'], message: string) {
    super(message);
    this.kind = kind;
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
  /** Headers besides those of the connection. */
  readonly headers?: Readonly<Record<string, string>>;
  /** By default POST for a request with a body, otherwise GET. */
  readonly method?: 'PUT' | 'DELETE';
  readonly body?: string | Uint8Array;
  /** Includes the last byte. */
  readonly timeoutMs: number;
  /** The time limit until the response begins. */
  readonly answerWithinMs?: number;
  readonly signal?: AbortSignal;
  readonly maxBytes: number;
}

/** Sends a request once. Throws TransportError. */
export type Send = (request: Sending) => Promise<HttpAnswer>;

const CONNECT_TIMEOUT_MS = 2_000;
const MAX_BODY_BYTES = 8 * 1024 * 1024;
/** The longest idle time of a reused connection: its container may have been frozen meanwhile. */
const MAX_IDLE_MS = 15_000;

/** HTTP GETs over kept connections to one base URL, each sent once: `persistent` follows up what comes of it. */
export function createTransport(options: TransportOptions): Transport {
  const { baseUrl, headers, maxBodyBytes: maxBytes = MAX_BODY_BYTES } = options;
  const send = keptConnections(baseUrl, headers);
  return {
    get: (path, timeoutMs) => send({ url: urlOf(baseUrl, path), timeoutMs, maxBytes }),
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
  const send = keptConnections(address, { 'content-type': 'application/json' });
  return (json, { timeoutMs, maxBytes }) => {
    const deadline = Date.now() + timeoutMs;
    return onLiveConnection(() => send({ url, body: json, timeoutMs: leftUntil(deadline), maxBytes }));
  };
}

/** Sends requests to one host; throws DeadConnection if a kept connection turns out dead. */
export function keptConnections(base: string, common: Readonly<Record<string, string>>): Send {
  // Loaded with the first request; it costs a third of the global fetch.
  const http = process.getBuiltinModule(base.startsWith('https:') ? 'node:https' : 'node:http');
  const agent = new http.Agent({ keepAlive: true, maxSockets: 16, scheduling: 'lifo' });
  let lastUsed = 0;

  function send({ url, body, timeoutMs, answerWithinMs, maxBytes, ...own }: Sending): Promise<HttpAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const method = own.method ?? (body === undefined ? 'GET' : 'POST');
    const headers = { ...common, ...own.headers, ...length };
    const options = { agent: agent as Agent, method, headers, signal: own.signal };
    const request = http.request(url, options, (response) => {
      clearTimeout(slow);
      receive(response, maxBytes).then(resolve, reject);
    });
    const within = (ms: number) =>
      setTimeout(() => {
        request.destroy(new TransportError('timeout', `no answer within ${Math.ceil(ms / 100) / 10} s`));
      }, ms);
    const timer = within(timeoutMs);
    const slow = answerWithinMs === undefined ? undefined : within(answerWithinMs);
    request.on('socket', (socket) => {
      if (!socket.connecting) return;
      const connectTimer = setTimeout(() => {
        request.destroy(new TransportError('connection', 'no connection within 2 s'));
      }, CONNECT_TIMEOUT_MS);
      socket.once('connect', () => clearTimeout(connectTimer));
      socket.once('close', () => clearTimeout(connectTimer));
    });
    request.on('error', (error: Error & { code?: string }) => {
      const died =
        error instanceof TransportError ? error : new TransportError('connection', error.code ?? 'failed');
      reject(request.reusedSocket && died.kind === 'connection' ? new DeadConnection() : died);
    });
    request.end(body);
    return promise.finally(() => {
      clearTimeout(timer);
      clearTimeout(slow);
    });
  }

  function closeIdle(): void {
    for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
  }

  return async (request) => {
    if (Math.abs(Date.now() - lastUsed) > MAX_IDLE_MS) closeIdle();
    try {
      return await send(request);
    } catch (error) {
      if (error instanceof DeadConnection) closeIdle(); // connections that died while frozen died together
      throw error;
    } finally {
      lastUsed = Date.now();
    }
  };
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
