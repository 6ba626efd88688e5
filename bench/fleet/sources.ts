/** The simulated provider and other sources: the only place in the bench that starts them. */
import { realLimits, startSimulated } from '../../local/simulated/index.ts';
import type { SimulatedCoin } from '../../local/simulated/market.ts';
import { sourceNames } from '../../local/simulated/protocols.ts';

export interface Sources {
  /** The variables with their addresses. */
  readonly environment: Readonly<Record<string, string>>;
  /** The source that an address belongs to. */
  nameOf(origin: string): string | undefined;
  /** They count requests by path, and go through their counts at each one. */
  forgetRequests(): void;
  close(): Promise<void>;
}

/** The source with billed requests. */
export const PROVIDER = 'coinpaprika';

/** `traded`: how many of the largest coins have markets at exchanges, if there are that many. */
export async function startSources(
  coins: readonly SimulatedCoin[],
  now: () => number,
  traded = 200,
): Promise<Sources> {
  const listed = Math.min(traded, coins.length >> 2);
  const simulated = await startSimulated({
    ...{ coins, now, listed, hasTraps: false },
    limits: { ...realLimits, coinpaprika: 10 },
  });
  const { environment } = simulated;
  const byAddress = new Map(
    Object.entries(environment).map(([name, url]) => [url, name.replace(/_BASE_URL$/, '').toLowerCase()]),
  );
  return {
    environment,
    nameOf: (address) => [...byAddress].find(([url]) => address.startsWith(url))?.[1],
    forgetRequests() {
      for (const name of sourceNames) simulated[name].calls.reset();
    },
    close: () => simulated.close(),
  };
}
