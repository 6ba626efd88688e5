import { endpoint } from '../../../shared/http/endpoint.ts';
import { isStale } from '../../../shared/marketdata/freshness.ts';
import { setOriginHeaders } from '../../../shared/marketdata/provenance.ts';
import { listedSnapshot } from '../../../shared/marketdata/serve/list.ts';
import { overviewOf } from '../../../shared/marketdata/serve/overview.ts';
import { currentSnapshot } from '../../../shared/marketdata/store/current-snapshot.ts';
import { answersUntil } from '../../../shared/marketdata/store/snapshot.ts';
import { atInit } from '../../../shared/platform/waiting.ts';
import { openedRegistry, refreshRegistry } from '../../../shared/registry/container.ts';
import { route } from './route.ts';

export const handler = endpoint(route, async (_input, { environment, headers }) => {
  await refreshRegistry(environment);
  const activeCoins = openedRegistry()?.activeCount ?? null;
  const snapshot = await listedSnapshot(environment);
  const now = Date.now();
  const { origin, figures } = overviewOf(snapshot);
  const quality = isStale(
    { freshUntil: answersUntil(snapshot), storedAt: snapshot.takenAt, madeAt: snapshot.takenAt },
    now,
  )
    ? 'stale'
    : origin.quality;
  setOriginHeaders(headers, { ...origin, quality }, now);
  return { ...figures, activeCoins };
});

// Sorting at init is three times as fast as on a request's share of a processor.
await atInit(async (environment) => {
  const snapshot = await currentSnapshot(environment);
  if (snapshot) overviewOf(snapshot);
});
