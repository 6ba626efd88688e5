import type { IncomingMessage } from 'node:http';
import type { Answer } from '../provider/answer.ts';
import { defaultCoins } from '../provider/coins.ts';
import type { Fault, World } from '../provider/index.ts';
import { createMarket, type Market } from '../provider/market.ts';
import { type SimulatedServer, startServer } from '../provider/server.ts';
import { binance } from './binance.ts';
import { coinbase } from './coinbase.ts';
import { defillama } from './defillama.ts';
import { kraken } from './kraken.ts';
import { lieNames, tell } from './lies.ts';
import { type ExchangeName, exchangeNames, marketsOf, type SimulatedMarket } from './markets.ts';
import { type Asked, type ExchangeProtocol, Refused } from './protocol.ts';
import { type SimulatedToken, tokensOf } from './tokens.ts';
import { type TrapName, trapNames } from './traps.ts';

export type { MarketState, SimulatedMarket } from './markets.ts';
export { type SimulatedToken, tokenTraps } from './tokens.ts';
export { lesserNamesake, type TrapName, trapNames, traps, withTetherAt } from './traps.ts';

export const sourceNames = [...exchangeNames, 'defillama'] as const;
/** An exchange, or DefiLlama. */
export type SourceName = (typeof sourceNames)[number];

/** The variables that tell functions of their addresses. */
export const settings = {
  coinbase: 'COINBASE_BASE_URL',
  kraken: 'KRAKEN_BASE_URL',
  binance: 'BINANCE_BASE_URL',
  defillama: 'DEFILLAMA_BASE_URL',
} as const satisfies Record<SourceName, string>;

/** The limits of the real ones, as far as they are known. */
export const realLimits = {
  coinbase: { requestsPerSecond: 10 },
  kraken: { requestsPerSecond: 1 },
  binance: { weightPerMinute: 6000 },
  defillama: { requestsPerSecond: 10 },
} as const satisfies Record<SourceName, Partial<Limits>>;

interface Limits {
  /** More within a second are refused; Binance knows weights only. */
  readonly requestsPerSecond: number;
  /** Binance only. */
  readonly weightPerMinute: number;
}

export interface SimulatedSourceOptions extends Partial<Limits> {
  /** TCP port on 127.0.0.1; 0 takes a free one. */
  readonly port?: number;
  /** Of the simulated provider whose prices these are; without it a world of the default coins is made. */
  readonly world?: Pick<World, 'market' | 'now'>;
  /** For a world of its own. */
  readonly seed?: number;
  /** The clock, in milliseconds; the world's unless told. */
  readonly now?: () => number;
  /** So many of the largest coins have markets. */
  readonly listed?: number;
  /** All unless told. Tokens have theirs, unless this is empty. */
  readonly traps?: readonly TrapName[];
  /** The fault from the start on, as the simulated provider's; the lies are these exchanges' own. */
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
 * Starts one exchange, or DefiLlama, on loopback: its real protocol, with the simulated provider's prices. Rejects if
 * the port is taken or the fault's text is bad.
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
  const markets = name === 'defillama' ? [] : marketsOf(name, market, { listed, traps, startMs: now(), now });
  const tokens =
    name === 'defillama' ? tokensOf(market, traps.length > 0) : new Map<string, SimulatedToken>();
  const spoken = protocolOf(name, { market, markets, tokens }, options);

  const protocol = {
    title: `The simulated ${name}`,
    lies: lieNames,
    headers: () => ({
      Date: new Date(now()).toUTCString(),
      ...(genuine ? {} : { 'X-Data-Source': 'simulated' }),
    }),
    answer: (request: IncomingMessage, url: string) => {
      const asked = { ...askedOf(url, now()), headers: request.headers };
      const answerTo = (other: Asked) => attempt(() => spoken.answer(other));
      const otherUrl = () => urlOfOther(spoken, url, name, markets);
      return {
        proper: request.method === 'GET' ? answerTo(asked) : spoken.failure(405),
        own: {
          failure: spoken.failure,
          limit: spoken.limited,
          urlOfOther: otherUrl,
          tell: (lie: string, proper: Answer) =>
            tell(lie, proper, {
              again: (ms) => answerTo({ ...asked, nowMs: asked.nowMs + ms }),
              other() {
                const other = otherUrl();
                return other === undefined ? proper : answerTo({ ...asked, ...askedOf(other, now()) });
              },
            }),
        },
      };
    },
  };
  const server = await startServer(protocol, { port, fault });
  const url = `http://127.0.0.1:${server.port}${spoken.root}`;
  return { ...server, name, url, markets, tokens: [...tokens.values()] };
}

export interface SimulatedSourcesOptions
  extends Pick<SimulatedSourceOptions, 'world' | 'seed' | 'now' | 'listed' | 'traps' | 'genuine'> {
  /** By name: a fault from the start on. */
  readonly faults?: Partial<Record<SourceName, Fault | string>>;
  /** Whether they have the limits of the real ones; without it they have none. */
  readonly limits?: boolean;
}

export interface SimulatedSources extends Readonly<Record<SourceName, SimulatedSource>> {
  close(): Promise<void>;
}

/** Starts all of them, on one world. */
export async function startSimulatedExchanges(
  options: SimulatedSourcesOptions = {},
): Promise<SimulatedSources> {
  const { seed = 1, now = Date.now, faults = {}, limits = false, ...others } = options;
  const world = options.world ?? { market: createMarket(defaultCoins, seed), now };
  const start = (name: SourceName) =>
    startSimulatedExchange(name, {
      ...others,
      ...(limits ? realLimits[name] : {}),
      ...(options.now && { now: options.now }),
      world,
      fault: faults[name] ?? null,
    });
  const started: SimulatedSource[] = [];
  const close = async () => {
    await Promise.all(started.map((source) => source.close()));
  };
  const one = async (name: SourceName) => {
    const source = await start(name);
    started.push(source);
    return source;
  };
  try {
    return {
      coinbase: await one('coinbase'),
      kraken: await one('kraken'),
      binance: await one('binance'),
      defillama: await one('defillama'),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function protocolOf(
  name: SourceName,
  {
    market,
    markets,
    tokens,
  }: {
    readonly market: Market;
    readonly markets: readonly SimulatedMarket[];
    readonly tokens: ReadonlyMap<string, SimulatedToken>;
  },
  { requestsPerSecond = Infinity, weightPerMinute = Infinity }: Partial<Limits>,
): ExchangeProtocol {
  switch (name) {
    case 'coinbase':
      return coinbase(markets, { requestsPerSecond });
    case 'kraken':
      return kraken(markets, { requestsPerSecond });
    case 'binance':
      return binance(markets, { weightPerMinute });
    case 'defillama':
      return defillama(market, tokens, { requestsPerSecond });
  }
}

function askedOf(url: string, nowMs: number): Omit<Asked, 'headers'> {
  const at = url.indexOf('?');
  const [path, query] = at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
  return { path, query: new URLSearchParams(query), nowMs: Math.floor(nowMs / 1000) * 1000 };
}

function attempt(answer: () => Answer): Answer {
  try {
    return answer();
  } catch (error) {
    if (error instanceof Refused) return error.answer;
    throw error;
  }
}

/** The same request for the next market of the exchange. */
function urlOfOther(
  { named }: ExchangeProtocol,
  url: string,
  name: SourceName,
  markets: readonly SimulatedMarket[],
): string | undefined {
  const asked = named.exec(url)?.[1];
  const separator = name === 'coinbase' ? '-' : '';
  const idOf = ({ base, quote }: SimulatedMarket) => `${base}${separator}${quote}`;
  const other = markets.find(
    (market) => market.state === 'open' && idOf(market) !== asked && market.base !== 'BTC',
  );
  return asked === undefined || !other ? undefined : url.replace(asked, idOf(other));
}

export function isSourceName(name: string): name is SourceName {
  return sourceNames.some((known) => known === name);
}

export type { ExchangeName };
