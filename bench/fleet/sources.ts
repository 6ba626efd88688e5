/** The simulated provider and other sources: the one place of the bench that knows how they are started. */
import { startSimulatedExchanges } from '../../local/exchanges/index.ts';
import { type ProviderCoin, startSimulatedProvider } from '../../local/provider/index.ts';

export interface Sources {
  /** The variables that tell functions of them. */
  readonly environment: Readonly<Record<string, string>>;
  /** Of the source at an address. */
  nameOf(origin: string): string | undefined;
  /** They count requests by path, and go through their counts at each one. */
  forgetRequests(): void;
  close(): Promise<void>;
}

/** Whose requests are paid for. */
export const PROVIDER = 'coinpaprika';

/** `traded`: as many of the largest coins have markets at exchanges, if there are so many. */
export async function startSources(
  coins: readonly ProviderCoin[],
  now: () => number,
  traded = 200,
): Promise<Sources> {
  const provider = await startSimulatedProvider({ coins, now, requestsPerSecond: 10 });
  const listed = Math.min(traded, coins.length >> 2);
  const { environment: urls, ...others } = await startSimulatedExchanges({
    ...{ world: provider.world, now, limits: true, traps: [], listed },
  });
  const environment: Record<string, string> = { COINPAPRIKA_BASE_URL: provider.url, ...urls };
  const names = Object.entries(environment).map(([name, url]): [string, string] => [
    new URL(url).origin,
    name.replace(/_BASE_URL$/, '').toLowerCase(),
  ]);
  const byOrigin = new Map(names);
  const { coinbase, kraken, binance, defillama, ecb, close } = others;
  return {
    environment,
    nameOf: (origin) => byOrigin.get(origin),
    forgetRequests() {
      for (const { calls } of [provider, coinbase, kraken, binance, defillama, ecb]) calls.reset();
    },
    async close() {
      await Promise.all([provider.close(), close()]);
    },
  };
}
