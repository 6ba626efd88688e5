/** The simulated provider and other sources: the only place in the bench that starts them. */
import { realLimits, startSimulated } from '../../local/simulated/index.ts';
import type { SimulatedCoin } from '../../local/simulated/market.ts';
import { exchangeNames, sourceNames } from '../../local/simulated/protocols.ts';

export interface Sources {
  /** The variables with their addresses. */
  readonly environment: Readonly<Record<string, string>>;
  /** The source that an address belongs to. */
  nameOf(origin: string): string | undefined;
  /** The coins with an open market at an exchange. */
  readonly traded: ReadonlySet<string>;
  /** How many requests were beyond each source's limit. */
  refusals(): ReadonlyMap<string, number>;
  /** They count requests by path, and go through their counts at each one. */
  forgetRequests(): void;
  close(): Promise<void>;
}

/** The source with billed requests. */
export const PROVIDER = 'coinpaprika';

/** Requests a second that each source allows; of Binance, weight a minute. */
export const limits: Readonly<Record<string, number>> = { ...realLimits, [PROVIDER]: 10 };

/** `traded`: how many of the largest coins have markets at exchanges, if there are that many. */
export async function startSources(
  coins: readonly SimulatedCoin[],
  now: () => number,
  traded = 200,
): Promise<Sources> {
  const listed = Math.min(traded, coins.length >> 2);
  const simulated = await startSimulated({
    ...{ coins, now, listed, hasTraps: false, limits },
  });
  const { environment } = simulated;
  const byAddress = new Map(
    Object.entries(environment).map(([name, url]) => [url, name.replace(/_BASE_URL$/, '').toLowerCase()]),
  );
  const markets = exchangeNames.flatMap((name) => simulated[name].markets);
  const open = markets.filter(({ state }) => state === 'open');
  return {
    environment,
    traded: new Set(open.flatMap(({ coinId }) => coinId ?? [])),
    refusals: () => new Map(sourceNames.map((name) => [name, simulated[name].refusals])),
    nameOf: (address) => [...byAddress].find(([url]) => address.startsWith(url))?.[1],
    forgetRequests() {
      for (const name of sourceNames) simulated[name].calls.reset();
    },
    close: () => simulated.close(),
  };
}
