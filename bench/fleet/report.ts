import { table, whole } from '../conditions.ts';
import type { DeployedFunction } from '../deployed.ts';
import { LATENCY_MS } from './network.ts';
import type { Day } from './simulation.ts';
import { PROVIDER } from './sources.ts';

/** What a job takes in a month of 30 days. */
export interface JobFigures {
  readonly runs: number;
  readonly puts: number;
  readonly lists: number;
  readonly gets: number;
  readonly putBytes: number;
  /** Rows. */
  readonly tableReads: number;
  readonly tableWrites: number;
  /** Waiting for answers and turns; and processor time of the bench's machine. */
  readonly waitSeconds: number;
  readonly cpuSeconds: number;
  /** Of both, on the share of a processor that comes with the job's memory. */
  readonly gbSeconds: number;
}

const PLAN = 20_000;
const A_DAY = Math.floor(PLAN / 31);
const MONTH_MINUTES = 30 * 24 * 60;
/** A function with this much memory has a whole core (AWS Lambda Developer Guide, "Configure Lambda function memory"). */
const MB_OF_ONE_CORE = 1769;
const LEAST_FRESH = 95;

/** Markdown; `objects`: what the store holds in the end. */
export function report(
  days: readonly Day[],
  functions: readonly DeployedFunction[],
  objects: ReadonlyMap<string, { readonly bytes: Uint8Array }>,
): string {
  const perJob = jobFigures(days, functions);
  const bytes = [...objects.values()].reduce((sum, object) => sum + object.bytes.length, 0);
  const askers = new Set(days.flatMap(({ counts }) => [...counts.keys()].filter(isOfProvider).map(ownerOf)));
  const jobs = [...askers].filter((name) => name.startsWith('job'));
  const demand = (day: Day) => sumOf(day.counts, (key) => isOfProvider(key) && key.startsWith('route'));
  const upstream = (day: Day) => sumOf(day.counts, isOfProvider);
  const ofRoutes = ({ counts, thinned }: Day, what: string) =>
    (['listed', 'others'] as const).reduce(
      (sum, part) => sum + (counts.get(`route ${part}\t${what}`) ?? 0) * thinned[part],
      0,
    );
  const traffic = days.map((day) => [
    ...[whole.format(day.requests), `1/${day.thinned.listed}, 1/${day.thinned.others}`, day.containers],
    ...jobs.map((name) => day.counts.get(`${name}\t${PROVIDER}`) ?? 0),
    ...[demand(day), `${upstream(day)} of ${A_DAY}`],
    ...['get', 'read', 'write'].map((what) => whole.format(ofRoutes(day, what))),
  ]);
  const answers = days.flatMap(({ requests, answers: byKind }) =>
    [...byKind].sort().map(([kind, { gone, ...tally }]) => {
      const all = Object.values(tally).reduce((sum, count) => sum + count, 0);
      const shares = Object.values(tally).map((count) => `${((100 * count) / all).toFixed(2)} %`);
      return [whole.format(requests), kind, whole.format(all), ...shares, gone];
    }),
  );
  const longest = (name: string) => Math.max(...days.flatMap(({ runs }) => runs.get(name) ?? []));
  const all = Object.values(perJob).reduce((sum, job) => added(sum, job));
  const taken = Object.entries(perJob).map(([name, job]) => [name, ...cells(job), longest(name).toFixed(0)]);
  const worst = Math.max(...days.map(upstream));
  const jobTitles = [
    'runs',
    'puts',
    'lists',
    'gets',
    'GB put',
    'rows read',
    'written',
    'waits s',
    'CPU s',
    'GB-s',
  ];
  return `${table(['requests a day', 'simulated', 'containers a route', ...jobs, 'demand', 'upstream', 'S3 gets of routes', 'rows read', 'written'], traffic, 2)}

One service, a line for each day, one after the other. Simulated are so many of the requests for coins of the snapshot and
for unknown ids, and of those for all others, which may cost a request of the plan: with the whole of its budget for those
that are simulated, what is fresh of tail and inactive is the most that it answers where that is not every one of them.

${table(['requests a day', 'of', 'simulated', 'fresh', 'stale', '404', '429', '5xx', 'answered before, not now'], answers, 2)}

${table(['job, in a month', ...jobTitles, 'longest s'], [...taken, ['**all**', ...cells(all), '']])}

S3 answers after ${LATENCY_MS.s3} ms, the table after ${LATENCY_MS.table}, a source after ${LATENCY_MS.source}; processor time is this machine's. A month is made of the runs
after the first day, which fills an empty store, as often as the job runs in 30 days. In the end the store holds ${whole.format(objects.size)}
objects, ${(bytes / 1e6).toFixed(0)} MB.

- ${worst <= A_DAY ? 'reached' : 'MISSED '}: requests to ${PROVIDER} on the worst day ${worst} (at most ${A_DAY}, of ${whole.format(PLAN)} a month)
${days.slice(1).map(freshness).join('\n')}
`;
}

/** By job. */
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
      ...{ runs, puts: count('put'), lists: count('list'), gets: count('get'), putBytes: count('put bytes') },
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

/** The share of requests for coins of snapshot and tail that are answered fresh, each by its weight. */
function freshness({ requests, answers, thinned }: Day): string {
  let [fresh, all] = [0, 0];
  for (const [kind, { gone: _, ...tally }] of answers) {
    if (!/^(snapshot|tail)/.test(kind)) continue;
    const weight = kind.startsWith('snapshot') ? thinned.listed : thinned.others;
    fresh += weight * tally.fresh;
    all += weight * Object.values(tally).reduce((sum, count) => sum + count, 0);
  }
  const share = (100 * fresh) / all;
  return `- ${share >= LEAST_FRESH ? 'reached' : 'MISSED '}: fresh at ${whole.format(requests)} a day, coins of snapshot and tail ${share.toFixed(1)} % (at least ${LEAST_FRESH})`;
}

const ownerOf = (key: string) => key.split('\t')[0] ?? '';
const isOfProvider = (key: string) => key.endsWith(`\t${PROVIDER}`);

function sumOf(counts: ReadonlyMap<string, number>, isCounted: (key: string) => boolean): number {
  return [...counts].reduce((sum, [key, count]) => sum + (isCounted(key) ? count : 0), 0);
}

function cells({ putBytes, runs, puts, lists, gets, ...others }: JobFigures): string[] {
  const { tableReads, tableWrites, waitSeconds, cpuSeconds, gbSeconds } = others;
  return [
    ...[runs, puts, lists, gets].map((number) => whole.format(number)),
    (putBytes / 1e9).toFixed(2),
    ...[tableReads, tableWrites, waitSeconds, cpuSeconds, gbSeconds].map((number) => whole.format(number)),
  ];
}
