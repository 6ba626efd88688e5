import { objectNames } from '../../../../shared/marketdata/store/names.ts';
import type { Samples } from '../../../../shared/marketdata/store/sample-file.ts';
import { type TailChange, type TailRow, tailChanges } from '../../../../shared/marketdata/tail/tail-file.ts';
import { MINUTE_MS } from '../../../../shared/platform/time.ts';
import type { HistoryStore } from '../history-store.ts';

/** Gives a coin's changes up to a price in USD: in percent, null where there is no earlier one. */
export type ChangesOf = (id: string, price: number) => TailRow['changes'];

interface Taken {
  /** Milliseconds since the epoch. */
  readonly takenAt: number;
  readonly intervalMs: number;
  readonly tokenSource: string;
}

/**
 * Reads the samples that changes are measured by, each of the slot in which its moment lies: what is told as the change
 * of an hour is that since some moment within ten minutes of it. Throws what the store throws.
 */
export async function changesBefore(
  store: Pick<HistoryStore, 'samples'>,
  { takenAt, intervalMs, tokenSource }: Taken,
): Promise<ChangesOf> {
  const earlier = await Promise.all(
    Object.entries(tailChanges).map(async ([name, minutes]) => {
      const slot = objectNames.samples(takenAt - minutes * MINUTE_MS, intervalMs, tokenSource);
      return [name, await store.samples(slot)] as const;
    }),
  );
  return (id, price) => {
    const changes = earlier.map(([name, samples]) => [name, changeSince(samples, id, price)]);
    return Object.fromEntries(changes) as Record<TailChange, number | null>; // the entries are exactly the names
  };
}

function changeSince(samples: Samples | undefined, id: string, price: number): number | null {
  const row = samples?.ids.find(id);
  if (!samples || row === undefined) return null;
  return Math.round((price / samples.sample(row).price - 1) * 10_000) / 100;
}
