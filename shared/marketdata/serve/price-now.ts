/**
 * A coin's price now, the same for every caller: the snapshot's row while it counts, then the tail, then the last fetched ticker,
 * then one request for callers that may pay; otherwise the newest stale one of these. Most coins are in the snapshot; what comes
 * after it (`other-prices.ts`) is loaded when it is needed.
 */
import type { Environment } from '../../platform/environment.ts';
import { recordAge } from '../../platform/metrics.ts';
import { atMost, monotonicMs } from '../../platform/waiting.ts';
import { entryOf } from '../../registry/container.ts';
import type { Kept } from '../provider.ts';
import { currentSnapshot } from '../store/current-snapshot.ts';
import { QUOTE_COUNTS_MS } from '../store/quotes.ts';
import { answersUntil, FAILOVER, type Snapshot } from '../store/snapshot.ts';
import type { Ticker } from '../ticker.ts';
import {
  type CurrentTicker,
  currentOf,
  isUsable,
  type KnownTicker,
  type MaxAge,
  type PayingOptions,
  type PriceOptions,
} from './current-ticker.ts';

/** Concurrent reads of coins outside the snapshot, per request. */
const READS_AT_ONCE = 16;
/** A store that hangs delays a list by this and one read. */
const READ_WITHIN_MS = 2_000;

/**
 * A caller that may pay gives `open`, and always gets a price: throws 404 unknown coin, 429 budget, and as `ProviderClient.fetch`
 * does. Without it: undefined for a coin without a stored price, or with one that must not be used; never throws.
 */
export async function priceNow(
  environment: Environment,
  id: string,
  options: PayingOptions,
): Promise<CurrentTicker>;
export async function priceNow(
  environment: Environment,
  id: string,
  options: PriceOptions | PayingOptions,
): Promise<CurrentTicker | undefined>;
export async function priceNow(
  environment: Environment,
  id: string,
  options: PriceOptions | PayingOptions,
): Promise<CurrentTicker | undefined> {
  const snapshot = options.snapshot ?? (await currentSnapshot(environment));
  const row = rowIn(snapshot, id);
  const now = Date.now();
  if (snapshot && row && 'open' in options) recordAge('SnapshotAge', snapshot.takenAt);
  if (row && now < row.answersUntil) return countingRow(row, options.maxAge, now);
  const { otherPrice } = await import('./other-prices.ts');
  return otherPrice(environment, id, row, { coin: entryOf(id), ...options });
}

/** The stored prices of coins, in their order, as `priceNow` without a payer. Never throws. */
export async function pricesNow(
  environment: Environment,
  ids: readonly string[],
  maxAge: MaxAge,
  known?: Snapshot,
): Promise<(CurrentTicker | undefined)[]> {
  const snapshot = known ?? (await currentSnapshot(environment));
  const now = Date.now();
  const prices = new Map<string, CurrentTicker | undefined>();
  const others: string[] = [];
  for (const id of new Set(ids)) {
    const row = rowIn(snapshot, id);
    if (row && now < row.answersUntil) prices.set(id, countingRow(row, maxAge, now));
    else others.push(id);
  }
  const options = { maxAge, snapshot, readUntil: monotonicMs() + READ_WITHIN_MS };
  await atMost(READS_AT_ONCE, others, async (id) => {
    prices.set(id, await priceNow(environment, id, options));
  });
  return ids.map((id) => prices.get(id));
}

function countingRow(row: KnownTicker, maxAge: MaxAge, now: number): CurrentTicker | undefined {
  return isUsable(row, maxAge, now) ? currentOf(row, row.answersUntil) : undefined;
}

/** A coin's row of the snapshot. One that was carried over from an earlier snapshot is stale from the start. */
export function rowIn(snapshot: Snapshot | undefined, id: string): KnownTicker | undefined {
  const row = snapshot?.ticker(id);
  if (!snapshot || !row) return undefined;
  return {
    ...row,
    price: row.data.quotes.USD.price,
    answersUntil: row.countsUntil ?? untilOf(snapshot, row),
  };
}

function untilOf(snapshot: Snapshot, { storedAt, madeAt }: Kept<Ticker>): number {
  if (storedAt < snapshot.takenAt) return storedAt;
  // The rows of an outage are prices of markets.
  return snapshot.source === FAILOVER ? madeAt + QUOTE_COUNTS_MS : answersUntil(snapshot);
}
