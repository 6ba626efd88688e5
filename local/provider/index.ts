import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Answer, failure, limitReached, send, unknownRoute } from './answer.ts';
import { type Calls, createCallCounter } from './calls.ts';
import { defaultCoins, type ProviderCoin } from './coins.ts';
import { control } from './control.ts';
import { createFaultSwitch, type Fault } from './faults.ts';
import { keyInfo } from './key-info.ts';
import { createMarket, type Market } from './market.ts';
import { misbehave, RATE_LIMIT_TEXT } from './misbehave.ts';
import type { Plan } from './plan.ts';
import { createRateLimit } from './rate-limit.ts';
import { type Conditions, respond } from './routes.ts';

export type { Calls } from './calls.ts';
export type { ListedCoin, ProviderCoin } from './coins.ts';
export { type Fault, type FaultKind, parseFault } from './faults.ts';
export { type LieName, lieNames } from './lies.ts';
export type { Plan } from './plan.ts';

export interface SimulatedProviderOptions {
  /** TCP port on 127.0.0.1; 0 takes a free one. */
  readonly port?: number;
  /** Every price follows from it: the same seed gives the same history at every start. */
  readonly seed?: number;
  /** The clock, in milliseconds. */
  readonly now?: () => number;
  /** The plan of requests without a key. */
  readonly plan?: Plan;
  /** The plan of requests with a key in `Authorization`. */
  readonly planWithKey?: Plan;
  /** Status of a plan's refusal: 402, or 400 as on older servers. */
  readonly refusalStatus?: 402 | 400;
  /** More requests within a second are answered 429. */
  readonly requestsPerSecond?: number;
  /** More requests since the start, of whatever kind, are answered as beyond a month's limit. */
  readonly requestsPerMonth?: number;
  /** The fault from the start on, as `parseFault` reads it. */
  readonly fault?: Fault | string | null;
  /** The coins; by default the well-known ones and a few odd ids. */
  readonly coins?: readonly ProviderCoin[];
}

/** What the answers are made of. */
export interface World {
  readonly market: Market;
  /** The plan of requests without a key. */
  readonly plan: Plan;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export interface SimulatedProvider {
  /** `http://127.0.0.1:PORT/v1`, for `COINPAPRIKA_BASE_URL`. */
  readonly url: string;
  readonly port: number;
  readonly calls: Calls;
  readonly world: World;
  /** Sets the fault, in place of the one before; `null` means none. Throws on a bad text. */
  setFault(fault: Fault | string | null): void;
  /** Cuts every connection, as a server or a network in between does to idle ones. */
  dropConnections(): void;
  /** Stops listening and cuts open connections. */
  close(): Promise<void>;
}

/**
 * Starts a server that speaks CoinPaprika's protocol on loopback with prices from a seeded random walk. Every answer
 * says `x-data-source: simulated`. Rejects if the port is taken or the fault's text is bad.
 *
 * @example
 * const provider = await startSimulatedProvider({ seed: 7 });
 * await fetch(`${provider.url}/tickers/btc-bitcoin`);
 * await provider.close();
 */
export async function startSimulatedProvider({
  port = 0,
  seed = 1,
  now = Date.now,
  plan = 'free',
  planWithKey = 'paid',
  refusalStatus = 402,
  requestsPerSecond = Infinity,
  requestsPerMonth = Infinity,
  fault = null,
  coins = defaultCoins,
}: SimulatedProviderOptions = {}): Promise<SimulatedProvider> {
  const market = createMarket(coins, seed);
  const calls = createCallCounter();
  const faults = createFaultSwitch();
  const isWithinLimit = createRateLimit(requestsPerSecond);
  faults.set(fault);

  function answer(request: IncomingMessage, url: string, conditions: Conditions): Answer {
    const key = request.headers.authorization;
    if (!isWithinLimit(conditions.nowMs)) return failure(429, RATE_LIMIT_TEXT);
    // The key is sent raw; the provider's text for any other form is not on record.
    if (key && /^bearer /i.test(key)) return failure(403, 'invalid API key');
    if (calls.total > requestsPerMonth) return limitReached();
    if (request.method !== 'GET') return unknownRoute();
    if (url === '/v1/key/info') {
      return key ? keyInfo(planWithKey, calls.total, requestsPerMonth) : failure(403, 'invalid API key');
    }
    return respond(url, conditions);
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('X-Data-Source', 'simulated');
    if (await control(request, response, faults, calls)) return;
    const url = request.url ?? '/';
    calls.count(url);
    response.setHeaders(
      new Headers({
        Date: new Date(now()).toUTCString(),
        Server: 'cloudflare',
        Vary: 'Accept-Encoding,Origin',
        'Access-Control-Allow-Origin': '*',
      }),
    );
    const due = faults.take(url);
    const conditions: Conditions = {
      market,
      plan: request.headers.authorization ? planWithKey : plan,
      nowMs: now(),
      refusalStatus,
    };
    const proper = answer(request, url, conditions);
    if (due) await misbehave(due, proper, conditions, request, response);
    else await send(response, proper, request.headers['accept-encoding']);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      console.error('The simulated provider failed:', error);
      response.destroy();
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const bound = (server.address() as AddressInfo).port; // a TCP server's address is never a string

  return {
    url: `http://127.0.0.1:${bound}/v1`,
    port: bound,
    calls,
    world: { market, plan, now },
    setFault: faults.set,
    dropConnections: () => server.closeAllConnections(),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
