/** A provider behind its client, with a front that sees each request and may answer in its place. */
import type { RequestListener } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type {
  MarketDataProvider,
  Offer,
  Offers,
  ProviderRequest,
  Received,
} from '../../shared/marketdata/provider.ts';
import { type BaseInterval, windowOf } from '../../shared/marketdata/window.ts';
import { parseEnvironment } from '../../shared/platform/environment.ts';
import { createClient } from '../../shared/providers/client.ts';
import { type Loopback, startLoopback } from '../pipeline/loopback.ts';
import { unhurried } from '../unhurried.ts';

export const KEY = 'a-key-of-the-provider-0123456789';
export const HOUR_MS = 3_600_000;

/** A server that speaks the provider's protocol and offers everything that the provider does. */
export interface ProviderServer {
  readonly url: string;
  /** The tokens that a source of token prices has prices of at all times. */
  readonly tokens?: readonly { readonly name: string }[];
  close(): Promise<void>;
}

export interface UnderTest {
  readonly server: ProviderServer;
  readonly front: Loopback;
  /** The key of each request; undefined if it came without it. */
  readonly keys: readonly (string | undefined)[];
  /** Past all caches. A busy machine may take its time, unless told. */
  fetchFrom<T>(requestFor: (offered: Offers) => ProviderRequest<T>, timeoutMs?: number): Promise<Received<T>>;
}

/** Starts the server once for the tests of a block, and a front for each of them. */
export function useProvider(provider: MarketDataProvider, start: () => Promise<ProviderServer>): UnderTest {
  const { settings } = provider;
  let server: ProviderServer;
  let front: Loopback;
  let keys: (string | undefined)[];
  const proxy: RequestListener = async (request, response) => {
    keys.push(JSON.stringify(request.headers).includes(KEY) ? KEY : undefined);
    const answer = await fetch(new URL(request.url ?? '', server.url), { redirect: 'manual' });
    const type = answer.headers.get('content-type') ?? '';
    response.writeHead(answer.status, { 'content-type': type }).end(Buffer.from(await answer.arrayBuffer()));
  };
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    keys = [];
    front = await startLoopback(proxy);
  });
  afterEach(() => front.close());
  return {
    get server() {
      return server;
    },
    get front() {
      return front;
    },
    get keys() {
      return keys;
    },
    async fetchFrom(requestFor, timeoutMs = 8_000) {
      const { pathname } = new URL(server.url);
      const environment = parseEnvironment({
        [settings.baseUrl]: front.url + pathname.replace(/\/$/, ''),
        ...(settings.key && { [settings.key]: KEY }),
        UPSTREAM_TIMEOUT_MS: String(timeoutMs),
      });
      // The tests ask for what is offered alone.
      const client = createClient<Offer>(unhurried(provider) as MarketDataProvider & Offers, environment);
      return client.fetch(requestFor(client.provider), Date.now() + timeoutMs);
    },
  };
}

/** The latest base candles. */
export const latest = (interval: BaseInterval, limit: number) => windowOf({ interval, limit }, Date.now());
