import { MAX_CLOCK_LEAD_MS } from '../../../../shared/marketdata/gate/bounds.ts';
import { FAILOVER, SnapshotError } from '../../../../shared/marketdata/snapshot/layout.ts';
import { rowIds } from '../../../../shared/marketdata/snapshot/row-ids.ts';
import {
  answersUntil,
  openSnapshot,
  type Snapshot,
} from '../../../../shared/marketdata/snapshot/snapshot.ts';
import { tickerMadeAt } from '../../../../shared/marketdata/ticker.ts';
import type { StoredObject } from '../../../../shared/platform/objects.ts';
import type { SeenCoin, SeenSnapshot } from './seen.ts';

/** The free plan makes a ticker every ten minutes; one that is three times as old is no longer made. */
const MAX_AGE_MS = 30 * 60_000;

/** All that a run takes from the published snapshot. */
export interface Seen {
  /** Undefined if it may not be compared with what markets say now. */
  readonly comparable: SeenSnapshot | undefined;
  readonly coins: readonly SeenCoin[];
}

/** Undefined if there is none, or it cannot be read. `isActive` is false of coins that are known not to be. */
export function seenIn(
  object: StoredObject | undefined,
  now: number,
  isActive: (id: string) => boolean,
): Seen | undefined {
  if (!object) return undefined;
  const snapshot = opened(object.bytes);
  if (!snapshot) return undefined;
  const coins = rowIds(object.bytes).flatMap((id) => coinOf(snapshot, id, isActive));
  const { takenAt, source } = snapshot;
  const isNow = takenAt <= now + MAX_CLOCK_LEAD_MS && now < answersUntil(snapshot);
  // Made of what exchanges say, it would agree with them whatever that is.
  const isOwn = source !== FAILOVER;
  return { comparable: isNow && isOwn ? { takenAt, coins } : undefined, coins };
}

function opened(bytes: Uint8Array): Snapshot | undefined {
  try {
    return openSnapshot(bytes);
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    return undefined;
  }
}

function coinOf(snapshot: Snapshot, id: string, isActive: (id: string) => boolean): SeenCoin[] {
  const row = snapshot.ticker(id);
  if (!row) return [];
  const { symbol, rank, quotes } = row.data;
  const madeAt = tickerMadeAt(row.data) ?? snapshot.takenAt;
  const isCarried = row.storedAt !== snapshot.takenAt;
  const isOwn = row.source === snapshot.source;
  const counts = isOwn && !isCarried && madeAt >= snapshot.takenAt - MAX_AGE_MS;
  const { price, volume_24h: volume } = quotes.USD;
  const figures = counts ? { price, volume } : { price: null, volume: null };
  return [{ id, symbol, rank, isActive: isActive(id), ...figures }];
}
