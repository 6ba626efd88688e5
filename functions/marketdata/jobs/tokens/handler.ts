import { ApiError } from '../../../../shared/http/errors.ts';
import type { ProviderClient } from '../../../../shared/marketdata/provider-client.ts';
import type { Snapshot } from '../../../../shared/marketdata/snapshot/snapshot.ts';
import { type Environment, environment } from '../../../../shared/platform/environment.ts';
import { count } from '../../../../shared/platform/metrics.ts';
import { scheduled } from '../../../../shared/platform/scheduled.ts';
import { backfillClientFor } from '../../../../shared/providers/index.ts';
import { type TokenOffers, tokenClientsFor } from '../../../../shared/providers/sources.ts';
import { openIndex } from '../../../../shared/registry/index-file.ts';
import { RegistryLookups } from '../../../../shared/registry/lookups.ts';
import { bucketIn } from '../bucket-in.ts';
import { contractStore, tokensByCoin } from '../contract-list.ts';
import { historyStore } from '../history-store.ts';
import { publishedSnapshot } from '../opened.ts';
import type { CoinTokens } from './ask-prices.ts';
import { job } from './job.ts';
import { References } from './references.ts';
import { type PublishedTail, publishTail } from './run.ts';
import { tailStore } from './tail-store.ts';

/** Of the function's 120 s: for prices, and for all but the last notes. */
const PRICES_MS = 90_000;
const TIME_MS = 108_000;
const PROVIDER_MS = 5_000;

/** This container's, which remember when they want to be asked again. */
let client: ProviderClient<TokenOffers> | undefined;
let provider: ProviderClient<'ticker'> | undefined;

/**
 * Publishes the tail; does nothing if nobody is asked for tokens, or nothing is known of contracts yet. Throws if it
 * fails, and until the next run the tail that is there answers.
 */
export const handler = scheduled(() => price(environment()));

async function price(settings: Environment): Promise<PublishedTail | undefined> {
  const startedAt = Date.now();
  const snapshots = bucketIn(settings, 'SNAPSHOT_BUCKET');
  const [history, sources] = [bucketIn(settings, 'HISTORY_BUCKET'), bucketIn(settings, 'SOURCES_BUCKET')];
  client ??= tokenClientsFor(settings)[0];
  const contracts = await contractStore(sources).read();
  if (!client || !contracts.content) return undefined;
  const registry = new RegistryLookups(openIndex(settings.REGISTRY_PATH));
  const [snapshot, references] = await Promise.all([publishedSnapshot(snapshots), References.read(sources)]);
  const published = await publishTail({
    client,
    tail: tailStore(snapshots),
    history: historyStore(history),
    references,
    askProvider: (id) => providersPrice(settings, id),
    coins: coinsOfTail(registry, snapshot, tokensByCoin(contracts.content)),
    intervalSeconds: Number(job.everyMinutes) * 60,
    pricesUntil: startedAt + PRICES_MS,
    deadline: startedAt + TIME_MS,
  });
  if (published.held > 0) count('TokensHeld', published.held);
  return published;
}

/** From what is left for the backfill of the history: callers come first. */
async function providersPrice(settings: Environment, id: string): Promise<number | null | undefined> {
  provider ??= backfillClientFor(settings, 'ticker');
  try {
    const { data } = await provider.fetch(provider.provider.ticker(id), Date.now() + PROVIDER_MS);
    return data.quotes.USD.price;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.statusCode === 404 ? null : undefined;
  }
}

/** The active coins that the snapshot does not list, all if there is none, and that have contracts, by rank. */
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
