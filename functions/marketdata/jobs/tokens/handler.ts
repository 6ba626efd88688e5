import { ApiError } from '../../../../shared/http/errors.ts';
import { lifetimes } from '../../../../shared/marketdata/freshness.ts';
import type { ProviderClient } from '../../../../shared/marketdata/provider.ts';
import { SOURCES_PREFIX } from '../../../../shared/marketdata/sources/source-map.ts';
import type { CoinTokens } from '../../../../shared/marketdata/sources/token.ts';
import { readContracts, tokensByCoin } from '../../../../shared/marketdata/store/contracts.ts';
import { SNAPSHOT_PREFIX } from '../../../../shared/marketdata/store/current-snapshot.ts';
import type { Snapshot } from '../../../../shared/marketdata/store/snapshot.ts';
import { type Environment, environment } from '../../../../shared/platform/environment.ts';
import { count } from '../../../../shared/platform/metrics.ts';
import { objectsOf } from '../../../../shared/platform/objects.ts';
import { countPublished, scheduled } from '../../../../shared/platform/scheduled.ts';
import { clientFor } from '../../../../shared/providers/index.ts';
import { type TokenOffers, tokenClientsFor } from '../../../../shared/providers/sources.ts';
import { openedRegistry, refreshRegistry } from '../../../../shared/registry/container.ts';
import type { RegistryLookups } from '../../../../shared/registry/lookups.ts';
import { bucketIn } from '../bucket-in.ts';
import { historyStore } from '../history-store.ts';
import { fetchedPrice, publishedSnapshot } from '../opened.ts';
import { type PublishedTail, publishTail } from './publish-tail.ts';
import { type FetchReference, References } from './references.ts';

/** The time for prices, of the function's 120 s. */
const PRICES_MS = 90_000;

/** The container's clients, which remember each source's `Retry-After`. */
let client: ProviderClient<TokenOffers> | undefined;
let provider: ProviderClient<'ticker'> | undefined;

/**
 * Publishes the tail; does nothing without a source of token prices, or before contracts are stored. Throws if it fails; until
 * the next run the existing tail is used.
 */
export const handler = scheduled(() =>
  countPublished(
    'TailPublished',
    () => price(environment()),
    // Without a source of token prices there is no tail to update.
    (published) => !client || published !== undefined,
  ),
);

async function price(settings: Environment): Promise<PublishedTail | undefined> {
  const startedAt = Date.now();
  const snapshots = bucketIn(settings, 'SNAPSHOT_BUCKET');
  const history = bucketIn(settings, 'HISTORY_BUCKET');
  const sources = objectsOf(bucketIn(settings, 'SOURCES_BUCKET'), SOURCES_PREFIX);
  client ??= tokenClientsFor(settings)[0];
  const contracts = await readContracts(sources);
  if (!client || !contracts.content) return undefined;
  await refreshRegistry(settings);
  const registry = openedRegistry();
  if (!registry) throw new Error('There is no coin registry');
  const [snapshot, references] = await Promise.all([publishedSnapshot(snapshots), References.read(sources)]);
  const published = await publishTail({
    client,
    bucket: objectsOf(snapshots, SNAPSHOT_PREFIX),
    history: historyStore(history),
    references,
    fetchReference: (id) => providersPrice(settings, id),
    coins: coinsOfTail(registry, snapshot, tokensByCoin(contracts.content)),
    intervalSeconds: Number(settings.TOKENS_MINUTES) * 60,
    deadline: startedAt + PRICES_MS,
  });
  if (published.held > 0) count('TokensHeld', published.held);
  return published;
}

/** Uses what is left of the day’s budget: callers come first. */
async function providersPrice(settings: Environment, id: string): ReturnType<FetchReference> {
  provider ??= clientFor(settings, 'leftover');
  try {
    return await fetchedPrice(provider, id, lifetimes.comparedForMs);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** The active coins with contracts that the snapshot does not list, by rank; all active ones without a snapshot. */
function coinsOfTail(
  registry: RegistryLookups,
  snapshot: Snapshot | undefined,
  tokens: ReadonlyMap<string, readonly string[]>,
): CoinTokens[] {
  const active = Array.from({ length: registry.activeCount }, (_, row) => registry.id(row));
  return active.flatMap((id) => {
    const ofCoin = tokens.get(id);
    return ofCoin && snapshot?.ticker(id) === undefined ? [{ id, tokens: ofCoin }] : [];
  });
}
