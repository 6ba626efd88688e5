/** A simulated world: one random walk, read through the real protocols of all sources, on one server or without. */
import { binance, idOf as binanceId } from './binance.ts';
import { coinbase, idOf as coinbaseId } from './coinbase.ts';
import { type CoinpaprikaOptions, coinpaprika, type Plan } from './coinpaprika.ts';
import { defillama } from './defillama.ts';
import { ecb } from './ecb.ts';
import type { Fault } from './faults.ts';
import { kraken, idOf as krakenId } from './kraken.ts';
import { createMarket, defaultCoins, type Market, type SimulatedCoin } from './market.ts';
import { type ExchangeName, marketsOf, type SimulatedMarket, type TrapName, trapNames } from './markets.ts';
import type { Protocol } from './protocol.ts';
import { protocols, type SourceName, sourceNames } from './protocols.ts';
import { type SimulatedServer, serve } from './server.ts';
import { createSource, type Source } from './source.ts';
import { type SimulatedToken, tokensOf } from './tokens.ts';

export interface SimulatedOptions extends CoinpaprikaOptions {
  /** TCP port on 127.0.0.1; 0 takes a free one. */
  readonly port?: number;
  /** Every price follows from it: the same seed gives the same history at every start. */
  readonly seed?: number;
  /** The clock, in milliseconds; it may be a virtual one. */
  readonly now?: () => number;
  /** By default the well-known ones and a few odd ids. */
  readonly coins?: readonly SimulatedCoin[];
  /** So many of the largest coins have markets; 100 by default. */
  readonly listed?: number;
  /** All by default. Tokens have theirs, unless this is empty. */
  readonly traps?: readonly TrapName[];
  /** Requests a second that each allows, and Binance's weight a minute; none by default. */
  readonly limits?: Partial<Record<SourceName, number>>;
  /** From the start on, as `parseFault` reads them. */
  readonly faults?: Partial<Record<SourceName, Fault | string>>;
  /** Exchanges do not say that they are simulated, as real ones do not. */
  readonly genuine?: boolean;
}

export interface SimulatedSource extends Source, Pick<SimulatedServer, 'dropConnections' | 'close'> {
  readonly name: SourceName;
  /** `http://127.0.0.1:PORT/kraken`, for the source's variable. */
  readonly url: string;
  /** The markets of an exchange, with the truth about each; their state may be set. */
  readonly markets: readonly SimulatedMarket[];
  /** The tokens that DefiLlama prices, with the truth about each. */
  readonly tokens: readonly SimulatedToken[];
}

/** All sources, by name. To close one closes the server, and so all. */
export interface Simulated extends Readonly<Record<SourceName, SimulatedSource>> {
  /** The one whose list of coins all are about. */
  readonly provider: SimulatedSource;
  readonly market: Market;
  /** Of requests without a key. */
  readonly plan: Plan;
  readonly now: () => number;
  /** `http://127.0.0.1:PORT`, of all base URLs. */
  readonly origin: string;
  /** The variables that tell functions of their addresses. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** The limits of the real exchanges and sources, as far as they are known; Binance's is weight a minute. */
export const realLimits = { coinbase: 10, kraken: 1, binance: 6000, defillama: 10, ecb: 10 } as const;

const exchanges = {
  coinbase: { protocol: coinbase, idOf: coinbaseId },
  kraken: { protocol: kraken, idOf: krakenId },
  binance: { protocol: binance, idOf: binanceId },
};

/** The market as its exchange names it in answers. */
export function marketIdOf(exchange: ExchangeName, market: Pick<SimulatedMarket, 'base' | 'quote'>): string {
  return exchanges[exchange].idOf(market);
}

/**
 * Starts all sources on one loopback server. Rejects if the port is taken or a fault's text is bad.
 *
 * @example
 * const simulated = await startSimulated({ seed: 7 });
 * await fetch(`${simulated.provider.url}/tickers/btc-bitcoin`);
 * await fetch(`${simulated.kraken.url}/0/public/Ticker?pair=XBTUSD`);
 * await simulated.close();
 */
export async function startSimulated(options: SimulatedOptions = {}): Promise<Simulated> {
  const sources = createSources(options);
  const byBase = new Map(sourceNames.map((name) => [protocols[name].base as string, sources[name]]));
  return simulatedOn(await serve(byBase, options.port ?? 0), sources, options);
}

/** The same without a socket, for callers in this process: `simulated.kraken.answer({ url })`. */
export function createSimulated(options: SimulatedOptions = {}): Simulated {
  const nowhere = { origin: 'http://simulated.invalid', dropConnections: () => {}, close: async () => {} };
  return simulatedOn(nowhere, createSources(options), options);
}

type Sources = Readonly<Record<SourceName, Source & Pick<SimulatedSource, 'markets' | 'tokens'>>>;

function createSources(options: SimulatedOptions): Sources {
  const { seed = 1, now = Date.now, listed = 100, traps = trapNames } = options;
  const { limits = {}, faults = {}, genuine = false } = options;
  const market = marketFor(options);

  function sourceOf(name: SourceName, make: () => Protocol, listings: Partial<Listings> = {}) {
    const { base, subject } = protocols[name];
    const source = createSource(lazily(make), { subject, now, genuine, base });
    source.setFault(faults[name] ?? null);
    return {
      ...source,
      get markets() {
        return listings.markets?.() ?? [];
      },
      get tokens() {
        return [...(listings.tokens?.().values() ?? [])];
      },
    };
  }
  const limitOf = (name: SourceName) => limits[name] ?? Infinity;
  function exchangeOf(name: ExchangeName) {
    const markets = lazily(() => marketsOf(name, market, { listed, traps, now }));
    return sourceOf(name, () => exchanges[name].protocol(markets(), limitOf(name)), { markets });
  }
  const tokens = lazily(() => tokensOf(market, traps.length > 0));
  return {
    coinpaprika: sourceOf('coinpaprika', () => coinpaprika(market, options, limitOf('coinpaprika'))),
    coinbase: exchangeOf('coinbase'),
    kraken: exchangeOf('kraken'),
    binance: exchangeOf('binance'),
    defillama: sourceOf('defillama', () => defillama(market, tokens(), limitOf('defillama')), { tokens }),
    ecb: sourceOf('ecb', () => ecb(seed, limitOf('ecb'))),
  };
}

/** Made when they are first needed: with a list of 56,000 coins it takes a while. */
interface Listings {
  readonly markets: () => readonly SimulatedMarket[];
  readonly tokens: () => ReadonlyMap<string, SimulatedToken>;
}

function simulatedOn(server: SimulatedServer, sources: Sources, options: SimulatedOptions): Simulated {
  const { close, dropConnections, origin } = server;
  function served(name: SourceName): SimulatedSource {
    const own = { name, url: origin + protocols[name].base, close, dropConnections };
    return Object.defineProperties(own, Object.getOwnPropertyDescriptors(sources[name])) as SimulatedSource;
  }
  const all = Object.fromEntries(sourceNames.map((name) => [name, served(name)])) as Record<
    SourceName,
    SimulatedSource
  >;
  const { plan = 'free', now = Date.now } = options;
  return {
    ...{ ...all, provider: all.coinpaprika, market: marketFor(options), plan, now, origin, close },
    environment: Object.fromEntries(sourceNames.map((name) => [protocols[name].setting, all[name].url])),
  };
}

function marketFor({ coins = defaultCoins, seed = 1 }: SimulatedOptions): Market {
  return createMarket(coins, seed);
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
