import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface Loopback {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Path and query of every request so far, in order. */
  readonly requests: string[];
  /** Connections accepted so far. */
  readonly connections: number;
  /** Takes the place of the listener before. */
  answer(listener: RequestListener): void;
  /** Cuts every connection. */
  cut(): void;
  close(): Promise<void>;
}

/** A real HTTP server on a free port of this machine. */
export async function startLoopback(listener: RequestListener = respondJson({})): Promise<Loopback> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  let current = listener;
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    current(request, response);
  });
  server.on('connection', (socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a string

  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    get connections() {
      return sockets.size;
    },
    answer(next) {
      current = next;
    },
    cut: () => server.closeAllConnections(),
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

export function respond(status: number, headers: Record<string, string>, body: string | Buffer = '') {
  return (_request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(status, headers).end(body);
  };
}

export function respondJson(value: unknown, status = 200, headers: Record<string, string> = {}) {
  return respond(status, { 'content-type': 'application/json', ...headers }, JSON.stringify(value));
}
