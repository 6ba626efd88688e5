import type { IncomingMessage } from 'node:http';
import type { Answer } from '../provider/answer.ts';
import { defaultCoins } from '../provider/coins.ts';
import type { Fault } from '../provider/faults.ts';
import type { World } from '../provider/index.ts';
import { createMarket, type Market } from '../provider/market.ts';
import { decode } from '../provider/routes.ts';
import { type SimulatedServer, startServer } from '../provider/server.ts';
import { binance } from './binance.ts';
import { coinbase } from './coinbase.ts';
import { defillama } from './defillama.ts';
import { ecb } from './ecb.ts';
import { kraken } from './kraken.ts';
import { liarOf } from './liar.ts';
import { type ListingOptions, marketsOf, type SimulatedMarket } from './markets.ts';
import type { SourceName } from './names.ts';
import { type Asked, attempt, type ExchangeProtocol } from './protocol.ts';
import { type SimulatedToken, tokensOf } from './tokens.ts';
import { type TrapName, trapNames } from './traps.ts';

export interface Limits {
  /** More, on average, are refused; Binance knows weights only. */
  readonly requestsPerSecond: number;
  /** Binance only: more are answered 429, and 418 if that is of no avail. */
  readonly weightPerMinute: number;
}

export interface SimulatedSourceOptions extends Partial<Limits> {
  /** TCP port on 127.0.0.1; 0 takes a free one. */
  readonly port?: number;
  /** Of the simulated provider whose prices these are; without it a world of the default coins is made. */
  readonly world?: Pick<World, 'market' | 'now'>;
  /** For a world of its own, and for rates. */
  readonly seed?: number;
  /** The clock, in milliseconds; the world's unless told. */
  readonly now?: () => number;
  /** So many of the largest coins have markets; 100 unless told. */
  readonly listed?: number;
  /** All unless told. Tokens have theirs, unless this is empty. */
  readonly traps?: readonly TrapName[];
  /** The fault from the start on, as the simulated provider's; the lies are `lieNames` of these exchanges. */
  readonly fault?: Fault | string | null;
  /** Answers do not say that they are simulated, as real ones do not. */
  readonly genuine?: boolean;
}

export interface SimulatedSource extends SimulatedServer {
  readonly name: SourceName;
  /** `http://127.0.0.1:PORT`, for the source's variable. */
  readonly url: string;
  /** The markets of an exchange, with the truth about each; their state may be set. */
  readonly markets: readonly SimulatedMarket[];
  /** The tokens that DefiLlama knows, with the truth about each. */
  readonly tokens: readonly SimulatedToken[];
}

/**
 * Starts one exchange, DefiLlama or the European Central Bank on loopback: its real protocol, with the simulated
 * provider's prices, or rates of the seed. Rejects if the port is taken or the fault's text is bad.
 *
 * @example
 * const exchange = await startSimulatedExchange('binance', { seed: 7 });
 * await fetch(`${exchange.url}/api/v3/klines?symbol=BTCUSDT&interval=1d`);
 * await exchange.close();
 */
export async function startSimulatedExchange(
  name: SourceName,
  options: SimulatedSourceOptions = {},
): Promise<SimulatedSource> {
  const { port = 0, seed = 1, fault = null, genuine = false, traps = trapNames, listed = 100 } = options;
  const { market = createMarket(defaultCoins, seed) } = options.world ?? {};
  const now = options.now ?? options.world?.now ?? Date.now;
  const listing = { listed, traps, startMs: now(), now };
  // With a list of 56,000 coins it takes a while, and not everybody asks for it.
  const lists = lazily(() => listsOf(name, market, listing));
  const spoken = lazily(() => protocolOf(name, market, lists(), options));

  const liar = liarOf(name);

  const protocol = {
    title: `The simulated ${name}`,
    lies: liar.names,
    headers: () => ({
      Date: new Date(now()).toUTCString(),
      ...(genuine ? {} : { 'X-Data-Source': 'simulated' }),
    }),
    answer({ method, headers }: IncomingMessage, url: string) {
      const speaks = spoken();
      const answerTo = (asked: string, laterMs = 0) => {
        return method === 'GET'
          ? attempt(() => speaks.answer(askedOf(asked, headers, now(), laterMs)))
          : speaks.failure(405);
      };
      const proper = answerTo(url);
      const elsewhere = {
        again: (ms: number) => answerTo(url, ms),
        other: () => answerTo(urlOfOther(speaks, url) ?? url),
      };
      const { failure, limited: limit } = speaks;
      return {
        proper,
        own: {
          ...{ failure, limit, urlOfOther: () => urlOfOther(speaks, url) },
          tell: (lie: string, honest: Answer) => liar.tell(lie, honest, elsewhere),
        },
      };
    },
  };
  const server = await startServer(protocol, { port, fault });
  return {
    ...server,
    name,
    url: `http://127.0.0.1:${server.port}`,
    get markets() {
      return lists().markets;
    },
    get tokens() {
      return [...lists().tokens.values()];
    },
  };
}

interface Lists {
  readonly markets: readonly SimulatedMarket[];
  readonly tokens: ReadonlyMap<string, SimulatedToken>;
}

function listsOf(name: SourceName, market: Market, listing: ListingOptions): Lists {
  if (name === 'ecb') return { markets: [], tokens: new Map() };
  return name === 'defillama'
    ? { markets: [], tokens: tokensOf(market, listing.traps.length > 0) }
    : { markets: marketsOf(name, market, listing), tokens: new Map() };
}

function protocolOf(
  name: SourceName,
  market: Market,
  { markets, tokens }: Lists,
  {
    seed = 1,
    requestsPerSecond = Infinity,
    weightPerMinute = Infinity,
  }: Pick<SimulatedSourceOptions, 'seed' | keyof Limits>,
): ExchangeProtocol {
  switch (name) {
    case 'coinbase':
      return coinbase(markets, requestsPerSecond);
    case 'kraken':
      return kraken(markets, requestsPerSecond);
    case 'binance':
      return binance(markets, weightPerMinute);
    case 'defillama':
      return defillama(market, tokens, requestsPerSecond);
    case 'ecb':
      return ecb(seed, requestsPerSecond);
  }
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function askedOf(url: string, headers: IncomingMessage['headers'], atMs: number, laterMs: number): Asked {
  const at = url.indexOf('?');
  const [path, query] = at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
  const nowMs = Math.floor((atMs + laterMs) / 1000) * 1000;
  return { path, query: new URLSearchParams(query), headers, atMs, nowMs };
}

/** The same request for another market or token, in place of all that it names; undefined if it names none. */
function urlOfOther({ named }: ExchangeProtocol, url: string): string | undefined {
  const asked = named?.pattern.exec(url)?.[1];
  if (!named || asked === undefined) return undefined;
  // Some are found in any case.
  const names = decode(asked).toLowerCase().split(',');
  const other = named.ids().find((id) => !names.includes(id.toLowerCase()));
  return other && url.replace(asked, encodeURIComponent(other));
}
