import fc from 'fast-check';
import { HISTORY_PREFIX, objectNames } from '../../shared/marketdata/store/names.ts';
import { encodeSamples, type Revision, type Sample } from '../../shared/marketdata/store/samples.ts';
import { MINUTE_MS } from '../../shared/platform/time.ts';

export const BUCKET = 'bucket';

/** A run of the snapshot's job, as the store has it. */
export interface Run {
  readonly takenAt: number;
  readonly coins: readonly Sample[];
  readonly revisions?: readonly Revision[];
}

export const pathOf = (name: string) => `/${BUCKET}/${HISTORY_PREFIX}${name}`;

/** Path of a run's samples, as requests name it. */
export const samplesPath = ({ takenAt }: Run, minutes: number) =>
  pathOf(objectNames.samples(takenAt, minutes * MINUTE_MS));

export function samplesFile({ takenAt, coins, revisions = [] }: Run, minutes: number): Buffer {
  const run = { takenAt, intervalSeconds: minutes * 60, source: 'simulated' };
  return Buffer.from(encodeSamples(coins, run, revisions));
}

export const sample = (id: string, price: number): Sample => ({
  id,
  price,
  volume: 1000 * price,
  market_cap: null,
});

/** A run every so many minutes from one time to another, with prices that go up and down. */
export function runsBetween(from: number, to: number, minutes: number, ids: readonly string[]): Run[] {
  const count = Math.ceil((to - from) / (minutes * MINUTE_MS));
  return Array.from({ length: count }, (_, index) => ({
    takenAt: from + index * minutes * MINUTE_MS + 7_000,
    coins: ids.map((id, coin) => sample(id, (coin + 1) * (100 + 10 * Math.sin(index)))),
  }));
}

export const odd = [
  'btc-bitcoin',
  '战旗-战旗',
  'toto-totoro-inu-?',
  '..',
  'a/b',
  '%2F',
  'xch-chia-',
  "it's-(a)-coin!*",
  '\ud800',
];
const amount = fc.option(fc.double({ min: 0, max: 1e15, noNaN: true }));

/** Runs in any order, each in a slot of its own, some slots without one; coins come and go. */
export function anyRuns(from: number, to: number, minutes: number): fc.Arbitrary<Run[]> {
  const price = fc.double({ min: 1e-12, max: 1e12, noNaN: true });
  const coin = fc.record({ id: fc.constantFrom(...odd), price, volume: amount, market_cap: amount });
  const run = fc.record({
    takenAt: fc.integer({ min: from, max: to - 1 }),
    coins: fc.uniqueArray(coin, { selector: ({ id }) => id, maxLength: 5 }),
  });
  const slotOf = ({ takenAt }: Run) => Math.floor(takenAt / (minutes * MINUTE_MS));
  return fc.uniqueArray(run, { selector: slotOf, maxLength: 40 });
}
