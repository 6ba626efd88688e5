/** A coin's price now: from the snapshot, its tail, the coin's object, or the provider; otherwise the stale one of these. */

import type { Environment } from '../../platform/environment.ts';
import { count, recordAge } from '../../platform/metrics.ts';
import { atMost } from '../../platform/waiting.ts';
import type { RegistryEntry } from '../../registry/entries.ts';
import type { Kept, Offer, ProviderClient } from '../provider.ts';
import { currentSnapshot } from '../store/current-snapshot.ts';
import { answersUntil, type Snapshot } from '../store/snapshot.ts';
import type { TailTicker } from '../store/tail.ts';
import type { Ticker } from '../ticker.ts';
import { type CurrentTicker, currentOf, type Errand } from './current-ticker.ts';

/** Loads the provider's client, which most requests do not need. */
export type OpenClient<O extends Offer> = () => Promise<ProviderClient<O>>;

interface Options extends Errand {
  /** The registry's entry; undefined without a registry. */
  readonly coin: RegistryEntry | undefined;
  readonly open: OpenClient<'ticker'>;
}

/** Concurrent reads of coins outside the snapshot, per request. */
const READS_AT_ONCE = 16;

/** The current ticker of a coin. Throws 404 unknown coin, 429 budget, and as `ProviderClient.fetch` does. */
export async function currentTicker(
  environment: Environment,
  id: string,
  { coin, open, ...errand }: Options,
): Promise<CurrentTicker> {
  const snapshot = await currentSnapshot(environment);
  const row = snapshot?.ticker(id);
  if (snapshot && row) {
    recordAge('SnapshotAge', snapshot.takenAt);
    if (Date.now() < rowUntil(snapshot, row)) return currentOf(row, rowUntil(snapshot, row));
    if (!isCarried(snapshot, row)) count('SnapshotOutdated');
  }
  const token = row || !coin?.is_active ? undefined : await tailTicker(environment, coin);
  if (token && Date.now() < token.answersUntil) return currentOf(token, token.answersUntil);
  // Most requests are for coins of the snapshot or the tail and never load this.
  const { fetchTicker } = await import('./fetch-ticker.ts');
  return fetchTicker(environment, id, open, { ...errand, coin, known: row ?? token, measure: row });
}

/**
 * The tickers of active coins from the snapshot and its tail, in the coins' order, without a provider request. Undefined for a
 * coin without one, or with one too old to show. Never throws.
 */
export async function tickersAtHand(
  environment: Environment,
  coins: readonly RegistryEntry[],
): Promise<(CurrentTicker | undefined)[]> {
  const snapshot = await currentSnapshot(environment);
  const now = Date.now();
  const tickers = coins.map(({ id }) => published(snapshot, id, now));
  const missing = coins.flatMap((coin, index) =>
    coin.is_active && !tickers[index] ? [{ coin, index }] : [],
  );
  const reads = new Map<string, ReturnType<typeof tailTicker>>();
  await atMost(READS_AT_ONCE, missing, async ({ coin, index }) => {
    const read = reads.get(coin.id) ?? tailTicker(environment, coin);
    reads.set(coin.id, read);
    const token = await read;
    if (token && Date.now() < token.staleUntil) tickers[index] = currentOf(token, token.answersUntil);
  });
  return tickers;
}

/** The coin's ticker in the snapshot; undefined also once it is too old to serve. */
export function published(
  snapshot: Snapshot | undefined,
  id: string,
  now: number,
): CurrentTicker | undefined {
  const row = snapshot?.ticker(id);
  return snapshot && row && now < row.staleUntil ? currentOf(row, rowUntil(snapshot, row), now) : undefined;
}

/** A row carried over from an earlier snapshot is stale from the start. */
function rowUntil(snapshot: Snapshot, row: Kept<Ticker>): number {
  return isCarried(snapshot, row) ? row.storedAt : answersUntil(snapshot);
}

function isCarried({ takenAt }: Snapshot, { storedAt }: Kept<Ticker>): boolean {
  return storedAt < takenAt;
}

async function tailTicker(environment: Environment, coin: RegistryEntry): Promise<TailTicker | undefined> {
  return (await import('../store/tail.ts')).tailTicker(environment, coin);
}
