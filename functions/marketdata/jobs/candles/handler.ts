import { SnapshotError } from '../../../../shared/marketdata/snapshot/layout.ts';
import { openSnapshot, type Snapshot } from '../../../../shared/marketdata/snapshot/snapshot.ts';
import { snapshotReader } from '../../../../shared/marketdata/snapshot/store.ts';
import { type Environment, environment } from '../../../../shared/platform/environment.ts';
import { scheduled } from '../../../../shared/platform/scheduled.ts';
import { exchangesOf, sourceClientFor } from '../../../../shared/providers/exchanges.ts';
import { historyStore } from '../history-store.ts';
import { sourcesStore } from '../sources-store.ts';
import { type Candles, storeCandles } from './candles.ts';
import { filledNotes } from './filled.ts';
import type { ExchangeClient } from './lane.ts';

const READ_TIMEOUT_MS = 10_000;

/** This container's, which remember when an exchange wants to be left alone. */
let clients: ExchangeClient[] | undefined;

/** Stores what exchanges tell of mapped coins. Throws if the store fails: the next run goes on. */
export const handler = scheduled((): Promise<Candles | { readonly coins: 0 }> => run(environment()));

async function run(settings: Environment): Promise<Candles | { readonly coins: 0 }> {
  const startedAt = Date.now();
  const { HISTORY_BUCKET: history, SOURCES_BUCKET: sources, SNAPSHOT_BUCKET: snapshots } = settings;
  if (!history) throw new Error('Environment variable HISTORY_BUCKET is not set');
  if (!sources) throw new Error('Environment variable SOURCES_BUCKET is not set');
  clients ??= exchangesOf(settings).map((exchange) => sourceClientFor(settings, exchange));
  const map = await sourcesStore(sources).map();
  if (!map || clients.length === 0) return { coins: 0 };
  const snapshot = snapshots ? await publishedSnapshot(snapshots) : undefined;
  const store = historyStore(history);
  return storeCandles({ store, notes: filledNotes(sources), map, clients, snapshot, startedAt });
}

/** Undefined also if it cannot be read: then prices are compared with days alone. */
async function publishedSnapshot(bucket: string): Promise<Snapshot | undefined> {
  const object = await snapshotReader(bucket).published(AbortSignal.timeout(READ_TIMEOUT_MS));
  try {
    return object && openSnapshot(object.bytes);
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    return undefined;
  }
}
