/** All that the job speaks to, for its tests: a registry of few coins, the simulated provider, and S3. */

import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { inject, vi } from 'vitest';
import { type SimulatedOptions, startSimulated } from '../../local/simulated/index.ts';
import type { SimulatedCoin } from '../../local/simulated/market.ts';
import { buildRegistry, writeRegistry } from '../../registry-layer/build.ts';
import { objectNames } from '../../shared/marketdata/store/names.ts';
import { type FetchNotes, readPastNote } from '../../shared/marketdata/store/past-note.ts';
import { encodeSamples } from '../../shared/marketdata/store/samples.ts';
import type { RegistryEntry } from '../../shared/registry/entries.ts';
import { storedIn } from '../history/read.ts';
import { putSnapshot } from '../history/stored.ts';
import { startStubbedS3 } from '../s3.ts';
import { tickerOf } from '../snapshot/tickers.ts';
import { withoutPace } from '../unhurried.ts';

/** Half of the day's requests are given out by then. */
export const NOON = Date.parse('2026-11-21T12:00:00Z');
export const TODAY = Date.parse('2026-11-21T00:00:00Z');
const FOLDER = '/bucket/history/';

/** Active coins, ranked as they are named. */
export function coinsOf(count: number): SimulatedCoin[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `coin-${index + 1}`,
    name: `Coin ${index + 1}`,
    symbol: `C${index + 1}`,
    rank: index + 1,
    type: 'coin',
    priceUsd: 1 + index,
    firstYear: 2015,
  }));
}

export type World = Awaited<ReturnType<typeof startWorld>>;

/** Starts it, with the environment that the job finds it by; the registry has the provider's coins and `unknown` ones. */
export async function startWorld({
  coins = coinsOf(4),
  unknown = [],
  ...options
}: SimulatedOptions & { readonly unknown?: readonly string[] } = {}) {
  withoutPace();
  const provider = (await startSimulated({ coins, ...options })).provider;
  const s3 = await startStubbedS3();
  const registry = mkdtempSync(join(inject('runFolder'), 'past-registry-'));
  const listed = [
    ...coins,
    ...unknown.map((id, index) => ({ ...coinsOf(1)[0], id, rank: coins.length + index + 1 })),
  ].map((coin) => ({ is_new: false, is_active: true, ...coin }) as RegistryEntry); // with more than it needs
  await writeRegistry(registry, buildRegistry(listed, { source: 'simulated' }));
  const environment = {
    HISTORY_BUCKET: 'bucket',
    SNAPSHOT_BUCKET: 'bucket',
    SOURCES_BUCKET: 'bucket',
    REGISTRY_PATH: registry,
    COINPAPRIKA_BASE_URL: provider.url,
    COINPAPRIKA_API_KEY: undefined,
    COINPAPRIKA_PLAN: options.plan === 'paid' ? 'ultimate' : undefined,
    SHARED_TABLE: undefined,
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);

  const stored = storedIn('bucket');
  return {
    provider,
    s3,
    environment,
    /** Ids in the order of the requests for their days, each once. */
    asked: (): string[] => [
      ...new Set(
        Object.keys(provider.calls.byPath).flatMap(
          (path) => /\/(?:coins|tickers)\/([^/?]+)/.exec(path)?.[1] ?? [],
        ),
      ),
    ],
    daily: (id: string) => stored.daily(id),
    hourly: (id: string, time: number) => stored.hourly(id, time),
    /** The provider's requests. */
    note(): FetchNotes {
      const note = s3.objects.get(`${FOLDER}past.v2`);
      return note ? readPastNote(JSON.parse(String(note))).provider : new Map();
    },
    put,
    sampleCoins(...ids: string[]) {
      // Near the provider’s price.
      const priceOf = (id: string) => Number(id.split('-').at(-1));
      const samples = ids.map((id) => ({ id, price: priceOf(id), volume: 1, market_cap: 1 }));
      const taken = { takenAt: Date.now(), intervalSeconds: 600, source: 'simulated' };
      put(objectNames.samples(Date.now(), 600_000), encodeSamples(samples, taken));
      putSnapshot(s3, { tickers: ids.map((id) => tickerOf(id, priceOf(id), Date.now())) });
    },
    async close() {
      vi.unstubAllEnvs();
      await Promise.all([provider.close(), s3.close()]);
    },
  };

  function put(name: string, content: Uint8Array | string): void {
    s3.objects.set(FOLDER + name, Buffer.from(content));
  }
}

/** Runs the job as in a new container; returns what came of the provider. */
export async function runJob() {
  vi.resetModules();
  const { handler } = await import('../../functions/marketdata/jobs/past/handler.ts');
  const { left, provider } = await handler();
  return { left, ...provider };
}
