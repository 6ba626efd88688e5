/** Where the prices of the past come from in our own history, the coarser first, because it bounds the finer. */
import { atMost } from '../platform/at-most.ts';
import { count } from '../platform/metrics.ts';
import { closesOf, type Moment, nearer, nearest, type PastPrice, sampledPrice } from './past-price.ts';
import type { Snapshot } from './snapshot/snapshot.ts';
import { DAY_MS, HOUR_MS } from './store/reader.ts';
import { SAMPLES_KEPT_MS } from './store/sample-slots.ts';
import type { StoredHistory, StoredRows } from './store/stored-history.ts';

export interface OwnPrices {
  /** For each moment. */
  readonly found: readonly (PastPrice | undefined)[];
  /** The days about all moments; undefined if they cannot be read. */
  readonly days: StoredRows | undefined;
  /** False if the store could not be asked for all that it may have. */
  readonly isWhole: boolean;
}

export interface OwnStore {
  readonly store: StoredHistory;
  readonly snapshot: Snapshot | undefined;
}

/** As many reads at once as leave connections to others. */
const AT_ONCE = 8;
/** A sample of an hour ago or more is the close of an hour, or there is a later one. */
const SAMPLES_REACH_MS = HOUR_MS;
export const SLOT_MS = 600_000;

/** The nearest price for each moment, begun with those that are known already. Never throws. */
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
    found = nearestOf(await hourCloses(own, id, moments, found), moments, found);
    const byTime = moments
      .map((moment, index) => ({ moment, index, best: found[index] }))
      .sort((a, b) => a.moment.to - b.moment.to); // neighbours share slots, of which few are kept
    const sampled = await atMost(AT_ONCE, byTime, ({ moment, best }) => {
      if (Date.now() >= deadline) throw new Error('No time is left to read samples');
      return sampleNear(own, id, moment, best, now);
    });
    for (const [place, { index }] of byTime.entries()) found[index] = sampled[place];
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

/** The closes of the hours that may be nearer than what was found, each month read once. */
async function hourCloses(
  { store, snapshot }: OwnStore,
  id: string,
  moments: readonly Moment[],
  found: OwnPrices['found'],
): Promise<PastPrice[]> {
  const months = new Map<number, number>();
  for (const [index, { from, to }] of moments.entries()) {
    const since = Math.max(from, found[index]?.time ?? from) - HOUR_MS;
    for (const [month, next] of monthsBetween(since, to)) months.set(month, next);
  }
  const rows = await atMost(AT_ONCE, [...months], ([from, to]) =>
    store.rows(id, { base: '1h', from, to }, snapshot),
  );
  return closesOf(
    rows.flatMap(({ candles }) => candles),
    HOUR_MS,
  );
}

/** The months that two times and all between them are in: their beginnings and ends. */
function monthsBetween(first: number, last: number): [from: number, to: number][] {
  const months: [from: number, to: number][] = [];
  for (let time = first; time <= last; ) {
    const date = new Date(time);
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
    const next = Date.UTC(year, month + 1, 1);
    months.push([Date.UTC(year, month, 1), next]);
    time = next;
  }
  return months;
}

/** Goes back slot by slot from a moment, as far as there may be a sample that is nearer than what was found. */
async function sampleNear(
  own: OwnStore,
  id: string,
  { from, to }: Moment,
  best: PastPrice | undefined,
  now: number,
): Promise<PastPrice | undefined> {
  const intervalMs = own.snapshot?.intervalMs ?? SLOT_MS;
  const since = Math.max(from, best?.time ?? from, to - SAMPLES_REACH_MS, now - SAMPLES_KEPT_MS);
  for (let slot = Math.floor(to / intervalMs) * intervalMs; slot + intervalMs > since; slot -= intervalMs) {
    const price = await sampledAt(own, id, slot);
    if (price && price.time <= to) return price.time >= from ? nearer(best, price) : best;
  }
  return best;
}

/** The sample of the slot in which a time is. A coin that the snapshot has is priced by no contract. */
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
