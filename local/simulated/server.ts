/** One HTTP server on loopback for all simulated sources: the first segment of a path says for which. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { listen } from '../loopback.ts';
import { type Fault, milliseconds } from './faults.ts';
import type { Answer } from './protocol.ts';
import { protocols } from './protocols.ts';
import type { SimulatedServer, SimulatedSource } from './source.ts';

const compress = promisify(gzip);

/** Serves each source below its base path (`/kraken`). Rejects if the port is taken. */
export async function serve(sources: readonly SimulatedSource[], port: number): Promise<SimulatedServer> {
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '/', headers } = request;
    const source = sources.find(({ name }) => url.startsWith(protocols[name].base));
    if (!source) return void response.writeHead(404).end();
    const path = url.slice(protocols[source.name].base.length);
    if (await control(request, response, path, source)) return;
    const { fault, ...answer } = source.answer({ url: path, headers, method });
    await send(response, answer, fault, headers['accept-encoding']);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      console.error(`The simulated ${request.url} failed:`, error);
      response.destroy();
    });
  });
  return {
    origin: await listen(server, port),
    dropConnections: () => server.closeAllConnections(),
    close: async () => server.close().closeAllConnections(),
  };
}

/**
 * Routes that no real source has, for tests in another process: `POST /__fault` with a fault's text (empty: none) and
 * `GET /__calls`. Returns whether it was one of them.
 */
async function control(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  source: SimulatedSource,
) {
  const route = `${request.method} ${path}`;
  if (route === 'POST /__fault') {
    try {
      source.setFault(await text(request));
      response.writeHead(204).end();
    } catch (error) {
      response.writeHead(400, { 'Content-Type': 'text/plain; charset=utf-8' });
      response.end(error instanceof Error ? error.message : 'Bad fault');
    }
    return true;
  }
  if (route !== 'GET /__calls') return false;
  const { total, byPath } = source.calls;
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ total, byPath }));
  return true;
}

/** Sends an answer as the fault of a connection demands, compressed if the client takes gzip and all is well. */
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
        await pause(milliseconds(fault.value), response);
      }
      return void response.end();
    case 'latency':
      await pause(milliseconds(fault.value), response);
  }
  const isZipped = /\bgzip\b/.test(accepted) && bytes.length > 0;
  const sent = isZipped ? await compress(bytes) : bytes;
  const encoding = isZipped ? { 'Content-Encoding': 'gzip' } : {};
  response.writeHead(status, { ...headers, ...encoding, 'Content-Length': sent.length }).end(sent);
}

/** Waits, but no longer than the client does. */
async function pause(ms: number, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  const abort = () => gone.abort();
  response.once('close', abort);
  await sleep(ms, undefined, { signal: gone.signal }).catch(() => undefined);
  response.off('close', abort);
}
