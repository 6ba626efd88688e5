import { table, whole } from '../conditions.ts';
import type { DeployedFunction } from '../deployed.ts';
import { added, cellsOf, cellTitles, jobFigures } from '../job-figures.ts';
import { FIRST_MS, type Spread } from './ages.ts';
import { LATENCY_MS } from './network.ts';
import type { Day, Simulation } from './simulation.ts';
import { limits, PROVIDER } from './sources.ts';

const PLAN = 20_000;
const A_DAY = Math.floor(PLAN / 31);
const LEAST_FRESH = 95;
/** Seconds. */
const MOST_AGE = { median: 60, oldest: 150 };

/** Markdown. */
export function report(simulation: Simulation, functions: readonly DeployedFunction[]): string {
  const { days, objects } = simulation;
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

${table(['requests a day', 'made by', 'prices', 'part', ...spreadTitles('answered'), ...spreadTitles('shown')], days.flatMap(agesOf), 2)}

The age of a price, in seconds, in tickers of coins that an exchange trades: when it is answered, and while a cache at the edge or in a
browser shows it, at the beginning, in the middle and at the end of its \`max-age\`. The first ${FIRST_MS / 60_000} minutes are left out: there are no
prices of exchanges before there is a map of their markets.

${table(['source', 'requests of all days', 'busiest second', 'busiest minute', 'limit', 'beyond it'], usesOf(simulation))}

${table(['job, in a month', ...cellTitles, 'longest s'], [...ofJobs, all])}

S3 answers after ${LATENCY_MS.s3} ms, the table after ${LATENCY_MS.table}, a source after ${LATENCY_MS.source}; processor time is this machine's. A month is made of the runs
after the first day, which fills an empty store, as often as the job runs in 30 days. In the end the store holds ${whole.format(objects.size)}
objects, ${(bytes / 1e6).toFixed(0)} MB.

- ${worst <= A_DAY ? 'reached' : 'MISSED '}: requests to ${PROVIDER} on the worst day ${worst} (at most ${A_DAY}, of ${whole.format(PLAN)} a month)
${[...days.slice(1).map(freshness), ...days.flatMap(ageTargets), refusalTarget(simulation)].join('\n')}
`;
}

const spreadTitles = (when: string): string[] => [`${when}: median`, 'p95', 'oldest'];
const cellsOfSpread = ({ median, p95, oldest }: Spread) => [median, p95, oldest].map((age) => age.toFixed(0));

function agesOf({ requests, ages }: Day): string[][] {
  const all = ages.get('all')?.prices ?? 0;
  return Array.from(ages, ([maker, { prices, answered, shown }]) => {
    const part = `${((100 * prices) / all).toFixed(2)} %`;
    const of = [whole.format(requests), maker, whole.format(prices), part];
    return [...of, ...cellsOfSpread(answered), ...cellsOfSpread(shown)];
  });
}

function ageTargets({ requests, ages }: Day): string[] {
  return [...ages].flatMap(([maker, { shown }]) => {
    if (maker === 'provider') return [];
    return (['median', 'oldest'] as const).map((name) => targetOf(requests, maker, name, shown[name]));
  });
}

function targetOf(requests: number, maker: string, name: keyof typeof MOST_AGE, age: number): string {
  const most = MOST_AGE[name];
  const of = maker === 'all' ? 'of all prices' : `of those of ${maker}`;
  return `- ${age <= most ? 'reached' : 'MISSED '}: shown age at ${whole.format(requests)} a day, ${name} ${of} ${age.toFixed(0)} s (at most ${most})`;
}

function usesOf({ days, loads, refusals }: Simulation): (string | number)[][] {
  return [...loads].map(([name, { second, minute, weight }]) => {
    const requests = days.reduce((sum, { counts }) => sum + sumOf(counts, isOf(name)), 0);
    const beyond = refusals.get(name) ?? 0;
    const inMinute = weight > 0 ? `${minute.most}, of weight ${whole.format(weight)}` : minute.most;
    return [name, whole.format(requests), second.most, inMinute, limitOf(name), beyond];
  });
}

function limitOf(name: string): string {
  const limit = limits[name];
  if (limit === undefined) return '';
  return name === 'binance' ? `weight ${whole.format(limit)} a minute` : `${limit} a second`;
}

function refusalTarget({ refusals }: Simulation): string {
  const all = [...refusals.values()].reduce((sum, count) => sum + count, 0);
  return `- ${all === 0 ? 'reached' : 'MISSED '}: requests beyond a source's limit ${all} (none)`;
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
/** Refused ones too. */
const isOf = (source: string) => (key: string) => key.split('\t')[1]?.split(' ')[0] === source;

function sumOf(counts: ReadonlyMap<string, number>, isCounted: (key: string) => boolean): number {
  return [...counts].reduce((sum, [key, count]) => sum + (isCounted(key) ? count : 0), 0);
}
