import { hoursIn } from '../../../../shared/marketdata/snapshot/hour-fields.ts';
import type { Snapshot } from '../../../../shared/marketdata/snapshot/snapshot.ts';
import { closed, withSample } from '../../../../shared/marketdata/store/fold-samples.ts';
import type { Samples } from '../../../../shared/marketdata/store/sample-file.ts';
import type { StoredCandle } from '../../../../shared/marketdata/store/stored-candle.ts';
import { HOUR_MS } from '../../../../shared/platform/time.ts';

interface Taken {
  /** Milliseconds since the epoch. */
  readonly takenAt: number;
  readonly intervalSeconds: number;
}

/**
 * The hour before the running one and that, as far as there are any, of each of these coins: those in the snapshot
 * before, with these samples, ascending. A slot counts once.
 */
export function hoursAfter(
  ids: Iterable<string>,
  previous: Snapshot | undefined,
  samples: readonly Samples[],
  { takenAt, intervalSeconds }: Taken,
): ReadonlyMap<string, readonly StoredCandle[]> {
  const running = hourOf(takenAt);
  const intervalMs = intervalSeconds * 1000;
  return new Map(
    Array.from(ids, (id) => {
      // One from the future was made by a wrong clock.
      const known = previous ? hoursIn(previous, id) : [];
      const before = known.filter(({ lastAt }) => lastAt <= takenAt);
      const hours = new Map(before.map((hour) => [hour.opensAt, hour]));
      for (const one of samples) add(one, id, hours);
      const last = hours.get(running - HOUR_MS);
      const both = [last && closed(last, intervalMs, HOUR_MS), hours.get(running)];
      return [id, both.filter((hour) => hour !== undefined)];
    }),
  );
}

function add(
  { ids, sample, takenAt, intervalSeconds }: Samples,
  id: string,
  hours: Map<number, StoredCandle>,
): void {
  const row = ids.find(id);
  if (row === undefined) return;
  const intervalMs = intervalSeconds * 1000;
  const known = hours.get(hourOf(takenAt));
  const slotOf = (time: number) => Math.floor(time / intervalMs);
  if (known && slotOf(known.lastAt) >= slotOf(takenAt)) return;
  const { source, ...figures } = sample(row);
  hours.set(hourOf(takenAt), withSample(known, figures, { takenAt, intervalMs, source }, HOUR_MS));
}

function hourOf(time: number): number {
  return Math.floor(time / HOUR_MS) * HOUR_MS;
}
