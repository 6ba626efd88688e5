import { snapshotReader } from '../../../../shared/marketdata/snapshot/store.ts';
import { environment } from '../../../../shared/platform/environment.ts';
import { scheduled } from '../../../../shared/platform/scheduled.ts';
import { exchangesOf, sourceClientFor } from '../../../../shared/providers/sources.ts';
import { bucketIn } from '../bucket-in.ts';
import { registryIn } from '../opened.ts';
import { sourcesStore } from '../sources-store.ts';
import type { ExchangeClient } from './ask.ts';
import { type Found, findMarkets } from './run.ts';

/** Of the function's 120 s, so that what was told is published. */
const TIME_MS = 90_000;
const READ_TIMEOUT_MS = 10_000;

/** This container's, which remember when an exchange wants to be asked again. */
let clients: readonly ExchangeClient[] | undefined;

/** Publishes which market is which coin, and what the markets say. Throws if the store fails: the next run goes on. */
export const handler = scheduled(async (): Promise<Found | string> => {
  const startedAt = Date.now();
  const settings = environment();
  if (settings.CANDLE_SOURCES === '') return 'CANDLE_SOURCES is empty: no exchange is asked';
  const snapshots = snapshotReader(bucketIn(settings, 'SNAPSHOT_BUCKET'));
  const store = sourcesStore(bucketIn(settings, 'SOURCES_BUCKET'));
  clients ??= exchangesOf(settings).map((exchange) =>
    sourceClientFor<'markets' | 'quotes'>(settings, exchange),
  );
  // Without it all coins count as active: the provider lists few that are not.
  const registry = registryIn(settings.REGISTRY_PATH);
  return findMarkets({
    store,
    exchanges: clients,
    snapshot: () => snapshots.published(AbortSignal.timeout(READ_TIMEOUT_MS)),
    isActive: (id) => registry?.isActive(id) ?? true,
    deadline: startedAt + TIME_MS,
  });
});
