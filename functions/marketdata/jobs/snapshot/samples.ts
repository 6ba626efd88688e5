import { objectNames } from '../../../../shared/marketdata/store/names.ts';
import {
  encodeSamples,
  openSamples,
  type Sample,
  type Samples,
} from '../../../../shared/marketdata/store/sample-file.ts';
import { isOldTicker, type Ticker } from '../../../../shared/marketdata/ticker.ts';
import { HOUR_MS } from '../../../../shared/platform/time.ts';
import { withTimeout } from '../../../../shared/platform/with-timeout.ts';
import type { HistoryStore } from '../history-store.ts';

/** As much of the history as a run of the snapshot's job has to do with. */
export type SampleStore = Pick<HistoryStore, 'putSamples' | 'samples'>;

export interface Sampled {
  /** Those that the hours are made of from now on, ascending. */
  readonly samples: readonly Samples[];
  /** Why this run's are not stored. */
  readonly failure?: unknown;
}

/** A ticker whose source may be another than the list's. */
export interface Sourced {
  readonly ticker: Ticker;
  readonly source?: string;
}

/** The snapshot waits no longer for what it is published without. */
const TIMEOUT_MS = 10_000;

/** The samples file of a list: a row for each coin that has a price of its own time. */
export function samplesOf(
  tickers: readonly Sourced[],
  taken: { readonly takenAt: number; readonly intervalSeconds: number; readonly source: string },
): Uint8Array {
  return encodeSamples(
    tickers.flatMap((one) => sampleOf(one, taken.takenAt)),
    taken,
  );
}

function sampleOf({ ticker, source }: Sourced, takenAt: number): Sample[] {
  const { price, volume_24h, market_cap } = ticker.quotes.USD;
  if (price === null || isOldTicker(ticker, takenAt)) return [];
  return [{ id: ticker.id, price, volume: volume_24h, market_cap, ...(source !== undefined && { source }) }];
}

/**
 * Stores this run's samples, and reads what other runs have stored since the snapshot before, which then was not
 * published or lost: so the hours in snapshots are made of the samples that are stored, no matter where a run ended.
 * Never throws. Without a store, the samples are this run's alone.
 */
export async function storeSamples(
  bytes: Uint8Array,
  since: number | undefined,
  store: SampleStore | undefined,
): Promise<Sampled> {
  const own = openSamples(bytes);
  if (!store) return { samples: [own] };
  const { takenAt, intervalSeconds } = own;
  const intervalMs = intervalSeconds * 1000;
  const readAt = (time: number) => store.samples(objectNames.samples(time, intervalMs));
  const stored = async () => {
    // Another run was quicker in this slot, or did not get as far as publishing.
    const isOwn = await store.putSamples(bytes, takenAt, intervalMs);
    return [isOwn ? own : await readAt(takenAt)];
  };
  const missed = Promise.all(slotsBetween(since, takenAt, intervalMs).map(readAt));
  const both = await Promise.allSettled([inTime(missed), inTime(stored())]);
  const samples = both.flatMap((end) => (end.status === 'fulfilled' ? end.value : []));
  const failure = both.find((end) => end.status === 'rejected')?.reason;
  return { samples: samples.filter((one) => one !== undefined), failure };
}

function inTime<T>(promise: Promise<T>): Promise<T> {
  return withTimeout(TIMEOUT_MS, promise, () => {
    throw new Error(`The history did not answer within ${TIMEOUT_MS / 1000} s`);
  });
}

/** The slots after one time and before another, at most those of the running hour and the one before it. */
function slotsBetween(since: number | undefined, takenAt: number, intervalMs: number): number[] {
  const slotOf = (time: number) => Math.floor(time / intervalMs);
  const last = slotOf(takenAt);
  const isEarlier = since !== undefined && since < takenAt; // else it is from a wrong clock
  const first = slotOf(Math.max(isEarlier ? since + intervalMs : 0, takenAt - 2 * HOUR_MS));
  return Array.from({ length: Math.max(0, last - first) }, (_, index) => (first + index) * intervalMs);
}
