/** One HTTP server on loopback for all simulated sources: the first segment of a path names the source. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { listen } from '../loopback.ts';
import { type Fault, milliseconds } from './faults.ts';
import { type Answer, plain } from './protocol.ts';
import { protocols } from './protocols.ts';
import type { SimulatedServer, SimulatedSource } from './source.ts';

const compress = promisify(gzip);
/** The timer keeps no process alive. */
const pause = (ms: number) => sleep(ms, undefined, { ref: false });

/** Serves each source below its base path (`/kraken`), on a free port. */
export async function serve(sources: readonly SimulatedSource[]): Promise<SimulatedServer> {
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '/', headers } = request;
    const source = sources.find(({ name }) => url.startsWith(protocols[name].base));
    if (!source) return void response.writeHead(404).end();
    const path = url.slice(protocols[source.name].base.length);
    const isControl = method === 'POST' && path === '/__fault';
    const answer = isControl
      ? { ...setFault(source, await text(request)), fault: null }
      : source.answer({ url: path, headers, method });
    await send(response, answer, answer.fault, headers['accept-encoding']);
  }

  // Clients end connections: while an answer is computed, an idle one could time out with a request on its way.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    handle(request, response).catch((error: unknown) => {
      console.error(`The simulated ${request.url} failed:`, error);
      response.destroy();
    });
  });
  return {
    origin: await listen(server),
    dropConnections: () => server.closeAllConnections(),
    close: async () => server.close().closeAllConnections(),
  };
}

/** No real source has this: `POST /__fault` with a fault's text, or with none, while the service runs. */
function setFault(source: SimulatedSource, fault: string): Answer {
  try {
    source.setFault(fault);
    return plain(204, '');
  } catch (error) {
    return plain(400, error instanceof Error ? error.message : 'Bad fault', 'text/plain; charset=utf-8');
  }
}

/** Sends a response with its connection's fault, compressed if the client accepts gzip and there is no fault. */
async function send(
  response: ServerResponse,
  answer: Answer,
  fault: Fault | null,
  accepted = '',
): Promise<void> {
  const { status, body, headers } = answer;
  const bytes = Buffer.from(body);
  switch (fault?.kind) {
    case 'hang':
      return;
    case 'drop':
      return void response.destroy();
    case 'truncate':
      // Announces more bytes than it sends, and hangs up.
      response.writeHead(status, { ...headers, 'Content-Length': bytes.length + 1000 });
      return void response.write(bytes, () => response.destroy());
    case 'drip':
      response.writeHead(status, { ...headers, 'Content-Length': bytes.length });
      for (const byte of bytes) {
        if (response.destroyed) return;
        response.write(Buffer.of(byte));
        await pause(milliseconds(fault.value));
      }
      return void response.end();
    case 'latency':
      await pause(milliseconds(fault.value));
      if (response.destroyed) return;
  }
  const isZipped = /\bgzip\b/.test(accepted) && bytes.length > 0;
  const sent = isZipped ? await compress(bytes) : bytes;
  const encoding = isZipped ? { 'Content-Encoding': 'gzip' } : {};
  response.writeHead(status, { ...headers, ...encoding, 'Content-Length': sent.length }).end(sent);
}
