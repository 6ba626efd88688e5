import { lifetimes } from '../../../../shared/marketdata/freshness.ts';
import { sourcesReader } from '../../../../shared/marketdata/sources/source-map.ts';
import { currentContracts, tokensByCoin } from '../../../../shared/marketdata/store/contracts.ts';
import { isPastKnown } from '../../../../shared/marketdata/store/past-note.ts';
import { type Environment, environment } from '../../../../shared/platform/environment.ts';
import { recordValue } from '../../../../shared/platform/metrics.ts';
import { scheduled } from '../../../../shared/platform/scheduled.ts';
import { clientFor } from '../../../../shared/providers/index.ts';
import { exchangesOf, sourceClientFor, tokenClientsFor } from '../../../../shared/providers/sources.ts';
import { openedRegistry, refreshRegistry } from '../../../../shared/registry/container.ts';
import { bucketIn } from '../bucket-in.ts';
import { historyStore } from '../history-store.ts';
import { fetchedPrice, priceIn, publishedSnapshot, publishedTail } from '../opened.ts';
import { type FromExchanges, storeFromExchanges } from './exchanges.ts';
import { latestFrom } from './latest.ts';
import { Progress } from './progress.ts';
import { type FromProvider, storeFromProvider } from './provider.ts';
import { type FromTokens, storeFromTokens } from './tokens.ts';

/** The time for requests, of the function's 300 s, so that there is time for the last note. */
const TIME_MS = 265_000;

export interface Past {
  /** Coins whose history no source has delivered. */
  readonly left: number;
  readonly exchanges: FromExchanges;
  readonly tokens: FromTokens;
  readonly provider: FromProvider;
}

/** The container's clients, which remember refusals by the budget and the plan, and each source's `Retry-After`. */
let clients: ReturnType<typeof clientsFor> | undefined;

/**
 * Stores coins' history from all sources in parallel, as far as each source's pace, budget and time allow. Safe to abort at any
 * moment and to run twice at once. Throws if the store fails: the next run continues.
 */
export const handler = scheduled(() => storePast(environment()));

async function storePast(settings: Environment): Promise<Past> {
  const startedAt = Date.now();
  const deadline = startedAt + TIME_MS;
  const snapshots = bucketIn(settings, 'SNAPSHOT_BUCKET');
  const store = historyStore(bucketIn(settings, 'HISTORY_BUCKET'));
  const sources = sourcesReader(bucketIn(settings, 'SOURCES_BUCKET'));
  clients ??= clientsFor(settings);
  const { provider } = clients;
  // Without a registry only listed coins are known.
  await refreshRegistry(settings);
  const registry = openedRegistry();
  const [progress, snapshot, tail, { content: map }, contracts] = await Promise.all([
    Progress.read(store),
    publishedSnapshot(snapshots),
    publishedTail(snapshots),
    sources.map(),
    currentContracts(settings),
  ]);
  const inTail = new Set(Array.from(tail?.rows() ?? [], ({ id }) => id));
  const priceOf = (id: string) => priceIn({ snapshot, tail }, id, lifetimes.comparedForMs);
  const listed = new Set(snapshot?.ids());
  const names = new Set(clients.exchanges.map((client) => client.provider.name));
  const isTraded = (id: string) => map?.coins.get(id)?.some(({ exchange }) => names.has(exchange)) ?? false;
  // The active coins by rank, and those that are newer than the registry.
  const active = Array.from({ length: registry?.activeCount ?? 0 }, (_, row) => registry?.id(row) ?? '');
  const coins = [...new Set([...active, ...listed])];
  const tokens = tokensByCoin(contracts);

  const shared = { store, progress, deadline };
  const running = [
    storeFromExchanges({ ...shared, clients: clients.exchanges, map, snapshot, tail, startedAt }),
    storeFromTokens({
      ...shared,
      client: clients.tokens,
      coins: coins.flatMap((id) => {
        const price = inTail.has(id) ? priceOf(id) : undefined;
        const ofCoin = tokens.get(id);
        return price !== undefined && ofCoin ? [{ id, price, tokens: ofCoin }] : [];
      }),
    }),
    storeFromProvider({
      ...shared,
      fetchLatest: latestFrom(
        settings,
        provider,
        (id) => registry?.isActive(id),
        // Costs one more request for each unlisted coin: without its price its history cannot be verified.
        async (id) =>
          priceOf(id) ?? (await fetchedPrice(provider, id, lifetimes.comparedForMs))?.price ?? null,
      ),
      coins,
      isSampled: (id) => listed.has(id) || inTail.has(id),
      isServed: (id) => isTraded(id) || inTail.has(id),
    }),
  ] as const;
  // A failing source does not discard the others' notes.
  await Promise.allSettled(running);
  await progress.save();
  const [fromExchanges, fromTokens, fromProvider] = await Promise.all(running);
  const left = coins.filter((id) => !isPastKnown(progress.notes, id)).length;
  if (registry) recordValue('HistoryCoinsLeft', left);
  return { left, exchanges: fromExchanges, tokens: fromTokens, provider: fromProvider };
}

function clientsFor(settings: Environment) {
  return {
    exchanges: exchangesOf(settings).map((exchange) => sourceClientFor(settings, exchange)),
    tokens: tokenClientsFor(settings)[0],
    provider: clientFor(settings, 'leftover'),
  };
}
