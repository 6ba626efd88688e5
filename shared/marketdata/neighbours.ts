import type { Environment } from '../platform/environment.ts';
import { DAY_MS, HOUR_MS } from '../platform/time.ts';
import { currentRegistry } from '../registry/container.ts';
import { predecessorOf, symbolAndId } from '../registry/successors.ts';
import type { PastPrice } from './candles.ts';
import { type OwnStore, ownPrices, SLOT_MS, sampledAt } from './own-prices.ts';
import { closesOf, nearer, timeText } from './past-price.ts';
import { lastPriceText } from './serve/last-price.ts';

/** How far the nearest price is looked for in either direction: half a sentence is worth no more reads. */
const REACH_MS = 366 * DAY_MS;

/**
 * Names the nearest known prices before and after an instant without one, from stored history and other known prices; and the coin
 * that this one has replaced, if the instant is before its first price.
 */
export async function neighboursOf(
  own: OwnStore,
  id: string,
  at: number,
  {
    environment,
    others,
    deadline,
    now,
  }: {
    readonly environment: Environment;
    readonly others: readonly PastPrice[];
    readonly deadline: number;
    readonly now: number;
  },
): Promise<string> {
  const moment = { from: at - REACH_MS, to: Math.min(at, now) };
  const finer = await ownPrices(own, id, [moment], { known: others, deadline, now });
  const known = [...others, ...finer.found, ...(await laterOnes(own, id, at))].filter(
    (price) => price !== undefined,
  );
  const before = known.filter(({ time }) => time <= moment.to).reduce(nearer, undefined);
  const after = known
    .filter(({ time }) => time > moment.to)
    .reduce<PastPrice | undefined>((a, b) => (a && a.time <= b.time ? a : b), undefined);
  const nearest = [before && `before: ${inWords(before)}`, after && `after: ${inWords(after)}`].filter(
    Boolean,
  );
  const text =
    nearest.length > 0 ? `the nearest known ${nearest.join(', ')}` : await lastOne(environment, id);
  return before ? text : text + predecessorText(id);
}

async function lastOne(environment: Environment, id: string): Promise<string> {
  const last = await lastPriceText(environment, id);
  return last === undefined ? 'none is known' : `none is known within a year of it; ${last}`;
}

/** A coin without an earlier price may have replaced another, which had one. */
function predecessorText(id: string): string {
  const registry = currentRegistry();
  const predecessor = registry && predecessorOf(id, registry);
  if (!predecessor || predecessor.isMerger) return '';
  return `; before its first price it was ${symbolAndId(predecessor.coin)}`;
}

/** The days, hours and samples that come next. */
async function laterOnes(own: OwnStore, id: string, at: number): Promise<PastPrice[]> {
  const { store, snapshot } = own;
  try {
    const intervalMs = snapshot?.intervalMs ?? SLOT_MS;
    const hour = Math.floor(at / HOUR_MS) * HOUR_MS;
    const [days, hours, ...samples] = await Promise.all([
      store.rows(id, { base: '24h', from: hour - REACH_MS, to: hour + REACH_MS }, snapshot),
      store.rows(id, { base: '1h', from: hour, to: hour + DAY_MS }, snapshot),
      sampledAt(own, id, at),
      sampledAt(own, id, at + intervalMs),
    ]);
    const sampled = samples.filter((price) => price !== undefined);
    return [...closesOf(days.candles, DAY_MS), ...closesOf(hours.candles, HOUR_MS), ...sampled];
  } catch {
    return [];
  }
}

function inWords({ price, time }: PastPrice): string {
  return `${price} at ${timeText(time)}`;
}
