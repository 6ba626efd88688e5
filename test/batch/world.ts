import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, inject, vi } from 'vitest';
import type { S3Server } from '../../local/s3.ts';
import { buildRegistry, writeRegistry } from '../../registry-layer/build.ts';
import { encodeSnapshot, type SnapshotContent } from '../../shared/marketdata/store/snapshot-writer.ts';
import { encodeTail, tailChanges } from '../../shared/marketdata/store/tail.ts';
import { readTicker, type Ticker } from '../../shared/marketdata/ticker.ts';
import type { RegistryEntry } from '../../shared/registry/entries.ts';
import { startLoopback } from '../pipeline/loopback.ts';
import { startStubbedS3 } from '../s3.ts';

export const NOW = Date.UTC(2026, 8, 18, 4, 12);
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
const BUCKET = 'bucket';
export const SNAPSHOT = `/${BUCKET}/snapshot/tickers.v4`;
export const TAIL = `/${BUCKET}/snapshot/tail.v2`;
/** When the rows of a snapshot that is published at `NOW` were made. */
export const MADE_AT = NOW - MINUTE_MS;

export interface Figures {
  readonly rank?: number;
  readonly price?: number | null;
  readonly volume?: number | null;
  readonly cap?: number | null;
  readonly change?: number | null;
  readonly agreeing?: number;
}

export function rowOf(id: string, figures: Figures = {}, madeAt = MADE_AT): Ticker {
  const { rank = 0, price = 1, volume = null, cap = null, change = null, agreeing } = figures;
  const usd = { price, volume_24h: volume, market_cap: cap, percent_change_24h: change };
  const last_updated = new Date(madeAt).toISOString();
  const ticker = readTicker({
    id,
    name: `Name of ${id}`,
    symbol: 'X',
    rank,
    last_updated,
    quotes: { USD: usd },
  });
  return agreeing === undefined
    ? ticker
    : { ...ticker, sources: { agreeing, of: Math.max(agreeing, 2), spreadPercent: 1, prices: [] } };
}

export function coinOf(id: string, own: Partial<RegistryEntry> = {}): RegistryEntry {
  return {
    id,
    name: `Name of ${id}`,
    symbol: id,
    rank: 1,
    is_new: false,
    is_active: true,
    type: 'coin',
    ...own,
  };
}

export interface BatchWorld {
  readonly s3: S3Server;
  /** Requested paths of the provider. */
  readonly asked: readonly string[];
  /** A cold start finds these coins, or no registry. */
  putRegistry(coins: readonly RegistryEntry[] | undefined): Promise<void>;
  putSnapshot(tickers: readonly Ticker[], content?: Partial<SnapshotContent>): void;
  putTail(prices: Readonly<Record<string, number>>, takenAt?: number): void;
}

/** Starts S3, and a provider that must not be called, anew for each test of a file. */
export function useBatchWorld(): () => BatchWorld {
  let world: BatchWorld | undefined;
  let stop = async () => {};
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOW });
    const s3 = await startStubbedS3();
    const provider = await startLoopback((_request, response) => void response.writeHead(500).end());
    stop = async () => {
      await provider.close();
      await s3.close();
    };
    vi.stubEnv('NODE_ENV', 'test');
    vi.stubEnv('COINPAPRIKA_BASE_URL', provider.url);
    vi.stubEnv('SNAPSHOT_BUCKET', BUCKET);
    vi.resetModules(); // a cold start
    world = {
      s3,
      asked: provider.requests,
      async putRegistry(coins) {
        const folder = mkdtempSync(join(inject('runFolder'), 'batch-registry-'));
        if (coins) await writeRegistry(folder, buildRegistry(coins, { source: 'simulated' }));
        vi.stubEnv('REGISTRY_PATH', folder);
      },
      putSnapshot(tickers, content = {}) {
        const bytes = encodeSnapshot({
          tickers,
          takenAt: NOW,
          intervalSeconds: 600,
          source: 'coinpaprika',
          ...content,
        });
        s3.objects.set(SNAPSHOT, Buffer.from(bytes));
      },
      putTail(prices, takenAt = NOW - MINUTE_MS) {
        const none = Object.fromEntries(Object.keys(tailChanges).map((name) => [name, null]));
        const changes = none as Record<keyof typeof tailChanges, number | null>; // its own keys
        const rows = Object.entries(prices).map(([id, price]) => ({
          id,
          price,
          at: takenAt - MINUTE_MS,
          takenAt,
          changes,
        }));
        const bytes = encodeTail({ takenAt, intervalSeconds: 600, source: 'defillama', rows });
        s3.objects.set(TAIL, Buffer.from(bytes));
      },
    };
  });
  afterEach(async () => {
    vi.useRealTimers();
    vi.unstubAllEnvs();
    await stop();
  });
  return () => {
    if (!world) throw new Error('There is a world in tests alone');
    return world;
  };
}
