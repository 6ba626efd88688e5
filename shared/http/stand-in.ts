import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on loopback that uses the protocol of an API, with simulated responses that are marked as such. */
export interface StandIn {
  /** Variables of the routes: its address, and a key that it accepts. */
  readonly environment: Readonly<Record<string, string>>;
  /** The requested paths with their queries, for tests. */
  readonly requests: readonly string[];
  /** Changes its responses from now on, for tests. */
  alter(change: (proper: Reply) => Reply | Promise<Reply>): void;
  close(): Promise<void>;
}

export interface Reply {
  readonly status: number;
  /** A text is sent unchanged, anything else as JSON. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface StandInOptions {
  readonly answer: (url: URL, headers: IncomingHttpHeaders) => Reply;
  /** The routes' variables for a server at this address. */
  readonly environmentAt: (url: string) => StandIn['environment'];
}

/** Starts it on a free port of 127.0.0.1. Its responses have the header `x-data-source: simulated`. */
export async function startStandIn({ answer, environmentAt }: StandInOptions): Promise<StandIn> {
  const requests: string[] = [];
  let change = (proper: Reply): Reply | Promise<Reply> => proper;
  const server = createServer(async ({ url = '/', headers }, response) => {
    requests.push(url);
    const { status, body, headers: own } = await change(answer(new URL(url, 'http://127.0.0.1'), headers));
    response.writeHead(status, {
      'content-type': 'application/json',
      'x-data-source': 'simulated',
      ...own,
    });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a string
  return {
    environment: environmentAt(`http://127.0.0.1:${port}`),
    requests,
    alter(next) {
      change = next;
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
