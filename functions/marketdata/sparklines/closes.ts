/** A coin's closes on the grid, out of our own history alone. */
import { listed } from '../../../shared/marketdata/candles.ts';
import { closesOf, type PastPrice } from '../../../shared/marketdata/past-price.ts';
import { type Quality, weakest } from '../../../shared/marketdata/quality.ts';
import { Held } from '../../../shared/marketdata/store/held.ts';
import type { Snapshot } from '../../../shared/marketdata/store/snapshot.ts';
import type { StoredCandle } from '../../../shared/marketdata/store/stored-candle.ts';
import type { StoredHistory } from '../../../shared/marketdata/store/stored-history.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/platform/time.ts';
import { gridBefore, lastBefore, STEP_MS } from './grid.ts';

export interface Closes {
  /** In USD, for each time of the grid; null: not known. */
  readonly prices: readonly (number | null)[];
  /** What is told about those that are known; undefined: none is. */
  readonly told: Told | undefined;
}

export interface Told {
  readonly quality: Quality;
  readonly source: string;
  /** When the newest one was the price; milliseconds since the epoch. */
  readonly madeAt: number;
}

/** By then the hour before a point is published, and exchanges have told theirs to its end. */
const SETTLED_AFTER_MS = 45 * 60_000;
const LOOK_AGAIN_MS = 10 * 60_000;
/** Some reads of the store, one after the other. */
const READ_MS = 8_000;

/** The 29 closes of some thousand coins. */
const held = new Held<Closes>({ maxBytes: 4 * 1024 * 1024, bytesOf: () => 1_000, readMs: READ_MS });

/**
 * The closes before the time of the snapshot. Held until there is one more, if none is missing. Throws S3Error and
 * TransportError if the store cannot be asked and nothing is held.
 */
export function heldCloses(store: StoredHistory, id: string, snapshot: Snapshot): Promise<Closes> {
  const last = lastBefore(snapshot.takenAt);
  return held.get(`${last} ${id}`, {
    read: () => closesBefore(store, id, snapshot),
    untilOf: (closes, now) => {
      const isSettled = now >= last + SETTLED_AFTER_MS && !closes.prices.includes(null);
      return now + (isSettled ? STEP_MS : LOOK_AGAIN_MS);
    },
  });
}

async function closesBefore(store: StoredHistory, id: string, snapshot: Snapshot): Promise<Closes> {
  const grid = gridBefore(snapshot.takenAt);
  const [first = 0, last = 0] = [grid[0], grid.at(-1)];
  const known = new Map<number, PastPrice>();
  const hours = await store.rows(id, { base: '1h', from: first - HOUR_MS, to: last }, snapshot);
  addCloses(known, hours.candles, HOUR_MS);
  if (grid.some((time) => time % DAY_MS === 0 && !known.has(time))) {
    const to = Math.floor(last / DAY_MS) * DAY_MS;
    const days = await store.rows(id, { base: '24h', from: first - DAY_MS, to }, snapshot);
    addCloses(known, days.candles, DAY_MS);
  }
  return { prices: grid.map((time) => known.get(time)?.price ?? null), told: toldOf(known, grid) };
}

function toldOf(known: ReadonlyMap<number, PastPrice>, grid: readonly number[]): Told | undefined {
  const closes = grid.map((time) => known.get(time)).filter((close) => close !== undefined);
  const last = closes.at(-1);
  if (!last) return undefined;
  return {
    quality: weakest(closes.map(({ quality }) => quality)),
    source: listed(...closes.map(({ source }) => source)),
    madeAt: last.time,
  };
}

/** Adds the closes of candles to those of finer ones, by the end of the interval. */
function addCloses(known: Map<number, PastPrice>, candles: readonly StoredCandle[], stepMs: number): void {
  // The close of a day that nobody saw the end of is the price of another time.
  const seen = candles.filter(({ opensAt, lastAt }) => opensAt + stepMs - lastAt <= HOUR_MS);
  for (const [index, close] of closesOf(seen, stepMs).entries()) {
    const end = (seen[index]?.opensAt ?? 0) + stepMs;
    if (!known.has(end)) known.set(end, close);
  }
}
