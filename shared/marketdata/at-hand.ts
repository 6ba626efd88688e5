import { atMost } from '../platform/at-most.ts';
import type { Environment } from '../platform/environment.ts';
import type { RegistryEntry } from '../registry/entries.ts';
import type { Origin } from './origin.ts';
import type { Kept } from './provider-client.ts';
import { currentSnapshot } from './store/current-snapshot.ts';
import { answersUntil, type Snapshot } from './store/snapshot.ts';
import { isOldTicker, type Ticker } from './ticker.ts';

/** A coin's ticker that is ours already, with what callers are told about it. */
export interface TickerAtHand extends Origin {
  readonly ticker: Ticker;
}

/** Reads of the tail at the same time, of one request. */
const READS_AT_ONCE = 16;

/**
 * The tickers of active coins out of the snapshot and its tail, in the coins' order; nobody is asked for one. Undefined:
 * none is at hand, or none that may still be told. Never throws.
 */
export async function tickersAtHand(
  environment: Environment,
  coins: readonly RegistryEntry[],
): Promise<(TickerAtHand | undefined)[]> {
  const snapshot = await currentSnapshot(environment);
  const now = Date.now();
  const found = coins.map(({ id }) => published(snapshot, id, now));
  const missing = coins.flatMap((coin, index) => (coin.is_active && !found[index] ? [{ coin, index }] : []));
  if (missing.length === 0) return found;
  // Most requests are for coins of the snapshot, and load none of this.
  const { tailTicker } = await import('./store/tail.ts');
  const reads = new Map<string, ReturnType<typeof tailTicker>>();
  await atMost(READS_AT_ONCE, missing, async ({ coin, index }) => {
    const read = reads.get(coin.id) ?? tailTicker(environment, coin);
    reads.set(coin.id, read);
    const kept = await read;
    found[index] = kept && atHand(kept, kept.answersUntil, Date.now());
  });
  return found;
}

/** That of the snapshot. */
export function published(snapshot: Snapshot | undefined, id: string, now: number): TickerAtHand | undefined {
  const kept = snapshot?.ticker(id);
  if (!snapshot || !kept) return undefined;
  const isCarried = kept.storedAt < snapshot.takenAt;
  return atHand(kept, isCarried ? kept.storedAt : answersUntil(snapshot), now);
}

function atHand(kept: Kept<Ticker>, until: number, now: number): TickerAtHand | undefined {
  if (now >= kept.staleUntil) return undefined;
  const { data, source, madeAt, storedAt, freshUntil } = kept;
  return {
    ticker: data,
    quality: now < until && !isOldTicker(data, storedAt) ? (kept.quality ?? 'exact') : 'stale',
    source,
    madeAt,
    freshUntil,
  };
}
