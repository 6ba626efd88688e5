import type { IncomingMessage } from 'node:http';
import type { Agent } from 'node:https';
import { TransportError } from '../platform/transport.ts';

export interface HttpResponse {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

export interface PostLimits {
  /** For everything up to the last byte. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/** POSTs one JSON text; throws TransportError, whose message never tells the URL. */
export type Post = (json: string, limits: PostLimits) => Promise<HttpResponse>;

/** A container may have been frozen meanwhile; a connection idle for longer is not worth the risk. */
const MAX_IDLE_MS = 15_000;

/**
 * JSON POSTs over kept connections to one URL. A kept connection that turns out dead is replaced without the caller
 * noticing, so everything sent here must be harmless when it arrives twice.
 */
export function createPost(url: string): Post {
  const target = new URL(url);
  // Loaded at the first request of a container, not at init, and without the global fetch (see upstream/transport.ts).
  const http = process.getBuiltinModule(target.protocol === 'https:' ? 'node:https' : 'node:http');
  const agent = new http.Agent({ keepAlive: true, maxSockets: 16, scheduling: 'lifo' });
  let lastUsed = 0;

  function send(json: string, { timeoutMs, maxBytes }: PostLimits): Promise<HttpResponse> {
    const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
    const body = Buffer.from(json);
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    const request = http.request(target, { method: 'POST', agent: agent as Agent, headers }, (response) => {
      receive(response, maxBytes).then(resolve, (error: Error) => {
        reject(error);
        request.destroy();
      });
    });
    const timer = setTimeout(() => {
      request.destroy(new TransportError('timeout', `no answer within ${timeoutMs / 1000} s`));
    }, timeoutMs);
    request.on('error', (error: Error & { code?: string }) => {
      if (error instanceof TransportError) return reject(error);
      // The code and not the message, which tells host and port.
      reject(
        new (request.reusedSocket ? DeadConnection : TransportError)('connection', error.code ?? 'failed'),
      );
    });
    request.end(body);
    return promise.finally(() => clearTimeout(timer));
  }

  return async (json, { timeoutMs, maxBytes }) => {
    const deadline = Date.now() + timeoutMs;
    const limits = () => ({ timeoutMs: Math.max(1, deadline - Date.now()), maxBytes });
    if (Math.abs(Date.now() - lastUsed) > MAX_IDLE_MS) closeIdle(agent);
    try {
      return await send(json, limits()).catch((error) => {
        if (!(error instanceof DeadConnection)) throw error;
        closeIdle(agent); // what died while frozen died together
        return send(json, limits());
      });
    } finally {
      lastUsed = Date.now();
    }
  };
}

class DeadConnection extends TransportError {}

/** The answer would be larger than the caller takes. */
export class AnswerTooLarge extends TransportError {}

function closeIdle(agent: Pick<Agent, 'freeSockets'>): void {
  for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
}

async function receive(response: IncomingMessage, maxBytes: number): Promise<HttpResponse> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw new AnswerTooLarge('answer', `the answer is larger than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof TransportError) throw error;
    const cause = response.errored;
    throw cause instanceof TransportError ? cause : new TransportError('answer', 'the answer broke off');
  }
  const { statusCode: status = 0, headers } = response;
  return { status, retryAfter: headers['retry-after'], body: Buffer.concat(chunks).toString('utf8') };
}
