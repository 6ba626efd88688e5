import { publicFor } from '../../../shared/http/cache-control.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { listed } from '../../../shared/marketdata/candles.ts';
import { setSourceHeaders } from '../../../shared/marketdata/provenance.ts';
import { published } from '../../../shared/marketdata/serve/current.ts';
import { currentSnapshot } from '../../../shared/marketdata/store/current-snapshot.ts';
import type { Snapshot } from '../../../shared/marketdata/store/snapshot.ts';
import { atInit } from '../../../shared/platform/at-init.ts';
import { refreshRegistry } from '../../../shared/registry/container.ts';
import { listedSnapshot } from '../listing/current.ts';
import { listingOf } from '../listing/listing.ts';
import { gridBefore } from './grid.ts';
import { DEFAULT_COINS, STEP_SECONDS } from './limits.ts';
import { weakestOf } from './quality.ts';
import { route } from './route.ts';
import { type Miss, type Sparkline, sparklinesOf } from './sparkline.ts';

export const handler = endpoint(route, async ({ ids, limit }, { environment, headers }) => {
  if (ids !== undefined && limit !== undefined)
    throw new ApiError(400, 'Invalid parameter limit: given beside ids; allowed: one of the two');
  await refreshRegistry(environment);
  const snapshot = await listedSnapshot(environment);
  const coins = await sparklinesOf(environment, ids ?? firstByRank(snapshot, limit), snapshot);
  setHeaders(headers, coins, snapshot);
  const { takenAt } = snapshot;
  return {
    stepSeconds: STEP_SECONDS,
    from: isoTime(gridBefore(takenAt)[0] ?? takenAt),
    to: isoTime(takenAt),
    coins: coins.map(told),
  };
});

function firstByRank(snapshot: Snapshot, limit = DEFAULT_COINS): string[] {
  const now = Date.now();
  const ids: string[] = [];
  for (const { id } of listingOf(snapshot).by('rank')) {
    if (ids.length === limit) break;
    if (published(snapshot, id, now)) ids.push(id);
  }
  return ids;
}

function setHeaders(
  headers: Record<string, string>,
  coins: readonly (Sparkline | Miss)[],
  { takenAt, intervalMs }: Snapshot,
): void {
  const lines = coins.filter((coin) => 'prices' in coin);
  if (lines.length === 0) {
    headers['cache-control'] = publicFor(0);
    return;
  }
  const quality = weakestOf(lines.map((line) => line.quality));
  const stale = quality === 'stale';
  const told = {
    source: listed(...lines.map(({ source }) => source)),
    madeAt: Math.max(...lines.map(({ madeAt }) => madeAt)),
    freshUntil: takenAt + intervalMs,
    stale,
  };
  setSourceHeaders(headers, told, stale ? 'exact' : quality);
}

function told(coin: Sparkline | Miss) {
  if ('error' in coin) return coin;
  const { id, prices, quality, source } = coin;
  return { id, prices: [...prices], quality, source };
}

function isoTime(time: number): string {
  return new Date(time).toISOString();
}

// The first screen asks for these: on a whole core they are read three times as fast as on a request's share.
await atInit(async (environment) => {
  const snapshot = await currentSnapshot(environment);
  if (snapshot) await sparklinesOf(environment, firstByRank(snapshot), snapshot);
});
