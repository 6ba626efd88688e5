/** Samples of many days put through the real code, with the roll-up in a process of its own. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setImmediate as othersTurn } from 'node:timers/promises';
import { historyStoreIn } from '../../functions/marketdata/jobs/history-store.ts';
import { KEPT_DAYS } from '../../functions/marketdata/jobs/kept-hours.ts';
import { dayText, objectNames } from '../../shared/marketdata/store/names.ts';
import { encodeSamples } from '../../shared/marketdata/store/sample-file.ts';
import { DAY_MS, MINUTE_MS } from '../../shared/platform/time.ts';
import { deployedRun } from './deployed-run.ts';
import { type FileBucket, fileBucket } from './file-bucket.ts';
import { INTERVAL_MS, Market, runAt, sources } from './market.ts';
import type { Order, RollUpFigures } from './roll-up-process.ts';

/** Far below what the job has: more of it would be filled with what nobody needs any more. */
export const OLD_SPACE_MB = 384;
/** The run that rolls the day up, when it is over for long enough. */
const DAY_AFTER_MS = 31 * MINUTE_MS;
/** A day in so many is rolled up every half hour, one by the deployed bundle; the others at once. */
const [BY_HALF_HOURS, DEPLOYED] = [30, 60];

export interface Simulation {
  readonly coins: number;
  /** Of these, in the provider's list; the others' samples are objects of their own, of a source of token prices. */
  readonly listed: number;
  /** The first day's beginning, milliseconds since the epoch. */
  readonly from: number;
  readonly days: number;
}

/** In one run after the day; in a run every half hour, as it is scheduled; in one run of the deployed bundle, over HTTP. */
export type Way = 'at once' | 'by half hours' | 'deployed';

export interface DayFigures extends RollUpFigures {
  readonly way: Way;
}

export interface Replayed {
  readonly rolledUp: readonly DayFigures[];
  readonly runs: number;
  readonly samples: number;
  readonly samplesBytes: number;
  /** Second runs of a slot, all of which were refused. */
  readonly refused: number;
}

interface Options {
  /** Empty; the objects go there. */
  readonly folder: string;
  /** The deployed roll-up; undefined: no day is given to it. */
  readonly bundle: string | undefined;
  /** After each day; so many are rolled up. */
  readonly onDay: (days: number) => void;
}

/** Stores the samples of all days, and rolls up each day, at the same time as the samples of the next one are stored. */
export async function replay(
  { coins, listed, from, days }: Simulation,
  { folder, bundle, onDay }: Options,
): Promise<Replayed> {
  const bucket = fileBucket(folder);
  const seen = { runs: 0, samples: 0, refused: 0 };
  const markets = [
    { source: sources.listed, market: new Market(0, Math.min(listed, coins), { hasAmounts: true }) },
    {
      source: sources.others,
      tokenSource: sources.others,
      market: new Market(listed, coins, { hasAmounts: false }),
    },
  ].slice(0, listed < coins ? 2 : 1);
  const job = startJob(folder);
  const rolledUp: DayFigures[] = [];

  async function rollUpDay(index: number): Promise<void> {
    const day = from + index * DAY_MS;
    const isDeployed = bundle && (index + 1 === days || index % DEPLOYED === DEPLOYED - 1);
    const way = isDeployed ? 'deployed' : index % BY_HALF_HOURS === 1 ? 'by half hours' : 'at once';
    const figures = isDeployed
      ? await deployedRun(bundle, folder, { now: lastRunOf(day), oldSpaceMb: OLD_SPACE_MB })
      : await job.roll({ runsAt: way === 'at once' ? [lastRunOf(day)] : halfHoursOf(day) });
    if (figures.days.join() !== dayText(day)) throw new Error(`Rolled up: ${figures.days}`);
    rolledUp.push({ ...figures, way });
    removeOld(bucket, day);
    onDay(index + 1);
  }

  try {
    for (let index = 0; index <= days; index += 1) {
      await Promise.all([
        index > 0 && rollUpDay(index - 1),
        index < days && putDay(from + index * DAY_MS, bucket, markets, seen),
      ]);
    }
  } finally {
    await job.close();
  }
  return { rolledUp, ...seen, samplesBytes: bucket.traffic.bytesWritten };
}

function lastRunOf(day: number): number {
  return day + DAY_MS + DAY_AFTER_MS;
}

function halfHoursOf(day: number): number[] {
  const times = Array.from({ length: 49 }, (_, index) => day + (index * 30 + 1) * MINUTE_MS);
  return [...times, lastRunOf(day)];
}

interface Told {
  readonly market: Market;
  readonly source: string;
  /** As its samples are named by it. */
  readonly tokenSource?: string;
}

async function putDay(
  day: number,
  bucket: FileBucket,
  markets: readonly Told[],
  seen: { runs: number; samples: number; refused: number },
): Promise<void> {
  const store = historyStoreIn(bucket);
  for (let slot = day; slot < day + DAY_MS; slot += INTERVAL_MS) {
    await othersTurn(); // the bucket never waits, and S3 is served by this process
    const { isMissing, takenAt, secondAt } = runAt(slot);
    for (const { market } of markets) market.next();
    if (isMissing) continue;
    for (const { market, ...told } of markets) {
      const samples = market.samples();
      await putSamples(store, samples, { ...told, takenAt });
      seen.samples += samples.length;
      if (secondAt !== undefined) await putSecond(store, samples, { ...told, takenAt: secondAt });
    }
    seen.runs += 1;
    if (secondAt !== undefined) seen.refused += 1;
  }
}

/** With prices that would be seen in every candle. */
async function putSecond(...[store, samples, run]: Parameters<typeof putSamples>): Promise<void> {
  const others = samples.map((sample) => ({ ...sample, price: sample.price * 2 }));
  const isOwn = await putSamples(store, others, run);
  if (isOwn) throw new Error(`A second run was stored at ${new Date(run.takenAt).toISOString()}`);
}

function putSamples(
  store: ReturnType<typeof historyStoreIn>,
  samples: ReturnType<Market['samples']>,
  { takenAt, source, tokenSource }: Omit<Told, 'market'> & { readonly takenAt: number },
): Promise<boolean> {
  const bytes = encodeSamples(samples, { takenAt, intervalSeconds: INTERVAL_MS / 1000, source });
  return store.putSamples(bytes, takenAt, INTERVAL_MS, tokenSource);
}

/** As the bucket's own rules do it. */
function removeOld(bucket: FileBucket, day: number): void {
  const old = day - KEPT_DAYS * DAY_MS;
  bucket.remove(objectNames.samplesOfDay(old));
  bucket.remove(objectNames.hours(old));
}

interface Job {
  roll(order: Order): Promise<RollUpFigures>;
  close(): Promise<void>;
}

function startJob(folder: string): Job {
  const child: ChildProcess = fork(join(import.meta.dirname, 'roll-up-process.ts'), [folder], {
    execArgv: [`--max-old-space-size=${OLD_SPACE_MB}`],
    env: { PATH: process.env.PATH, METRICS: 'off' },
  });
  const ended = once(child, 'exit');
  return {
    async roll(order) {
      child.send(order);
      const [answer] = await Promise.race([once(child, 'message'), ended]);
      if (typeof answer !== 'object') throw new Error(`The roll-up’s process ended with ${answer}`);
      return answer as RollUpFigures; // as roll-up-process.ts sends it
    },
    async close() {
      child.kill();
      await ended;
    },
  };
}
