import { defaultCoins } from '../provider/coins.ts';
import type { Fault } from '../provider/faults.ts';
import { createMarket } from '../provider/market.ts';
import { type SourceName, settings, sourceNames } from './names.ts';
import {
  type Limits,
  type SimulatedSource,
  type SimulatedSourceOptions,
  startSimulatedExchange,
} from './source.ts';

export { lieNames } from './lies.ts';
export { marketIdOf } from './market-id.ts';
export type { MarketState, SimulatedMarket } from './markets.ts';
export { type ExchangeName, exchangeNames, type SourceName, settings, sourceNames } from './names.ts';
export { type SimulatedSource, type SimulatedSourceOptions, startSimulatedExchange } from './source.ts';
export { type SimulatedToken, tokenTraps } from './tokens.ts';
export { lesserNamesake, type TrapName, trapNames, traps, withTetherAt } from './traps.ts';

/** The limits of the real ones, as far as they are known. */
export const realLimits = {
  coinbase: { requestsPerSecond: 10 },
  kraken: { requestsPerSecond: 1 },
  binance: { weightPerMinute: 6000 },
  defillama: { requestsPerSecond: 10 },
  ecb: { requestsPerSecond: 10 },
} as const satisfies Record<SourceName, Partial<Limits>>;

export interface SimulatedSourcesOptions
  extends Pick<SimulatedSourceOptions, 'world' | 'seed' | 'now' | 'listed' | 'traps' | 'genuine'> {
  /** By name: a fault from the start on. */
  readonly faults?: Partial<Record<SourceName, Fault | string>>;
  /** Whether they have the limits of the real ones; without it they have none. */
  readonly limits?: boolean;
}

export interface SimulatedSources extends Readonly<Record<SourceName, SimulatedSource>> {
  /** The variables that tell functions of them. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Starts all of them, on one world. Rejects if the text of a fault is bad. */
export async function startSimulatedExchanges({
  faults = {},
  limits = false,
  ...options
}: SimulatedSourcesOptions = {}): Promise<SimulatedSources> {
  const { seed = 1, now = Date.now } = options;
  const world = options.world ?? { market: createMarket(defaultCoins, seed), now };
  const started = new Map<SourceName, SimulatedSource>();
  const close = async () => {
    await Promise.all([...started.values()].map((source) => source.close()));
  };
  const start = async (name: SourceName) => {
    const own = { ...(limits ? realLimits[name] : {}), fault: faults[name] ?? null };
    const source = await startSimulatedExchange(name, { ...options, ...own, world });
    started.set(name, source);
    return source;
  };
  try {
    const sources = {
      coinbase: await start('coinbase'),
      kraken: await start('kraken'),
      binance: await start('binance'),
      defillama: await start('defillama'),
      ecb: await start('ecb'),
    };
    const environment = Object.fromEntries(sourceNames.map((name) => [settings[name], sources[name].url]));
    return { ...sources, environment, close };
  } catch (error) {
    await close();
    throw error;
  }
}
