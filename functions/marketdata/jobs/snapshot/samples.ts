/** A run's samples, and the hours made of them. */
import { closed, withSample } from '../../../../shared/marketdata/store/fold-samples.ts';
import { objectNames } from '../../../../shared/marketdata/store/names.ts';
import {
  believedAfter,
  encodeSamples,
  type IsBelieved,
  openSamples,
  type Revision,
  revisionsIn,
  type Sample,
  type Samples,
} from '../../../../shared/marketdata/store/samples.ts';
import type { Snapshot } from '../../../../shared/marketdata/store/snapshot.ts';
import { hoursIn } from '../../../../shared/marketdata/store/snapshot-hours.ts';
import type { StoredCandle } from '../../../../shared/marketdata/store/stored-candle.ts';
import { isOldTicker, type Ticker } from '../../../../shared/marketdata/ticker.ts';
import { HOUR_MS } from '../../../../shared/platform/time.ts';
import { withTimeout } from '../../../../shared/platform/waiting.ts';
import type { HistoryStore } from '../history-store.ts';

/** The part of the history that the snapshot's job uses. */
export type SampleStore = Pick<HistoryStore, 'putSamples' | 'samples'>;

/** When a list was made, in milliseconds since the epoch, and its source. */
export type SampleRun = Pick<Samples, 'takenAt' | 'intervalSeconds' | 'source'>;

/** A ticker with its own source, if that differs from the list's, and what its coin's earlier samples turned out to be. */
export interface SampledRow {
  readonly sample: {
    readonly ticker: Ticker;
    readonly source?: string;
  } & Pick<Sample, 'isUnconfirmed' | 'isNewUnit'>;
  readonly revision?: Revision | undefined;
}

/** The snapshot does not wait longer, because it can be published without the history. */
const TIMEOUT_MS = 10_000;

/**
 * Stores a sample of each ticker with a price of its own time, and reads samples that other runs stored since the last
 * snapshot, at `since`, but did not publish or lost. So the hours in snapshots are made of all stored samples, wherever a run
 * ended. If this run revises earlier samples, it reads those of both hours. Never throws: resolves to the samples, ascending, and
 * to the reason if this run's could not be stored. Without a store, the samples are this run's alone.
 */
export async function storeSamples(
  rows: readonly SampledRow[],
  run: SampleRun,
  since: number | undefined,
  store: SampleStore | undefined,
): Promise<{ readonly samples: readonly Samples[]; readonly failure?: unknown }> {
  const revisions = rows.flatMap(({ revision }) => revision ?? []);
  const samples = rows.flatMap(({ sample }) => sampleOf(sample, run.takenAt));
  const bytes = encodeSamples(samples, run, revisions);
  const own = openSamples(bytes);
  if (!store) return { samples: [own] };
  const { takenAt, intervalSeconds } = own;
  const intervalMs = intervalSeconds * 1000;
  const readAt = (time: number) => store.samples(objectNames.samples(time, intervalMs));
  const stored = async () => {
    // Another run was quicker in this slot, or ended before it could publish.
    const isOwn = await store.putSamples(bytes, takenAt, intervalMs);
    return [isOwn ? own : await readAt(takenAt)];
  };
  const first = revisions.length > 0 ? hourOf(takenAt) - HOUR_MS - intervalMs : since;
  const missed = Promise.all(slotsBetween(first, takenAt, intervalMs).map(readAt));
  const both = await Promise.allSettled([inTime(missed), inTime(stored())]);
  const read = both.flatMap((end) => (end.status === 'fulfilled' ? end.value : []));
  const failure = both.find((end) => end.status === 'rejected')?.reason;
  return { samples: read.filter((one) => one !== undefined), failure };
}

function sampleOf({ ticker, ...others }: SampledRow['sample'], takenAt: number): Sample[] {
  const { price, volume_24h: volume, market_cap } = ticker.quotes.USD;
  if (price === null || isOldTicker(ticker, takenAt)) return [];
  return [{ id: ticker.id, price, volume, market_cap, ...others }];
}

function inTime<T>(promise: Promise<T>): Promise<T> {
  return withTimeout(TIMEOUT_MS, promise, () => {
    throw new Error(`The history did not respond within ${TIMEOUT_MS / 1000} s`);
  });
}

/** The slots between two times, at most those of the running hour and the one before it. */
function slotsBetween(since: number | undefined, takenAt: number, intervalMs: number): number[] {
  const slotOf = (time: number) => Math.floor(time / intervalMs);
  const last = slotOf(takenAt);
  const isEarlier = since !== undefined && since < takenAt; // otherwise a wrong clock made it
  const first = slotOf(Math.max(isEarlier ? since + intervalMs : 0, takenAt - 2 * HOUR_MS));
  return Array.from({ length: Math.max(0, last - first) }, (_, index) => (first + index) * intervalMs);
}

/**
 * Each coin's running hour and the one before, if available: those in the last snapshot, with these samples, ascending. A slot
 * counts once. The hours of a coin whose samples were revised are made anew.
 */
export function hoursAfter(
  ids: Iterable<string>,
  last: Snapshot | undefined,
  samples: readonly Samples[],
  { takenAt, intervalSeconds }: SampleRun,
): ReadonlyMap<string, readonly StoredCandle[]> {
  const running = hourOf(takenAt);
  const revisions = revisionsIn(samples);
  const isBelieved = believedAfter(revisions);
  const revised = new Set(revisions.map(({ id }) => id));
  return new Map(
    Array.from(ids, (id) => {
      // A later one comes from a wrong clock.
      const known = (last && !revised.has(id) ? hoursIn(last, id) : []).filter(
        ({ lastAt }) => lastAt <= takenAt,
      );
      const hours = new Map(known.map((hour) => [hour.opensAt, hour]));
      for (const one of samples) addSample(one, id, hours, isBelieved);
      const before = hours.get(running - HOUR_MS);
      const both = [before && closed(before, intervalSeconds * 1000, HOUR_MS), hours.get(running)];
      return [id, both.filter((hour) => hour !== undefined)];
    }),
  );
}

function addSample(
  { of, takenAt, intervalSeconds }: Samples,
  id: string,
  hours: Map<number, StoredCandle>,
  isBelieved: IsBelieved,
): void {
  const sample = of(id);
  if (!sample || !isBelieved(sample, takenAt)) return;
  const intervalMs = intervalSeconds * 1000;
  const known = hours.get(hourOf(takenAt));
  const slotOf = (time: number) => Math.floor(time / intervalMs);
  if (known && slotOf(known.lastAt) >= slotOf(takenAt)) return;
  const { source, isNewUnit } = sample;
  const origin = { takenAt, intervalMs, source, isNewUnit };
  hours.set(hourOf(takenAt), withSample(known, sample, origin, HOUR_MS));
}

function hourOf(time: number): number {
  return Math.floor(time / HOUR_MS) * HOUR_MS;
}
