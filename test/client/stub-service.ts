import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { messageOf } from '../../client/sdk/failure.ts';
import { ApiFailure } from '../../client/sdk/index.ts';
import { routes } from '../../client/sdk/routes.ts';
import { routes as contracts } from '../../functions/routes.ts';
import { type Stubs, stubApi } from './stub-api.ts';

export interface StubService {
  /** The address without a slash at its end. */
  readonly url: string;
  /** The requests so far, such as `ticker {"id":"btc-bitcoin"}`. */
  readonly calls: readonly string[];
  /** The headers of each request so far. */
  requestHeaders(): readonly IncomingHttpHeaders[];
  /** How many requests were given up before their answer. */
  cancelled(): number;
  close(): Promise<void>;
}

export interface StubServiceOptions {
  /** The headers of every answer, or of the one at a path. */
  readonly headers?: Readonly<Record<string, string>> | ((path: string) => Readonly<Record<string, string>>);
  /** An answer is given when this is done; by default at once. */
  readonly ready?: () => Promise<unknown>;
}

const lists = new Set(
  contracts.flatMap(({ parameters }) =>
    parameters.filter(({ type }) => type === 'list').map(({ name }) => name),
  ),
);

const paths = Object.entries(routes.marketdata).map(([name, { path }]) => ({
  name,
  pattern: new RegExp(`^${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
}));

/** The stubs on a port of loopback, for programs that run as processes of their own. */
export async function startStubService(
  stubs: Stubs,
  { headers = {}, ready = async () => {} }: StubServiceOptions = {},
): Promise<StubService> {
  const { api, calls } = stubApi(stubs);
  const methods = api as unknown as Readonly<Record<string, (input: unknown) => Promise<{ data: unknown }>>>; // by any name
  const received: IncomingHttpHeaders[] = [];
  let cancelled = 0;

  async function answer(url: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    await ready();
    const { pathname, searchParams } = new URL(url, 'http://stub');
    const route = paths.find(({ pattern }) => pattern.test(pathname));
    const inPath = Object.entries(route?.pattern.exec(pathname)?.groups ?? {});
    const body: unknown = request.method === 'POST' ? await json(request) : undefined;
    const input =
      body ??
      Object.fromEntries([
        ...inPath.map(([name, value]) => [name, decodeURIComponent(value)]),
        ...Array.from(searchParams, ([name, value]) => [name, lists.has(name) ? value.split(',') : value]),
      ]);
    try {
      const { data } = (await methods[route?.name ?? '']?.(input)) ?? {};
      send(response, 200, { success: true, data }, typeof headers === 'function' ? headers(url) : headers);
    } catch (error) {
      const { status = 500, retryAfterSeconds } = error instanceof ApiFailure ? error : {};
      if (retryAfterSeconds !== undefined) response.setHeader('retry-after', retryAfterSeconds);
      send(
        response,
        status,
        { success: false, error: messageOf(error) },
        typeof headers === 'function' ? {} : headers,
      );
    }
  }
  function send(response: ServerResponse, status: number, body: unknown, own = {}): void {
    response.writeHead(status, { 'content-type': 'application/json', ...own });
    response.end(JSON.stringify(body));
  }

  const server = createServer((request, response) => {
    received.push(request.headers);
    response.on('close', () => {
      if (!response.writableEnded) cancelled += 1;
    });
    void answer(request.url ?? '', request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // it listens on a port
    calls,
    requestHeaders: () => received,
    cancelled: () => cancelled,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
