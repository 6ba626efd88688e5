/** The ids of our coins at the source of ids, matched once a day. */
import { fetchTheirCoins, ourCoins } from '../../../../registry-layer/coin-lists.ts';
import { match } from '../../../../registry-layer/match.ts';
import type { ProviderClient } from '../../../../shared/marketdata/provider.ts';
import { SOURCES_PREFIX } from '../../../../shared/marketdata/sources/source-map.ts';
import { readContracts, tokensByCoin } from '../../../../shared/marketdata/store/contracts.ts';
import type { Environment } from '../../../../shared/platform/environment.ts';
import { isSuddenDrop } from '../../../../shared/platform/is-sudden-drop.ts';
import { messageOf } from '../../../../shared/platform/message-of.ts';
import { count } from '../../../../shared/platform/metrics.ts';
import { objectsOf } from '../../../../shared/platform/objects.ts';
import { type IdOffers, idClientFor } from '../../../../shared/providers/sources.ts';
import type { RegistryEntry } from '../../../../shared/registry/entries.ts';
import { bucketIn } from '../bucket-in.ts';
import { publishedSnapshot } from '../opened.ts';
import type { RegistryStore } from './publish.ts';

type Pairs = ReadonlyMap<string, string>;

export interface IdPairs {
  /** Undefined if there are none, or if ID_SOURCES is empty. */
  readonly pairs: Pairs | undefined;
  /** Why the last run's pairs are kept; absent if they are new. */
  readonly kept?: string;
}

/** The container's client, which remembers the source's `Retry-After`. */
let client: ProviderClient<IdOffers> | undefined;

/**
 * Matches the source's list with our active coins, whose prices and contracts are stored. If that fails, or if a fifth of the pairs
 * would be lost, the pairs of the published registry stay. Counts pairs that prices contradict (`CoinIdsWithdrawn`).
 */
export async function findIds(
  entries: readonly RegistryEntry[],
  settings: Environment,
  store: RegistryStore,
): Promise<IdPairs> {
  client ??= idClientFor(settings);
  if (!client) return { pairs: undefined };
  const previous = await store.publishedIds();
  try {
    const { pairs: matched, withdrawn } = match(
      await storedCoins(entries, settings),
      await fetchTheirCoins(client),
      previous,
    );
    const pairs = withInactive(matched, previous, entries);
    if (previous && isSuddenDrop(pairs.size, previous.size))
      throw new Error(`${pairs.size} pairs after ${previous.size}`);
    if (withdrawn > 0) count('CoinIdsWithdrawn', withdrawn);
    return { pairs };
  } catch (error) {
    count('CoinIdsKept');
    return { pairs: previous, kept: messageOf(error) };
  }
}

/** Coins that are no longer traded are in few lists, so they keep the pairs that they had: their past is still asked for. */
function withInactive(pairs: Pairs, previous: Pairs | undefined, entries: readonly RegistryEntry[]): Pairs {
  const taken = new Set(pairs.values());
  const inactive = entries.flatMap(({ id, is_active }): [string, string][] => {
    const theirs = is_active ? undefined : previous?.get(id);
    return theirs === undefined || taken.has(theirs) ? [] : [[id, theirs]];
  });
  return new Map([...pairs, ...inactive]);
}

async function storedCoins(entries: readonly RegistryEntry[], settings: Environment) {
  const sources = objectsOf(bucketIn(settings, 'SOURCES_BUCKET'), SOURCES_PREFIX);
  const [snapshot, contracts] = await Promise.all([
    publishedSnapshot(bucketIn(settings, 'SNAPSHOT_BUCKET')),
    readContracts(sources),
  ]);
  return ourCoins(
    entries,
    (id) => snapshot?.ticker(id)?.data.quotes.USD,
    contracts.content && tokensByCoin(contracts.content),
  );
}
