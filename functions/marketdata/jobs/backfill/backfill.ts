import { DAY_MS } from '../../../../shared/platform/time.ts';
import { closedUntil } from './latest.ts';
import { Progress } from './progress.ts';
import { neverAsked, queueOf } from './queue.ts';
import { type BackfillOptions, type Done, Run } from './run.ts';

export interface Filled extends Done {
  /** Coins that were never asked for. */
  readonly left: number;
}

/** A provider paces its requests, so that more of them at a time would only wait for each other. */
const AT_A_TIME = 2;

/**
 * Stores the past of one coin after the other until there is nothing left to ask for, no budget, or no time, or the
 * provider fails. May be ended at any moment, and run twice at once. Throws what the store throws.
 */
export async function backfill(options: BackfillOptions): Promise<Filled> {
  const { store, coins, isSampled, isServed, now = Date.now } = options;
  const progress = await Progress.read(store);
  const tasks = queueOf({
    asked: progress.coins,
    coins,
    isSampled,
    isServed,
    closedUntil: closedUntil(now(), DAY_MS),
    now: now(),
  });
  const run = new Run(options, progress, tasks);
  // One that fails does not take the other's notes with it.
  const ends = await Promise.allSettled(Array.from({ length: AT_A_TIME }, () => run.work()));
  await progress.save();
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return { ...run.done, left: neverAsked(coins, progress.coins).length };
}
