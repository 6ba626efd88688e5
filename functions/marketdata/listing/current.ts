import { ApiError } from '../../../shared/http/errors.ts';
import { lifetimes } from '../../../shared/marketdata/freshness.ts';
import { currentSnapshot } from '../../../shared/marketdata/store/current-snapshot.ts';
import { answersUntil, type Snapshot } from '../../../shared/marketdata/store/snapshot.ts';
import type { Environment } from '../../../shared/platform/environment.ts';

/** How often a container without a snapshot looks for one. */
const LOOKS_AFTER_SECONDS = 10;

/** This container's snapshot, for what nothing else can answer. Throws 503 without one that may still be told. */
export async function listedSnapshot(environment: Environment): Promise<Snapshot> {
  const snapshot = await currentSnapshot(environment);
  if (snapshot && Date.now() < answersUntil(snapshot) + lifetimes.ticker.staleForMs) return snapshot;
  const next = 'try again soon, or ask for single coins at /api/marketdata/ticker/{id}';
  throw new ApiError(503, `No list of tickers is at hand; ${next}`, {
    headers: { 'retry-after': String(LOOKS_AFTER_SECONDS) },
  });
}

export const noListFailure = {
  503: 'No list of tickers is at hand; `Retry-After` says when to come back',
} as const;
