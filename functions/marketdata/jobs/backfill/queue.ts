import type { FetchNotes } from '../../../../shared/marketdata/store/backfill-note.ts';
import { DAY_MS, HOUR_MS } from '../../../../shared/platform/time.ts';

interface Known {
  readonly asked: FetchNotes;
  /** The coins whose past is to be had, by rank. */
  readonly coins: readonly string[];
  /** Whether samples are taken of a coin: then only its past is missing, and that once. */
  readonly isSampled: (id: string) => boolean;
  /** Whether another source, which costs nothing, is asked for its past: then only volumes are missing. */
  readonly isServed: (id: string) => boolean;
  /** The end of the last day that is closed for good; milliseconds since the epoch. */
  readonly closedUntil: number;
  readonly now: number;
}

/** A coin without a past may get one; one whose request failed keeps no others waiting meanwhile. */
const ASK_AGAIN_MS = { nothing: 30 * DAY_MS, failed: 6 * HOUR_MS } as const;

/**
 * The coins whose days are to be asked for, the first most urgently: the past of sampled coins by rank, and of the others;
 * the gaps of those, the oldest first; and the past of coins that another source serves.
 */
export function queueOf({ asked, coins, isSampled, isServed, closedUntil, now }: Known): readonly string[] {
  const isNew = (id: string) => isNeverAsked(id, asked);
  const isComplete = (id: string) => {
    const through = asked.get(id)?.through;
    return typeof through === 'number' && through >= closedUntil;
  };
  const isResting = (id: string) => {
    const last = asked.get(id);
    if (last?.failed) return now - last.at < ASK_AGAIN_MS.failed;
    return last?.through === 'nothing' && now - last.at < ASK_AGAIN_MS.nothing;
  };
  const unseen = coins.filter(isNew);
  const [served, unasked] = [unseen.filter(isServed), unseen.filter((id) => !isServed(id))];
  const gaps = coins
    .filter((id) => !isNew(id) && !isSampled(id) && !isComplete(id))
    .toSorted((a, b) => (asked.get(a)?.at ?? 0) - (asked.get(b)?.at ?? 0));
  const all = [...unasked.filter(isSampled), ...unasked.filter((id) => !isSampled(id)), ...gaps, ...served];
  return all.filter((id) => !isResting(id));
}

export function neverAsked(coins: readonly string[], asked: FetchNotes): string[] {
  return coins.filter((id) => isNeverAsked(id, asked));
}

/** Also if that failed, so that it will be asked for again as if for the first time. */
function isNeverAsked(id: string, asked: FetchNotes): boolean {
  return (asked.get(id)?.through ?? 'never') === 'never';
}
