import { publicFor } from '../../../shared/http/cache-control.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { listed, setOriginHeaders, weakest } from '../../../shared/marketdata/provenance.ts';
import { firstByRank, listedSnapshot } from '../../../shared/marketdata/serve/list.ts';
import {
  DEFAULT_COINS,
  gridOf,
  STEP_SECONDS,
  sparklinesOf,
} from '../../../shared/marketdata/serve/sparklines.ts';
import { currentSnapshot } from '../../../shared/marketdata/store/current-snapshot.ts';
import { atInit } from '../../../shared/platform/waiting.ts';
import { refreshRegistry } from '../../../shared/registry/container.ts';
import { route } from './route.ts';

export const handler = endpoint(route, async ({ ids, limit }, { environment, headers }) => {
  if (ids !== undefined && limit !== undefined)
    throw new ApiError(400, 'Invalid parameter limit: given together with ids; allowed: one of the two');
  await refreshRegistry(environment);
  const snapshot = await listedSnapshot(environment);
  const { takenAt, intervalMs, nextAt = Number.POSITIVE_INFINITY } = snapshot;
  const coins = await sparklinesOf(
    environment,
    ids ?? firstByRank(snapshot, limit ?? DEFAULT_COINS),
    snapshot,
  );
  const lines = coins.filter((coin) => 'prices' in coin);
  if (lines.length === 0) headers['cache-control'] = publicFor(0);
  else
    setOriginHeaders(headers, {
      source: listed(...lines.map(({ source }) => source)),
      quality: weakest(lines.map(({ quality }) => quality)),
      madeAt: Math.max(...lines.map(({ madeAt }) => madeAt)),
      freshUntil: Math.min(takenAt + intervalMs, nextAt),
    });
  return {
    stepSeconds: STEP_SECONDS,
    from: isoTime(gridOf(snapshot)[0] ?? takenAt),
    to: isoTime(takenAt),
    coins: coins.map((coin) => {
      if ('error' in coin) return coin;
      const { id, prices, quality, source } = coin;
      return { id, prices, quality, source };
    }),
  };
});

function isoTime(time: number): string {
  return new Date(time).toISOString();
}

// The first screen requests these: with a whole core at init they are read three times as fast as on a request's share.
await atInit(async (environment) => {
  const snapshot = await currentSnapshot(environment);
  if (snapshot) await sparklinesOf(environment, firstByRank(snapshot, DEFAULT_COINS), snapshot);
});
