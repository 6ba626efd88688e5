import { exchangeNames, type SimulatedSources } from '../exchanges/index.ts';
import type { StoredObjects } from '../object-folder.ts';
import type { World } from '../provider/index.ts';
import { SeededHistory } from './history.ts';
import { listingsOf } from './listings.ts';
import { seedSources } from './sources.ts';

export interface SeededExchanges {
  readonly sources: SimulatedSources;
  /** Names of those that are asked for candles, the preferred one first; others count for nothing. */
  readonly exchanges: readonly string[];
}

/** A store with the past of a simulated market, as a service has it that has run for a year. */
export function seedStore(
  objects: StoredObjects,
  bucket: string,
  world: World,
  exchanges?: SeededExchanges,
): SeededHistory {
  if (!exchanges) return new SeededHistory(objects, bucket, world);
  const names = exchanges.exchanges.flatMap((name) => exchangeNames.find((known) => known === name) ?? []);
  const listings = listingsOf(exchanges.sources, names, world);
  if (listings.all.length > 0) seedSources(objects, bucket, listings, world.now());
  return new SeededHistory(objects, bucket, world, listings);
}
