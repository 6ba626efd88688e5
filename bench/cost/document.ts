import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type StageConfig, stageConfig } from '../../infra/config.ts';
import { table, whole } from '../conditions.ts';
import { synthesized } from '../deployed.ts';
import { added, cellsOf, cellTitles, type JobFigures } from '../job-figures.ts';
import {
  costedStages,
  estimate,
  type Inventory,
  inventoryOf,
  type Measured,
  type Parts,
  sumOf,
} from './estimate.ts';
import { assumptions, prices } from './prices.ts';

const { levels } = assumptions;
const dollars = (amount: number): string => `$${amount.toFixed(2)}`;
const totalOf = (parts: Parts): number => sumOf(Object.values(parts));

/** Switches of prod that can be turned off, with their other values. */
const switches: readonly (readonly [name: string, off: Partial<StageConfig>])[] = [
  [
    "our own metrics: `environment: { METRICS: 'off' }`",
    { environment: { ...stageConfig('prod').environment, METRICS: 'off' } },
  ],
  ["all alarms but five: `alarms: 'few'`", { alarms: 'few' }],
  [
    'the firewall: `edge: { firewall: false, … }`',
    { edge: { ...stageConfig('prod').edge, firewall: false } as StageConfig['edge'] },
  ],
  ['the dashboard: `dashboard: false`', { dashboard: false }],
  ['traces: `tracing: false`', { tracing: false }],
  ['CloudFront with its firewall and secrets: `edge: false`', { edge: false }],
  ['the probe: `probe: false`', { probe: false }],
  [
    'candles and tokens every half hour: `CANDLES_MINUTES`, `TOKENS_MINUTES`',
    { environment: { ...stageConfig('prod').environment, CANDLES_MINUTES: '30', TOKENS_MINUTES: '30' } },
  ],
];

/** docs/cost.md, from the templates of all stages and the bench's figures. `folder` must be empty. */
export function costDocument(folder: string, measured: Measured): string {
  let made = 0;
  const inventory = (stage: string, changes: Partial<StageConfig>): Inventory => {
    made += 1;
    const place = join(folder, String(made));
    mkdirSync(place);
    return inventoryOf(synthesized(place, stage, changes), { ...stageConfig(stage), ...changes });
  };
  const stages = costedStages().map(({ name, stage, changes }) => ({
    name,
    inventory: inventory(stage, changes),
  }));
  const monthly = (of: Inventory) => levels.map((level) => estimate(level, of, measured));
  const columns = levels.map(({ requestsADay }) => `${whole.format(requestsADay)} a day`);
  const atRest = stages.map((stage) => ({ ...stage, parts: monthly(stage.inventory)[0] ?? {} }));
  const prod = stages.find(({ name }) => name === 'prod')?.inventory ?? inventory('prod', {});
  const prodAtRest = totalOf(monthly(prod)[0] ?? {});
  const { perJob, measured: bench } = measured.jobs;
  const jobRow = (name: string, job: JobFigures) => [name, ...cellsOf(job)];

  return `# Cost

USD a month, at list prices of ${prices.region} as of **${prices.asOf}**, without free tiers: from the templates, the bench's figures
and a price list. \`npm run generate -- cost\` writes this page, and a test compares it. Prices change: check
\`bench/cost/prices.ts\` against [the price list](https://aws.amazon.com/pricing/) before you rely on this.

${table(
  ['stage', ...columns],
  stages.map(({ name, inventory: of }) => [name, ...monthly(of).map((parts) => dollars(totalOf(parts)))]),
)}

## By part

Without a request, and prod with some:

${table(
  ['part', ...atRest.map(({ name }) => name), ...columns.slice(1).map((column) => `prod, ${column}`)],
  partRows([...atRest.map(({ parts }) => parts), ...monthly(prod).slice(1)]),
)}

## What each switch of prod saves

${table(
  ['without', 'a month without a request'],
  switches.map(([name, off]) => [
    name,
    dollars(prodAtRest - totalOf(monthly(inventory('prod', off))[0] ?? {})),
  ]),
)}

## Jobs

What they did in a simulated month with prod's schedules; another schedule counts in proportion to its runs. The history that
they put is counted as kept for ${stages.map(({ name, inventory: of }) => `${of.versionDays} days (${name})`).join(', ')}, and everything else for one.

${table(['in a month', ...cellTitles], [...Object.entries(perJob).map(([name, job]) => jobRow(name, job)), jobRow('**all**', Object.values(perJob).reduce(added))])}

${bench}

## Assumed

- The warm request of ${measured.ticker.p50Us.toFixed(1)} µs and the cold start of ${measured.ticker.cpuMs.toFixed(0)} ms of processor time: ${measured.ticker.measured}. Both are lengthened by
  the part of a processor that a function's memory gets (a whole one for ${whole.format(assumptions.memoryOfOneCpuMb)} MB; ${Math.round(prod.memoryMb)} MB on average), and a
  request is billed for one millisecond at least.
- Cold starts: ${levels
    .filter(({ requestsADay }) => requestsADay > 0)
    .map(
      ({ requestsADay, coldStartsPerThousand }) =>
        `${coldStartsPerThousand} in a thousand at ${whole.format(requestsADay)} a day`,
    )
    .join(', ')}.
- ${assumptions.upstreamPerThousand} in a thousand requests ask the provider and wait ${assumptions.upstreamMs} ms, at most ${whole.format(assumptions.upstreamPerMonth)} a month, each with ${assumptions.tableReads} reads and
  ${assumptions.tableWrites} writes of the table; a container reads ${assumptions.readsPerContainer} objects in its life.
- ${whole.format(assumptions.answerBytes)} bytes an answer and ${whole.format(assumptions.logBytes)} bytes of logs a request, kept for a month; CloudFront answers ${assumptions.edgeHitsPerThousand} in a thousand.
- Lambda traces one request a second and ${assumptions.tracesPerThousand} in a thousand of the rest.
- Metrics are counted at most: ${prod.customMetrics} of our own, ${prod.alarmMetrics} that alarms of prod look at. A run of the probe takes ${assumptions.probeGbSeconds} GB-seconds.
`;
}

function partRows(columns: readonly Parts[]): string[][] {
  const names = [...new Set(columns.flatMap((parts) => Object.keys(parts)))];
  const rows = names.map((name) => [
    name,
    ...columns.map((parts) => (parts[name] ? dollars(parts[name]) : '')),
  ]);
  return [...rows, ['**all**', ...columns.map((parts) => `**${dollars(totalOf(parts))}**`)]];
}
