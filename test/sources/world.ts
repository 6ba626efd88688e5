/** All that the job speaks to, for its tests: three exchanges and the provider on one walk of prices, and S3. */
import { vi } from 'vitest';
import type { S3Server } from '../../local/s3.ts';
import {
  type Simulated,
  type SimulatedOptions,
  type SimulatedSource,
  startSimulated,
} from '../../local/simulated/index.ts';
import { exchangeNames } from '../../local/simulated/protocols.ts';
import {
  type CoinQuotes,
  type PublishedMap,
  sourcesReader,
} from '../../shared/marketdata/sources/source-map.ts';
import { startStubbedS3 } from '../s3.ts';
import { withoutPace } from '../unhurried.ts';

export const NOON = Date.parse('2026-11-21T12:00:00Z');
const RUN_MS = 600_000;

export interface World {
  readonly provider: SimulatedSource;
  readonly sources: Simulated;
  readonly s3: S3Server;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The published objects. */
  readonly store: {
    map(): Promise<PublishedMap | undefined>;
    quotes(): Promise<CoinQuotes | undefined>;
  };
  /** The coin of each market of the map, by `<exchange> <base>/<quote>`. */
  map(): Promise<Record<string, string>>;
  /** The right map: of the open markets of coins of the list, those that are nearest to USD. */
  truth(): Record<string, string>;
  /** Runs the registry's job, which stores the provider's lists of markets; `runs` does so once before the first run. */
  list(): Promise<unknown>;
  /**
   * Runs the jobs of the snapshot and the markets, ten minutes later each time. Resolves to what the last run of the markets' job
   * gave.
   */
  runs(times: number): Promise<unknown>;
  close(): Promise<void>;
}

/** Starts it, with the environment that the jobs find it by. */
export async function startWorld(options: SimulatedOptions = {}): Promise<World> {
  vi.useFakeTimers({ toFake: ['Date'], now: NOON });
  vi.resetModules();
  withoutPace();
  const sources = await startSimulated(options);
  const { provider } = sources;
  const s3 = await startStubbedS3();
  const environment = {
    ...sources.environment,
    SNAPSHOT_BUCKET: 'bucket',
    SOURCES_BUCKET: 'bucket',
    REGISTRY_BUCKET: 'bucket',
    ID_SOURCES: '',
    HISTORY_BUCKET: undefined,
    REGISTRY_PATH: '/nowhere',
    COINPAPRIKA_API_KEY: undefined,
    SHARED_TABLE: undefined,
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const reader = sourcesReader('bucket');
  const store: World['store'] = {
    map: async () => (await reader.map()).content,
    quotes: async () => (await reader.quotes()).content,
  };

  let isListed = false;
  const list = async () => {
    isListed = true;
    const { handler } = await import('../../functions/marketdata/jobs/registry/handler.ts');
    return handler();
  };

  return {
    ...{ provider, sources, s3, environment, store, list },
    async map() {
      const published = await store.map();
      const named = new Map(
        published?.state.exchanges.flatMap(({ exchange, markets }) =>
          markets.map(
            ({ market, base, quote }) => [`${exchange} ${market}`, `${exchange} ${base}/${quote}`] as const,
          ),
        ),
      );
      const all = [...(published?.coins ?? [])].flatMap(([coin, markets]) =>
        markets.map(({ exchange, market }) => [named.get(`${exchange} ${market}`) ?? market, coin] as const),
      );
      return Object.fromEntries(all);
    },
    truth() {
      const right: Record<string, string> = {};
      for (const name of exchangeNames) {
        const found = new Set<string>();
        const byQuote = sources[name].markets.toSorted((a, b) => (a.quote < b.quote ? -1 : 1));
        for (const { base, quote, coinId, state } of byQuote) {
          if (coinId === null || state !== 'open' || found.has(coinId)) continue;
          found.add(coinId);
          right[`${name} ${base}/${quote}`] = coinId;
        }
      }
      return right;
    },
    async runs(times) {
      let last: unknown;
      if (!isListed) await list();
      for (let time = 0; time < times; time++) {
        vi.setSystemTime(Date.now() + RUN_MS);
        last = await runJobs();
      }
      return last;
    },
    async close() {
      vi.useRealTimers();
      vi.unstubAllEnvs();
      await Promise.all([sources.close(), s3.close()]);
    },
  };
}

/** The jobs of the snapshot, the markets and their prices. */
async function runJobs(): Promise<unknown> {
  const snapshot = await import('../../functions/marketdata/jobs/snapshot/handler.ts');
  await snapshot.handler().catch(() => {}); // the provider may be silent
  const mapped = await runMarkets();
  const quotes = await import('../../functions/marketdata/jobs/quotes/handler.ts');
  await quotes.handler();
  return mapped;
}

/** The job of the markets alone. */
async function runMarkets(): Promise<unknown> {
  const { handler } = await import('../../functions/marketdata/jobs/markets/handler.ts');
  return handler();
}
