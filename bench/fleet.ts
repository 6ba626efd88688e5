/** The cost of a fleet of containers to the provider, and the answers that its callers get, with the real code in virtual time. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startDynamoDb } from '../local/dynamodb.ts';
import { createKeyedTable } from '../local/dynamodb-table.ts';
import { dynamoTable } from '../shared/coordination/dynamo-table.ts';
import { conditions } from './conditions.ts';
import { plot } from './fleet/plot.ts';
import { A_DAY, type Outcome, type Scenario, type Strategy } from './fleet/scenario.ts';
import { faultLevel, faults, historyLevel, levels } from './fleet/scenarios.ts';
import { simulate } from './fleet/simulate.ts';
import { type Named, sourcesReport } from './fleet/sources-report.ts';
import { known, percentile } from './fleet/tally.ts';
import { installVirtualClock } from './fleet/virtual-clock.ts';
import { ACTIVE, COINS, LISTED, MAPPED } from './fleet/workload.ts';

const { values: options } = parseArgs({
  args: process.argv.slice(3),
  options: {
    /** Up to how many requests a day; above a million a level takes several minutes. */
    'up-to': { type: 'string', default: '1000000' },
    zipf: { type: 'string', default: '1' },
    /** A folder for the plots. */
    svg: { type: 'string' },
    'no-faults': { type: 'boolean', default: false },
    /** After so many days, in weeks of which most are simulated sparsely, and nothing else. */
    'history-days': { type: 'string' },
    /** The same with other sources, and a day on which CoinPaprika is silent. */
    'sources-days': { type: 'string' },
  },
});
const zipfExponent = Number(options.zipf);
const server = await startDynamoDb();
const clock = installVirtualClock(Date.UTC(2026, 10, 10));
let runs = 0;

/** Each run has a table and a month of its own. */
async function run(
  scenario: Omit<Scenario, 'zipfExponent' | 'warmUpDays'> & Partial<Pick<Scenario, 'warmUpDays'>>,
): Promise<Outcome> {
  const id = `fleet-bench-${runs}`;
  const start = Date.UTC(2026, 11 + 3 * runs, 1);
  runs += 1;
  await createKeyedTable(server, id);
  const table = dynamoTable(id, {
    endpoint: server.url,
    region: server.environment.AWS_REGION,
    credentials: { accessKeyId: 'bench', secretAccessKey: 'bench' },
  });
  process.stderr.write(`${scenario.strategy}, ${scenario.requestsPerDay} requests a day …\n`);
  return simulate({ warmUpDays: 1, ...scenario, zipfExponent }, { clock, start, table });
}

const strategies: Readonly<Record<Exclude<Strategy, 'sources'>, string>> = {
  ttl: 'a cache in each container',
  fleet: 'shared cache and quota',
  snapshot: 'the same and ticker snapshots',
  history: 'the same and our own history',
};

/** What our own history changes, for whom: by coins and routes, before and after it has grown for some days. */
async function printHistory(days: readonly number[]): Promise<void> {
  const level = { ...historyLevel, active: ACTIVE };
  const answered = [];
  for (const [name, scenario] of [
    ['before: no history', { strategy: 'snapshot', warmUpDays: 1 }],
    ...days.map((day) => [`day ${day} of it`, { strategy: 'history', warmUpDays: day - 1 }] as const),
    ...days.slice(-1).map(
      (day) =>
        [
          `day ${day}, the provider silent all day`,
          {
            strategy: 'history',
            warmUpDays: day - 1,
            troubleAt: (hour: number) => (hour >= 0 ? 'silence' : 'none'),
          },
        ] as const,
    ),
  ] as const) {
    answered.push({ name, ...(await run({ ...level, ...scenario })) });
  }
  print(
    `\n${integer.format(level.requestsPerDay)} requests a day, 1/${level.sample} of them simulated on the measured day and the one before, 1/${level.warmUpSample} before; coins by Zipf's law (exponent ${zipfExponent}): ${integer.format(LISTED)} in the snapshot, ${integer.format(ACTIVE)} traded, of ${integer.format(COINS)}.\n`,
  );
  print('when | who asks for what | requests | fresh | stale | 429 | 404 | 502, 504');
  print('--- | --- | ---: | ---: | ---: | ---: | ---: | ---:');
  for (const { name, byGroup } of answered) {
    for (const [group, tally] of Object.entries(byGroup).sort()) {
      const all = known(tally) + tally.unknown;
      const shares = [tally.fresh, tally.stale, tally.refused, tally.unknown, tally.failed];
      print([name, group, integer.format(all), ...shares.map((share) => percent(share, all))].join(' | '));
    }
  }
  print('\nwhen | upstream that day | most in a day | over budget | coins never asked for');
  print('--- | ---: | ---: | --- | ---:');
  for (const { name, upstream, worstDay, isOverBudget, left } of answered) {
    print([name, upstream, worstDay, isOverBudget ? '**yes**' : 'no', left ?? '–'].join(' | '));
  }
}

/** Of an outage: by then exchanges have told two years of days. */
const OUTAGE_DAY = 3;

/** The same days with other sources: what they change, and what is left of it when CoinPaprika is silent for a day. */
async function printSources(days: readonly number[]): Promise<void> {
  const level = { ...historyLevel, active: ACTIVE, strategy: 'sources' } as const;
  const outcomes: Named[] = [];
  for (const day of days) {
    outcomes.push({ name: `day ${day}`, isOutage: false, ...(await run({ ...level, warmUpDays: day - 1 })) });
  }
  const outage = await run({
    ...level,
    warmUpDays: OUTAGE_DAY - 1,
    troubleAt: (hour) => (hour >= 0 ? 'silence' : 'none'),
  });
  outcomes.push({ name: `day ${OUTAGE_DAY}, an outage of 24 hours`, isOutage: true, ...outage });
  print(
    `\n${integer.format(level.requestsPerDay)} requests a day, 1/${level.sample} of them simulated on the measured day and the one before, 1/${level.warmUpSample} before; coins by Zipf's law (exponent ${zipfExponent}): ${integer.format(MAPPED)} at exchanges, ${integer.format(LISTED)} in the snapshot, ${integer.format(ACTIVE)} traded, of ${integer.format(COINS)}.\n`,
  );
  print(sourcesReport(outcomes));
}

const integer = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const percent = (part: number, whole: number) =>
  whole === 0 ? '–' : `${((100 * part) / whole).toFixed(2)} %`;

function cells(outcome: Outcome): string {
  const asked = known(outcome);
  const { fresh, stale, refused, failed, promised, broken, ages } = outcome;
  return [
    integer.format(outcome.upstream),
    outcome.isOverBudget ? '**yes**' : 'no',
    percent(fresh, asked),
    percent(stale, asked),
    percent(refused, asked),
    percent(failed, asked),
    percent(promised - broken, promised),
    ...[0.5, 0.99].map((part) => integer.format(percentile(ages, part))),
  ].join(' | ');
}

const columns =
  'upstream a day | over budget | fresh | stale | 429 | 502, 504 | had before, answered | ticker age p50, s | p99, s';
const rule = '---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---:';

const print = (line: string) => process.stdout.write(`${line}\n`);
print(conditions(`npm run bench fleet -- ${process.argv.slice(3).join(' ')}`.replace(/ -- $/, '')));
const { 'history-days': historyDays, 'sources-days': sourcesDays } = options;
if (historyDays !== undefined || sourcesDays !== undefined) {
  if (historyDays !== undefined) await printHistory(historyDays.split(',').map(Number));
  if (sourcesDays !== undefined) await printSources(sourcesDays.split(',').map(Number));
  await server.close();
  process.exit(0);
}
print(
  `\nSecond of two days from an empty cache. ${integer.format(56_000)} coins by Zipf's law (exponent ${zipfExponent}); 60 % tickers, 35 % candles, 5 % unknown ids, which the registry answers; containers live 45 minutes on average.\n`,
);
print(`requests a day | containers | simulated | | ${columns}`);
print(`---: | ---: | ---: | --- | ${rule}`);
const byLevel: { requestsPerDay: number; outcomes: Record<Strategy, number> }[] = [];
for (const level of levels.filter(({ requestsPerDay }) => requestsPerDay <= Number(options['up-to']))) {
  const { requestsPerDay, containers, sample } = level;
  const share = sample === 1 ? 'all' : `1/${sample} of requests and containers`;
  const head = `${integer.format(requestsPerDay)} | ${containers} | ${share}`;
  print(`${head} | no cache | ${integer.format(requestsPerDay * 0.95)} | **yes** | | | | | | |`);
  const outcomes: Partial<Record<Strategy, number>> = {};
  for (const strategy of ['ttl', 'fleet', 'snapshot'] as const) {
    const outcome = await run({ ...level, strategy });
    outcomes[strategy] = outcome.upstream;
    print(`${head} | ${strategies[strategy]} | ${cells(outcome)}`);
  }
  byLevel.push({ requestsPerDay, outcomes: outcomes as Record<Strategy, number> });
}

const byHour: { name: string; hours: readonly number[] }[] = [];
if (!options['no-faults']) {
  print(
    `\n${integer.format(faultLevel.requestsPerDay)} requests a day, ${faultLevel.containers} containers, ${strategies.snapshot}:\n`,
  );
  print(`what goes wrong | ${columns}`);
  print(`--- | ${rule}`);
  for (const { name, ...fault } of faults) {
    const outcome = await run({ ...faultLevel, strategy: 'snapshot', ...fault });
    print(`${name} | ${cells(outcome)}`);
    byHour.push({ name, hours: outcome.upstreamByHour });
  }
}

if (options.svg) {
  await mkdir(options.svg, { recursive: true });
  const colors = ['#1f77b4', '#d62728', '#2ca02c', '#9467bd', '#ff7f0e', '#17becf', '#8c564b'];
  const line = (name: string, color: number, y: (level: (typeof byLevel)[number]) => number) => ({
    name,
    color: colors[color] ?? '',
    points: byLevel.map((level) => [level.requestsPerDay, y(level)] as const),
  });
  await writeFile(
    join(options.svg, 'fleet-upstream.svg'),
    plot(
      'Upstream requests a day',
      {
        title: 'requests a day',
        ticks: byLevel.map(({ requestsPerDay }) => requestsPerDay),
        isLogarithmic: true,
      },
      { title: 'upstream requests a day', ticks: [100, 1e3, 1e4, 1e5, 1e6, 1e7], isLogarithmic: true },
      [
        line('no cache', 1, ({ requestsPerDay }) => requestsPerDay * 0.95),
        line(strategies.ttl, 4, ({ outcomes }) => outcomes.ttl),
        line('shared cache and quota', 0, ({ outcomes }) => outcomes.fleet),
        line('and ticker snapshots', 2, ({ outcomes }) => outcomes.snapshot),
        { ...line(`budget: ${A_DAY}`, 3, () => A_DAY), dashed: true },
      ],
    ),
  );
  if (byHour.length > 0) {
    await writeFile(
      join(options.svg, 'fleet-day.svg'),
      plot(
        `Upstream requests since midnight, ${integer.format(faultLevel.requestsPerDay)} requests a day`,
        { title: 'hour (UTC)', ticks: [0, 3, 6, 9, 12, 15, 18, 21, 24] },
        { title: 'upstream requests', ticks: [0, 200, 400, 600, 800, 1000] },
        [
          ...byHour.slice(0, 4).map(({ name, hours }, index) => ({
            name: name.split(',')[0]?.split(' from')[0] ?? name,
            color: colors[index] ?? '',
            points: hours.map((total, hour) => [hour, total] as const),
          })),
          {
            name: `budget: ${A_DAY}`,
            color: colors[6] ?? '',
            dashed: true,
            points: [
              [0, A_DAY],
              [24, A_DAY],
            ],
          },
        ],
      ),
    );
  }
}
await server.close();
process.exit(0);
