import { whole } from './conditions.ts';
import type { DeployedFunction } from './deployed.ts';
import type { Day } from './fleet/simulation.ts';

/** A job's use in a month of 30 days. */
export interface JobFigures {
  readonly runs: number;
  readonly puts: number;
  readonly lists: number;
  readonly gets: number;
  readonly putBytes: number;
  /** The part of them whose old versions S3 keeps for the stage's days; those of other objects it keeps for one. */
  readonly historyBytes: number;
  /** Rows of the table. */
  readonly tableReads: number;
  readonly tableWrites: number;
  /** Seconds of waiting for responses and turns, and of the processor of the bench's machine. */
  readonly waitSeconds: number;
  readonly cpuSeconds: number;
  /** The total, at the processor share of the job's memory. */
  readonly gbSeconds: number;
}

const MONTH_MINUTES = 30 * 24 * 60;
/** A function with this much memory has a whole core (AWS Lambda Developer Guide, "Configure Lambda function memory"). */
const MB_OF_ONE_CORE = 1769;

/** The figures of each job: of the days after the first, which fills an empty store, or of all days if it did not run later. */
export function jobFigures(days: readonly Day[], functions: readonly DeployedFunction[]) {
  const perJob: Record<string, JobFigures> = {};
  for (const { name: fullName, everyMinutes = Number.NaN, memoryMb } of functions) {
    const name = fullName.replace('marketdata/', '');
    const ran = (day: Day) => day.runs.get(name) ?? [];
    const later = days.slice(1).filter((day) => ran(day).length > 0);
    const of = later.length > 0 ? later : days;
    const measured = of.flatMap(ran).length;
    if (measured === 0) continue;
    const runs = MONTH_MINUTES / everyMinutes;
    const inMonth = (ofDay: (day: Day) => number) =>
      (runs / measured) * of.reduce((sum, day) => sum + ofDay(day), 0);
    const count = (what: string) => inMonth(({ counts }) => counts.get(`job ${name}\t${what}`) ?? 0);
    const waitSeconds = inMonth((day) => ran(day).reduce((sum, seconds) => sum + seconds, 0));
    const cpuSeconds = inMonth(({ cpuMs }) => (cpuMs.get(`job ${name}`) ?? 0) / 1000);
    const seconds = waitSeconds + cpuSeconds * Math.max(1, MB_OF_ONE_CORE / memoryMb);
    perJob[name] = {
      ...{ runs, puts: count('put'), lists: count('list'), gets: count('get'), putBytes: count('bytes put') },
      historyBytes: count('history bytes put'),
      ...{ tableReads: count('read'), tableWrites: count('write'), waitSeconds, cpuSeconds },
      gbSeconds: (seconds * memoryMb) / 1024,
    };
  }
  return perJob;
}

export function added(one: JobFigures, other: JobFigures): JobFigures {
  const names = Object.keys(one) as (keyof JobFigures)[]; // its own keys
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as unknown as JobFigures;
}

/** The sum of a table's columns. */
export const cellTitles = 'runs|puts|lists|gets|GB put|of history|rows read|written|waits s|CPU s|GB-s'.split(
  '|',
);

export function cellsOf(job: JobFigures): string[] {
  const { runs, puts, lists, gets, putBytes, historyBytes } = job;
  const { tableReads, tableWrites, waitSeconds, cpuSeconds, gbSeconds } = job;
  return [
    ...[runs, puts, lists, gets].map((number) => whole.format(number)),
    ...[putBytes, historyBytes].map((bytes) => (bytes / 1e9).toFixed(2)),
    ...[tableReads, tableWrites, waitSeconds, cpuSeconds, gbSeconds].map((number) => whole.format(number)),
  ];
}
