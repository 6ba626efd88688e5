import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { S3Server } from '../../local/s3.ts';
import type { SimulatedSource } from '../../local/simulated/index.ts';
import { isoSeconds } from '../../shared/marketdata/candles.ts';
import type { PastPrice } from '../../shared/marketdata/past-price.ts';
import { type CandleQuality, candleQualities } from '../../shared/marketdata/provenance.ts';
import { pricesAt } from '../../shared/marketdata/serve/price-at.ts';
import { withSample } from '../../shared/marketdata/store/fold-samples.ts';
import { historyReader } from '../../shared/marketdata/store/reader.ts';
import type { StoredCandle } from '../../shared/marketdata/store/stored-candle.ts';
import { StoredHistory } from '../../shared/marketdata/store/stored-history.ts';
import { parseEnvironment } from '../../shared/platform/environment.ts';
import {
  BUCKET,
  DAY_MS,
  daysBefore,
  HOUR_MS,
  putDays,
  putHours,
  putMonth,
  putSamples,
  storedCandle,
} from './stored.ts';
import { TODAY, useWorld } from './world.ts';

const NOW = TODAY + 20 * HOUR_MS + 13 * 60_000;
const SLOT_MS = 600_000;
const ID = 'btc-bitcoin';
const RUNS = 5;
const TIMEOUT_MS = 60_000;

const world = useWorld({ now: NOW, plan: 'paid' });
let s3: S3Server;
let provider: SimulatedSource;
beforeEach(() => {
  ({ s3, provider } = world());
});

async function nobody(): Promise<never> {
  throw new Error('Somebody was asked');
}

/** What containers that have just started answer, each to one instant: for more there may be too few reads left. */
async function askedOneByOne(instants: readonly number[], within: number) {
  const answers = [];
  for (const instant of instants) answers.push(...(await asked([instant], within)));
  return answers;
}

/** What a container that has just started answers to a list of instants; nobody is asked. */
async function asked(instants: readonly number[], within: number) {
  const store = new StoredHistory({ reader: historyReader(BUCKET) });
  const own = { store, snapshot: undefined };
  s3.requests.length = 0;
  const moments = instants.map((to) => ({ from: to - within * 1000, to }));
  const { prices, stale } = await pricesAt(parseEnvironment({ HISTORY_BUCKET: BUCKET }), ID, moments, {
    own,
    snapshot: undefined,
    coin: undefined,
    deadline: NOW + 15_000,
    open: nobody,
  });
  expect([stale, provider.calls.total]).toEqual([false, 0]);
  // Nothing is read twice; of candles there are two parts, where they are and the coin's own.
  const objects = s3.requests.filter((request) => request.includes('/samples.'));
  const parts = Map.groupBy(s3.requests, (request) => request);
  expect(Math.max(0, ...[...parts.values()].map(({ length }) => length))).toBeLessThanOrEqual(2);
  expect(objects.toSorted()).toEqual([...new Set(objects)].toSorted());
  return prices.map((one) => one && { ...one, time: toldAt(one.time) });
}

/** Stored hours have the time of their last price to a tenth of a second, rounded up, and answers to a whole one. */
function toldAt(time: number): number {
  return Math.ceil(time / 1000) * 1000;
}

interface Known {
  readonly time: number;
  readonly price: number;
  readonly quality: CandleQuality;
  /** Samples alone: the end of their slot. */
  readonly slotEnd?: number;
}

interface Stored {
  readonly days: readonly StoredCandle[];
  readonly hours: readonly StoredCandle[];
  readonly samples: readonly { readonly takenAt: number; readonly price: number }[];
}

const price = fc.double({ min: 1e-9, max: 1e6, noNaN: true });

/** Candles of some of the intervals from one time to another, of which each ended when it ended. */
function someCandles(from: number, to: number, stepMs: number): fc.Arbitrary<StoredCandle[]> {
  const grain = stepMs / 36_000;
  const candle = fc.record({
    index: fc.nat(Math.round((to - from) / stepMs) - 1),
    close: price,
    part: fc.oneof(fc.constant(36_000), fc.integer({ min: 0, max: 36_000 })),
    made: fc.constantFrom(['exact', 0], ['derived', 0], ['sampled', 5], ['derived', 2]) as fc.Arbitrary<
      [StoredCandle['quality'], number]
    >, // TypeScript widens the pairs
  });
  return fc.uniqueArray(candle, { selector: ({ index }) => index, maxLength: 30 }).map((all) =>
    all
      .sort((a, b) => a.index - b.index)
      .map(({ index, close, part, made: [quality, samples] }) =>
        storedCandle(from + index * stepMs, stepMs, 1, {
          close,
          quality,
          samples,
          lastAt: from + index * stepMs + part * grain,
        }),
      ),
  );
}

/** Samples of some of the slots from one time to another. */
function someSamples(from: number, to: number): fc.Arbitrary<Stored['samples'][number][]> {
  const sample = fc.record({
    slot: fc.nat(Math.round((to - from) / SLOT_MS) - 1),
    offset: fc.oneof(fc.constantFrom(0, 7_000, SLOT_MS - 1), fc.nat(SLOT_MS - 1)),
    price,
  });
  return fc.uniqueArray(sample, { selector: ({ slot }) => slot, maxLength: 60 }).map((all) =>
    all
      .map((one) => ({ takenAt: from + one.slot * SLOT_MS + one.offset, price: one.price }))
      .filter(({ takenAt }) => takenAt <= NOW)
      .sort((a, b) => a.takenAt - b.takenAt),
  );
}

const MONTH_BEFORE = TODAY - 35 * DAY_MS;
const samples = fc
  .tuple(
    someSamples(MONTH_BEFORE - DAY_MS, MONTH_BEFORE + 2 * DAY_MS),
    someSamples(TODAY - 6 * HOUR_MS, TODAY + 21 * HOUR_MS),
  )
  .map((both) => both.flat());
const anyStored: fc.Arbitrary<Stored> = fc.record({
  days: someCandles(TODAY - 60 * DAY_MS, TODAY - DAY_MS, DAY_MS),
  hours: fc
    .tuple(
      someCandles(MONTH_BEFORE - DAY_MS, MONTH_BEFORE + 2 * DAY_MS, HOUR_MS),
      // What is published of these two days is made of samples alone.
      someCandles(TODAY - DAY_MS, TODAY + 21 * HOUR_MS, HOUR_MS).map((hours) =>
        hours.map((hour) => ({ ...hour, samples: hour.samples + 1 })),
      ),
    )
    .map((both) => both.flat()),
  samples,
});

/** As jobs leave it: each sample is in an hour, until its own is gone. */
const storedByJobs: fc.Arbitrary<Stored> = anyStored.map(({ days, samples: all }) => {
  const hours = new Map<number, StoredCandle>();
  for (const { takenAt, price: close } of all) {
    const opensAt = Math.floor(takenAt / HOUR_MS) * HOUR_MS;
    const taken = { takenAt, intervalMs: SLOT_MS, source: 'coinpaprika' };
    const sample = { price: close, volume: null, market_cap: null };
    hours.set(opensAt, withSample(hours.get(opensAt), sample, taken, HOUR_MS));
  }
  return { days, hours: [...hours.values()], samples: all };
});

function put({ days, hours, samples: all }: Stored): void {
  s3.objects.clear();
  // Nobody is left to be asked.
  putDays(s3, ID, days, { from: 0, to: TODAY + DAY_MS });
  const rolledUp = hours.filter(({ opensAt }) => opensAt < TODAY - DAY_MS);
  for (const month of Map.groupBy(rolledUp, ({ opensAt }) => isoSeconds(opensAt).slice(0, 7)).values())
    putMonth(s3, ID, month);
  for (const day of [TODAY - DAY_MS, TODAY]) {
    const own = hours.filter(({ opensAt }) => opensAt >= day && opensAt < day + DAY_MS);
    if (own.length > 0) putHours(s3, day, { [ID]: own, other: own });
  }
  for (const { takenAt, price: own } of all) putSamples(s3, takenAt, { a: 1, [ID]: own, z: 2 });
}

/** All that is known, from the coarse to the fine. */
function knownIn({ days, hours, samples: all }: Stored): Known[] {
  return [
    ...[...days, ...hours].map((candle) => ({
      // As it is stored, to a tenth of a second: so the close of an hour may be of the same time as that of its day.
      time: Math.ceil(candle.lastAt / 100) * 100,
      price: candle.close,
      quality: candle.samples > 0 ? ('sampled' as const) : candle.quality,
    })),
    ...all.map(({ takenAt, price: own }) => ({
      time: takenAt,
      price: own,
      quality: 'sampled' as const,
      slotEnd: (Math.floor(takenAt / SLOT_MS) + 1) * SLOT_MS,
    })),
  ];
}

/** Samples are deleted after 35 days. */
function isKept(slotEnd: number | undefined, since = NOW - 35 * DAY_MS): boolean {
  return slotEnd === undefined || slotEnd > since;
}

/** The answer by a plain look at everything. */
function expectedAt(known: readonly Known[], at: number, within: number): PastPrice | undefined {
  let best: Known | undefined;
  for (const one of known) {
    if (one.time > at || one.time < at - within * 1000) continue;
    const isLater = !best || one.time > best.time;
    const isAsGood = best && candleQualities.indexOf(one.quality) <= candleQualities.indexOf(best.quality);
    if (isLater || (one.time === best?.time && isAsGood)) best = one;
  }
  return best && { price: best.price, time: toldAt(best.time), source: 'coinpaprika', quality: best.quality };
}

/** Instants where mistakes like to gather, and any. */
function instantsFor(stored: Stored): fc.Arbitrary<number[]> {
  const known = [NOW, TODAY, ...knownIn(stored).map(({ time }) => time)];
  const near = fc
    .tuple(fc.constantFrom(...known), fc.constantFrom(-SLOT_MS, -1000, 0, 1000, SLOT_MS, HOUR_MS))
    .map(([time, offset]) => time + offset);
  const any = fc.oneof(
    fc.integer({ min: TODAY - 60 * DAY_MS, max: NOW }),
    fc.integer({ min: TODAY - 6 * HOUR_MS, max: NOW }),
  );
  return fc
    .array(fc.oneof(near, any), { minLength: 20, maxLength: 40 })
    .map((times) => times.map((time) => Math.min(Math.floor(time / 1000) * 1000, NOW)));
}

const within = fc.constantFrom(1, 60, 900, 3600, 86_400, 1_000_000, 31_536_000);
const caseOf = (stored: fc.Arbitrary<Stored>) =>
  stored.chain((own) => fc.record({ stored: fc.constant(own), instants: instantsFor(own), within }));

describe('prices of the past', () => {
  it(
    'are what a plain look at all that jobs have stored finds',
    async () => {
      await fc.assert(
        fc.asyncProperty(caseOf(storedByJobs), async (given) => {
          put(given.stored);
          const known = knownIn(given.stored).filter(({ slotEnd }) => isKept(slotEnd));
          const expected = given.instants.map((at) => expectedAt(known, at, given.within));
          expect(await askedOneByOne(given.instants, given.within)).toEqual(expected);
        }),
        { numRuns: RUNS, endOnFailure: true },
      );
    },
    TIMEOUT_MS,
  );
});

describe('a list of a hundred, which reads 40 objects at most,', () => {
  const everyHour = (from: number, to: number) =>
    Array.from({ length: (to - from) / HOUR_MS }, (_, index) =>
      storedCandle(from + index * HOUR_MS, HOUR_MS, 1, {
        lastAt: from + index * HOUR_MS + 50 * 60_000,
      }),
    );

  const answered = (prices: readonly unknown[]) => prices.filter((one) => one !== undefined).length;
  const everyFourHours = Array.from(
    { length: 100 },
    (_, index) => TODAY + HOUR_MS - index * 4 * HOUR_MS + 25 * 60_000,
  );

  it('has samples for its first instants of the last month, and the closes of hours for the others', async () => {
    const hours = everyHour(TODAY - 40 * DAY_MS, TODAY + 20 * HOUR_MS);
    const taken = everyFourHours.map((at) => ({ takenAt: at - 300_000, price: 7 }));
    put({ days: daysBefore(TODAY - DAY_MS, 400), hours, samples: taken });

    const prices = await asked(everyFourHours, 3600);

    expect(s3.requests.length).toBeLessThanOrEqual(40);
    expect(answered(prices)).toBe(100);
    const times = prices.map((one, index) => (everyFourHours[index] ?? 0) - (one?.time ?? 0));
    const sampled = times.lastIndexOf(300_000) + 1;
    expect(sampled).toBeGreaterThan(20);
    expect(times).toEqual([...Array(sampled).fill(300_000), ...Array(100 - sampled).fill(35 * 60_000)]);
  });
});
