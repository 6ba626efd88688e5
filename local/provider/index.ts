import type { IncomingMessage } from 'node:http';
import { type Answer, failure, limitReached, unknownRoute } from './answer.ts';
import { defaultCoins, type ProviderCoin } from './coins.ts';
import type { Fault } from './faults.ts';
import { keyInfo } from './key-info.ts';
import { lieNames, tell } from './lies.ts';
import { createMarket, type Market } from './market.ts';
import { RATE_LIMIT_TEXT, statusText } from './misbehave.ts';
import { urlOfOtherCoin } from './other-coin.ts';
import type { Plan } from './plan.ts';
import { createRateLimit } from './rate-limit.ts';
import { type Conditions, respond } from './routes.ts';
import { type SimulatedServer, startServer } from './server.ts';

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

export interface SimulatedProvider extends SimulatedServer {
  /** `http://127.0.0.1:PORT/v1`, for `COINPAPRIKA_BASE_URL`. */
  readonly url: string;
  readonly world: World;
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
  const isWithinLimit = createRateLimit(requestsPerSecond);

  function answer(request: IncomingMessage, url: string, made: number, conditions: Conditions): Answer {
    const key = request.headers.authorization;
    if (!isWithinLimit(conditions.nowMs)) return failure(429, RATE_LIMIT_TEXT);
    // The key is sent raw; the provider's text for any other form is not on record.
    if (key && /^bearer /i.test(key)) return failure(403, 'invalid API key');
    if (made > requestsPerMonth) return limitReached();
    if (request.method !== 'GET') return unknownRoute();
    if (url === '/v1/key/info') {
      return key ? keyInfo(planWithKey, made, requestsPerMonth) : failure(403, 'invalid API key');
    }
    return respond(url, conditions);
  }

  const protocol = {
    title: 'The simulated provider',
    lies: lieNames,
    headers: () => ({
      'X-Data-Source': 'simulated',
      Date: new Date(now()).toUTCString(),
      Server: 'cloudflare',
      Vary: 'Accept-Encoding,Origin',
      'Access-Control-Allow-Origin': '*',
    }),
    answer(request: IncomingMessage, url: string, made: number) {
      const conditions: Conditions = {
        market,
        plan: request.headers.authorization ? planWithKey : plan,
        nowMs: now(),
        refusalStatus,
      };
      return {
        proper: answer(request, url, made, conditions),
        own: {
          failure: (status: number) => failure(status, statusText(status, RATE_LIMIT_TEXT)),
          limit: limitReached,
          urlOfOther: () => urlOfOtherCoin(url, market),
          tell: (lie: string, proper: Answer) =>
            tell(lie, proper, { url, headers: request.headers, conditions }),
        },
      };
    },
  };
  const server = await startServer(protocol, { port, fault });
  return { ...server, url: `http://127.0.0.1:${server.port}/v1`, world: { market, plan, now } };
}
