/** Past prices from the stored history: the coarser source first, because it bounds the finer one. */

import { count } from '../platform/metrics.ts';
import { DAY_MS, HOUR_MS } from '../platform/time.ts';
import { atMost } from '../platform/waiting.ts';
import type { PastPrice } from './candles.ts';
import { closesOf, type Moment, nearer, nearest, sampledPrice } from './past-price.ts';
import { FIRST_DAY, HOURS_KEPT_DAYS, periodOf, periodsIn } from './store/names.ts';
import { SAMPLES_KEPT_MS } from './store/sample-slots.ts';
import type { Snapshot } from './store/snapshot.ts';
import type { StoredHistory, StoredRows } from './store/stored-history.ts';

export interface OwnPrices {
  /** The price for each moment; undefined if none is stored nearby. */
  readonly found: readonly (PastPrice | undefined)[];
  /** The days about all moments; undefined if they cannot be read. */
  readonly days: StoredRows | undefined;
  /** False if the store could not be read completely. */
  readonly isWhole: boolean;
}

export interface OwnStore {
  readonly store: StoredHistory;
  readonly snapshot: Snapshot | undefined;
}

/** Concurrent reads; the remaining connections serve other requests. */
const AT_ONCE = 8;
/** Objects that one request may read once its tables are held: a hundred instants may lie in as many samples of 700 KB. */
const MAX_READS = 40;
/** What was fetched for the coin, and of yesterday and today the hours of exchanges and of samples. */
const READS_OF_RUNNING_DAYS = 5;
/** Reads that remain for samples: for one moment its own slot and those of an hour, for a list a share of all reads. */
const LEAST_READS_OF_SAMPLES = { one: 7, list: 4 } as const;
/** A sample of an hour ago or more is the close of an hour, or there is a later one. */
const SAMPLES_REACH_MS = HOUR_MS;
export const SLOT_MS = 600_000;

/** The nearest price for each moment, starting from the known ones. Never throws. */
export async function ownPrices(
  own: OwnStore,
  id: string,
  moments: readonly Moment[],
  {
    known,
    deadline,
    now,
  }: {
    readonly known: readonly PastPrice[];
    readonly deadline: number;
    readonly now: number;
  },
): Promise<OwnPrices> {
  let found = moments.map((moment) => nearest(known, moment));
  let days: StoredRows | undefined;
  try {
    const from = Math.min(...moments.map((moment) => moment.from)) - DAY_MS;
    const to = Math.max(...moments.map((moment) => moment.to)) + 1;
    days = await own.store.rows(id, { base: '24h', from, to }, own.snapshot);
    found = nearestOf(closesOf(days.candles, DAY_MS), moments, found);
    const years = periodsIn('24h', { from: Math.max(from, FIRST_DAY), to: Math.min(to, now) }).length;
    // All of them, or an instant in a list would have another price than alone.
    const months = monthsOf(moments, found).filter(([, end]) => end > now - HOURS_KEPT_DAYS * DAY_MS);
    found = nearestOf(await hourCloses(own, id, months), moments, found);
    const least = LEAST_READS_OF_SAMPLES[moments.length === 1 ? 'one' : 'list'];
    const reads = Math.max(least, MAX_READS - READS_OF_RUNNING_DAYS - years - months.length);
    found = await nearestSamples(own, id, moments, { found, reads, deadline, now });
    return { found, days, isWhole: true };
  } catch {
    count('SharedStoreFailures');
    return { found, days, isWhole: false };
  }
}

function nearestOf(
  prices: readonly PastPrice[],
  moments: readonly Moment[],
  found: OwnPrices['found'],
): (PastPrice | undefined)[] {
  return moments.map((moment, index) => nearest(prices, moment, found[index]));
}

/** The months whose hours may be nearer than the found prices: their beginnings and ends, newest first. */
function monthsOf(moments: readonly Moment[], found: OwnPrices['found']): [from: number, to: number][] {
  const months = new Map<number, number>();
  for (const [index, { from, to }] of moments.entries()) {
    const since = Math.max(from, found[index]?.time ?? from) - HOUR_MS;
    for (const part of periodsIn('1h', { from: since, to: to + 1 })) {
      const month = periodOf('1h', part.from);
      months.set(month.from, month.to);
    }
  }
  return [...months].sort(([a], [b]) => b - a);
}

async function hourCloses(
  { store, snapshot }: OwnStore,
  id: string,
  months: readonly [from: number, to: number][],
): Promise<PastPrice[]> {
  const rows = await atMost(AT_ONCE, months, ([from, to]) =>
    store.rows(id, { base: '1h', from, to }, snapshot),
  );
  return closesOf(
    rows.flatMap(({ candles }) => candles),
    HOUR_MS,
  );
}

/**
 * Goes back slot by slot from each moment while a nearer sample is possible, all moments one slot at a time. When no reads are
 * left, the last moments of the list keep the prices that they have, which are up to an hour older and count as derived.
 */
async function nearestSamples(
  own: OwnStore,
  id: string,
  moments: readonly Moment[],
  {
    found,
    reads,
    deadline,
    now,
  }: {
    readonly found: OwnPrices['found'];
    readonly reads: number;
    readonly deadline: number;
    readonly now: number;
  },
): Promise<(PastPrice | undefined)[]> {
  const intervalMs = own.snapshot?.intervalMs ?? SLOT_MS;
  const nearestFound = [...found];
  const samples = new Map<number, PastPrice | undefined>();
  let left = own.snapshot && !own.snapshot.ticker(id) ? Math.floor(reads / 2) : reads; // with tokens' samples, two a slot
  let open = moments
    .map(({ from, to }, index) => {
      const since = Math.max(from, found[index]?.time ?? from, to - SAMPLES_REACH_MS, now - SAMPLES_KEPT_MS);
      return { index, from, to, since, slot: Math.floor(to / intervalMs) * intervalMs };
    })
    .filter(({ slot, since }) => slot + intervalMs > since);
  while (open.length > 0) {
    const unread = new Set(open.map(({ slot }) => slot).filter((slot) => !samples.has(slot)));
    const slots = [...unread].slice(0, left);
    left -= slots.length;
    const read = await atMost(AT_ONCE, slots, (slot) => {
      if (Date.now() >= deadline) throw new Error('No time is left to read samples');
      return sampledAt(own, id, slot);
    });
    for (const [place, slot] of slots.entries()) samples.set(slot, read[place]);
    open = open.flatMap(({ slot, ...moment }) => {
      const price = samples.get(slot);
      if (price && price.time <= moment.to) {
        if (price.time >= moment.from) nearestFound[moment.index] = nearer(nearestFound[moment.index], price);
        return [];
      }
      const known = nearestFound[moment.index];
      if (!samples.has(slot) && known) nearestFound[moment.index] = { ...known, quality: 'derived' };
      const isLast = !samples.has(slot) || slot <= moment.since;
      return isLast ? [] : [{ ...moment, slot: slot - intervalMs }];
    });
  }
  return nearestFound;
}

/** The sample of a time's slot. A coin in the snapshot is not priced by contract. */
export async function sampledAt(
  { store: { slots }, snapshot }: OwnStore,
  id: string,
  time: number,
): Promise<PastPrice | undefined> {
  const intervalMs = snapshot?.intervalMs ?? SLOT_MS;
  const price = sampledPrice(await slots.at(time, intervalMs), id);
  if (price || !snapshot || snapshot.ticker(id)) return price;
  return sampledPrice(await slots.tokensAt(id, time, intervalMs), id);
}
