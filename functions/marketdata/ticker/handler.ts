import { endpoint } from '../../../shared/http/endpoint.ts';
import { currentTicker } from '../../../shared/marketdata/answer.ts';
import { setSourceHeaders } from '../../../shared/marketdata/provenance.ts';
import { currentSnapshot } from '../../../shared/marketdata/store/current-snapshot.ts';
import type { Ticker } from '../../../shared/marketdata/ticker.ts';
import { atInit } from '../../../shared/platform/at-init.ts';
import { withTimeout } from '../../../shared/platform/with-timeout.ts';
import { clientFor, spareClientFor } from '../../../shared/providers/index.ts';
import { entryOf, isActiveCoin } from '../../../shared/registry/container.ts';
import { route } from './route.ts';

/** Most tickers are in the snapshot: a table that is slow must not keep them waiting. */
const TABLE_MS = 100;

export const handler = endpoint(route, async ({ id }, { environment, headers, deadline, payer }) => {
  const isActive = await isActiveCoin(id, environment);
  // The provider has nothing of most coins that are no longer traded.
  const clientOf = isActive === false ? spareClientFor : clientFor;
  const freshMs = Number(environment.TICKER_FRESH_SECONDS) * 1000;
  const answer = await currentTicker(clientOf(environment, 'ticker'), id, {
    deadline,
    client: payer,
    isActive,
    labels: () => entryOf(id),
    staleWaitMs: Number(environment.STALE_WAIT_MS),
    freshMs,
    snapshot: await currentSnapshot(environment),
    // Most requests are for coins of the snapshot, and load none of this.
    elsewhere: isActive
      ? async () =>
          (await import('../../../shared/marketdata/store/tail.ts')).tailTicker(environment, entryOf(id))
      : undefined,
  });
  // A coin may be traded again, and nobody could tell a cache.
  const cachedUntil = isActive === false ? Date.now() + freshMs : Number.POSITIVE_INFINITY;
  const freshUntil = Math.min(answer.freshUntil, cachedUntil);
  setSourceHeaders(headers, { ...answer, freshUntil }, answer.quality ?? 'exact');
  const { data } = answer;
  if (data.last_updated === null) delete headers['x-data-time']; // nobody knows it
  // Answers that the version before shares have none. Others go on as they are: their text is kept with the object.
  return 'sources' in data ? data : { ...(data as Ticker), sources: null };
});

await atInit(currentSnapshot, (environment) =>
  withTimeout(TABLE_MS, clientFor(environment, 'ticker').prepare()),
);
