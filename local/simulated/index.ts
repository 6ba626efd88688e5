/** A simulated world: one random walk, read through the real protocols of all sources, on one server or without. */
import { binance, idOf as binanceId } from './binance.ts';
import { coinbase, idOf as coinbaseId } from './coinbase.ts';
import { coingecko } from './coingecko.ts';
import { type CoinpaprikaOptions, coinpaprika, type Plan } from './coinpaprika.ts';
import { defillama } from './defillama.ts';
import { ecb } from './ecb.ts';
import type { Fault } from './faults.ts';
import { frankfurter } from './frankfurter.ts';
import { kraken, idOf as krakenId } from './kraken.ts';
import { createMarket, defaultCoins, type Market, type SimulatedCoin } from './market.ts';
import { type ListingOptions, marketsOf, type SimulatedMarket } from './markets.ts';
import type { Protocol } from './protocol.ts';
import { type ExchangeName, exchangeNames, protocols, type SourceName, sourceNames } from './protocols.ts';
import { serve } from './server.ts';
import { SimulatedSource, type SourceContent } from './source.ts';
import { tokensOf } from './tokens.ts';

export interface SimulatedOptions extends CoinpaprikaOptions {
  /** Every price follows from it: the same seed gives the same history at every start. */
  readonly seed?: number;
  /** The clock, in milliseconds; it may be a virtual one. */
  readonly now?: () => number;
  /** The coins; by default well-known ones and a few odd ids. */
  readonly coins?: readonly SimulatedCoin[];
  /** How many of the largest coins have markets; 100 by default. */
  readonly listed?: number;
  /** Whether markets and prices of tokens have traps; true by default. */
  readonly hasTraps?: boolean;
  /** Requests a second that each allows, and Binance's weight a minute; none by default. */
  readonly limits?: Partial<Record<SourceName, number>>;
  /** Initial faults, in the format of `parseFault`. */
  readonly faults?: Partial<Record<SourceName, Fault | string>>;
}

export type { SimulatedSource } from './source.ts';

/** All sources, by name, on one server: closing one closes all. */
export interface Simulated extends Readonly<Record<SourceName, SimulatedSource>> {
  /** The provider, whose list of coins all sources use. */
  readonly provider: SimulatedSource;
  readonly market: Market;
  /** The plan of requests without a key. */
  readonly plan: Plan;
  readonly now: () => number;
  /** The variables with the sources' addresses, and with the plan unless it is the free one. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** The limits of the real sources, as far as they are known. */
export const realLimits: SimulatedOptions['limits'] = Object.fromEntries(
  Object.entries(protocols).flatMap(([name, source]) => ('limit' in source ? [[name, source.limit]] : [])),
);

interface World extends ListingOptions {
  readonly market: Market;
  readonly options: CoinpaprikaOptions;
}

/** What each source serves of a world, within a limit. */
const contents: Readonly<Record<SourceName, (world: World, limit: number) => SourceContent>> = {
  coinpaprika: (world, limit) => ({
    protocol: coinpaprika(world.market, world.options, limit, (id) => {
      const exchange = exchangeNames.find((name) => name === id);
      return exchange && marketsOf(exchange, world.market, world);
    }),
  }),
  coinbase: exchange('coinbase', coinbase),
  kraken: exchange('kraken', kraken),
  binance: exchange('binance', binance),
  defillama: pricer(defillama),
  coingecko: ({ market }) => ({ protocol: coingecko(market) }),
  ecb: ({ market }) => ({ protocol: ecb(market.seed) }),
  frankfurter: ({ market }) => ({ protocol: frankfurter(market.seed) }),
};

function exchange(
  name: ExchangeName,
  protocolOf: (markets: readonly SimulatedMarket[], limit: number) => Protocol,
) {
  return (world: World, limit: number): SourceContent => {
    const markets = marketsOf(name, world.market, world);
    return { markets, protocol: protocolOf(markets, limit) };
  };
}

/** A source of token prices. */
function pricer(protocolOf: (market: Market, tokens: ReturnType<typeof tokensOf>) => Protocol) {
  return ({ market, hasTraps }: World): SourceContent => {
    const tokens = tokensOf(market, hasTraps);
    return { tokens: [...tokens.values()], protocol: protocolOf(market, tokens) };
  };
}

const marketIds = { coinbase: coinbaseId, kraken: krakenId, binance: binanceId };

/** The market's name in its exchange's responses. */
export function marketIdOf(name: ExchangeName, market: Pick<SimulatedMarket, 'base' | 'quote'>): string {
  return marketIds[name](market);
}

/**
 * Starts all sources on a free port of the loopback interface. Rejects if a fault's text is bad.
 *
 * @example
 * const simulated = await startSimulated({ seed: 7 });
 * await fetch(`${simulated.provider.url}/tickers/btc-bitcoin`);
 * await fetch(`${simulated.kraken.url}/0/public/Ticker?pair=XBTUSD`);
 * await simulated.close();
 */
export async function startSimulated(options: SimulatedOptions = {}): Promise<Simulated> {
  const simulated = createSimulated(options);
  const sources = sourceNames.map((name) => simulated[name]);
  const server = await serve(sources);
  for (const source of sources) source.server = server;
  return simulated;
}

/** Sources without a socket, for callers in this process: `simulated.kraken.answer({ url })`. */
export function createSimulated(options: SimulatedOptions = {}): Simulated {
  const { seed = 1, coins = defaultCoins, plan = 'free', now = Date.now } = options;
  const { listed = 100, hasTraps = true, limits = {}, faults = {} } = options;
  const market = createMarket(coins, seed);
  const world = { market, options, listed, hasTraps, now };
  const entries = sourceNames.map((name) => {
    const limit = limits[name] ?? Infinity;
    const source = new SimulatedSource(name, { now, limit }, () => contents[name](world, limit));
    source.setFault(faults[name] ?? null);
    return [name, source] as const;
  });
  const sources = Object.fromEntries(entries) as Record<SourceName, SimulatedSource>; // all names
  const provider = sources.coinpaprika;
  return {
    ...{ ...sources, provider, market, plan, now },
    get environment() {
      const urls = sourceNames.map((name) => [protocols[name].setting, sources[name].url] as const);
      return { ...Object.fromEntries(urls), ...(plan === 'paid' && { COINPAPRIKA_PLAN: 'ultimate' }) };
    },
    close: () => provider.close(),
  };
}
