import { table, whole } from '../conditions.ts';
import type { DeployedFunction } from '../deployed.ts';
import { added, cellsOf, cellTitles, jobFigures } from '../job-figures.ts';
import { LATENCY_MS } from './network.ts';
import type { Day } from './simulation.ts';
import { PROVIDER } from './sources.ts';

const PLAN = 20_000;
const A_DAY = Math.floor(PLAN / 31);
const LEAST_FRESH = 95;

/** Markdown; `objects`: the store's content at the end. */
export function report(
  days: readonly Day[],
  functions: readonly DeployedFunction[],
  objects: ReadonlyMap<string, Uint8Array>,
): string {
  const perJob = jobFigures(days, functions);
  const bytes = [...objects.values()].reduce((sum, object) => sum + object.length, 0);
  const owners = new Set(days.flatMap(({ counts }) => [...counts.keys()].filter(isOfProvider).map(ownerOf)));
  const jobs = [...owners].filter((name) => name.startsWith('job'));
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
  const ofJobs = Object.entries(perJob).map(([name, job]) => [
    name,
    ...cellsOf(job),
    longest(name).toFixed(0),
  ]);
  const all = ['**all**', ...cellsOf(Object.values(perJob).reduce(added)), ''];
  const worst = Math.max(...days.map(upstream));
  return `${table(['requests a day', 'simulated', 'containers a route', ...jobs, 'demand', 'upstream', 'S3 gets of routes', 'rows read', 'written'], traffic, 2)}

One service, a line for each day, one after the other. Simulated are so many of the requests for coins of the snapshot and
for unknown ids, and of those for all others, which may cost a request of the plan: with the whole of its budget for those
that are simulated, what is fresh of tail and inactive is the most that it answers where that is not every one of them.

${table(['requests a day', 'of', 'simulated', 'fresh', 'stale', '404', '429', '5xx', 'answered before, not now'], answers, 2)}

${table(['job, in a month', ...cellTitles, 'longest s'], [...ofJobs, all])}

S3 answers after ${LATENCY_MS.s3} ms, the table after ${LATENCY_MS.table}, a source after ${LATENCY_MS.source}; processor time is this machine's. A month is made of the runs
after the first day, which fills an empty store, as often as the job runs in 30 days. In the end the store holds ${whole.format(objects.size)}
objects, ${(bytes / 1e6).toFixed(0)} MB.

- ${worst <= A_DAY ? 'reached' : 'MISSED '}: requests to ${PROVIDER} on the worst day ${worst} (at most ${A_DAY}, of ${whole.format(PLAN)} a month)
${days.slice(1).map(freshness).join('\n')}
`;
}

/** The share of requests for coins of snapshot and tail with fresh responses, each by its weight. */
function freshness({ requests, answers, thinned }: Day): string {
  let fresh = 0;
  let all = 0;
  for (const [kind, { gone: _, ...tally }] of answers) {
    if (!/^(snapshot|tail)/.test(kind)) continue;
    const weight = kind.startsWith('snapshot') ? thinned.listed : thinned.others;
    fresh += weight * tally.fresh;
    all += weight * Object.values(tally).reduce((sum, count) => sum + count, 0);
  }
  const share = (100 * fresh) / all;
  return `- ${share >= LEAST_FRESH ? 'reached' : 'MISSED '}: fresh at ${whole.format(requests)} a day, coins of snapshot and tail ${share.toFixed(2)} % (at least ${LEAST_FRESH})`;
}

const ownerOf = (key: string) => key.split('\t')[0] ?? '';
const isOfProvider = (key: string) => key.endsWith(`\t${PROVIDER}`);

function sumOf(counts: ReadonlyMap<string, number>, isCounted: (key: string) => boolean): number {
  return [...counts].reduce((sum, [key, count]) => sum + (isCounted(key) ? count : 0), 0);
}
