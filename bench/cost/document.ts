import { domains as domainTable } from '../../functions/domains.ts';
import { stageConfig } from '../../infra/config.ts';
import { constructId } from '../../infra/constructs/functions.ts';
import { deployedDomains, deployedRoutes } from '../../infra/deployed-routes.ts';
import { countNames, valueUnits } from '../../shared/platform/metrics.ts';
import { table, whole } from '../conditions.ts';
import type { Template } from '../deployed.ts';
import { added, cellsOf, cellTitles, type JobFigures } from '../job-figures.ts';
import { estimate, inventoryOf, jobCost, type Measured, sumOf } from './estimate.ts';
import { assumptions, prices } from './prices.ts';

/** docs/cost.md, from the templates of stage prod and the bench's figures. */
export function costDocument(templates: readonly Template[], measured: Measured): string {
  const config = stageConfig('prod');
  const domains = deployedDomains(domainTable, config);
  const routes = deployedRoutes(
    domains.flatMap(({ routes }) => routes),
    config,
  );
  const inventory = inventoryOf(templates, routes.map(constructId));
  const ofDomains = domains.flatMap(({ counts = [] }) => counts);
  const customMetrics =
    countNames.length + ofDomains.length + Object.keys(valueUnits).length + 3 * routes.length;
  const { levels } = assumptions;
  const columns = levels.map((level) => estimate(level, inventory, customMetrics, measured));
  const totals = columns.map((parts) => sumOf(parts.map(({ month }) => month)));
  const perMillion = (amounts: readonly number[]) =>
    amounts.map((amount, index) => dollars((amount / (levels[index]?.requests ?? 1)) * 1e6));
  const rows = (columns[0] ?? []).map(({ name }) => {
    const amounts = columns.map((parts) => parts.find((part) => part.name === name)?.month ?? 0);
    return [name, ...perMillion(amounts)];
  });
  const inAll = [
    ['**all**', ...perMillion(totals).map((amount) => `**${amount}**`)],
    ['**a month in all**', ...totals.map((total) => `**${dollars(total)}**`)],
  ];

  return `# Cost

Computed by \`npm run generate -- cost\` from the template of stage prod, the bench's figures and a price list; a test holds this
page to what the script writes. USD, list prices of ${prices.region} as of **${prices.asOf}**, without free
tiers (which cover most of the first column). Prices change: check \`bench/cost/prices.ts\` against
[the price list](https://aws.amazon.com/pricing/) before you rely on this.

## Cost per million requests

${table(['part', ...levels.map(({ requests }) => `${whole.format(requests)} a month`)], [...rows, ...inAll])}

What is paid for by the month whatever the traffic (metrics, alarms, the dashboard, secrets${inventory.wafRules > 0 ? ', the firewall' : ''}) is most of
the bill of a small service: \`METRICS=off\` in \`environment\` of \`infra/config.ts\` does without the metrics.

${jobsSection(measured)}

## What it is computed from

| from | what | |
| --- | --- | --: |
| the template | memory of a function, on average | ${Math.round(inventory.memoryMb)} MB |
| | metrics that alarms look at | ${inventory.alarmMetrics} |
| | dashboards, secrets, tables | ${inventory.dashboards}, ${inventory.secrets}, ${inventory.tables} |
| | distributions, rules of the firewall | ${inventory.distributions}, ${inventory.wafRules} |
| | runs of the probe a month | ${whole.format(inventory.probeRunsPerMonth)} |
| the code | custom metrics, at most | ${customMetrics} |
| the bench | a warm request | ${measured.ticker.p50Us.toFixed(1)} µs |
| | processor time of a cold start with its first answer | ${measured.ticker.cpuMs.toFixed(0)} ms |

The bench: ${measured.ticker.measured}. Its durations are lengthened by the part of a processor that a function's memory
gets (a whole one for ${whole.format(assumptions.memoryOfOneCpuMb)} MB), and a request is billed for one millisecond at least.

Assumed:

- ${levels.map(({ requests, coldStartsPerThousand }) => `${coldStartsPerThousand} cold starts in a thousand at ${whole.format(requests)} requests a month`).join('; ')}
- ${assumptions.upstreamPerThousand} in a thousand requests ask the provider and wait ${assumptions.upstreamMs} ms for it, at most ${whole.format(assumptions.upstreamPerMonth)} a month, each with ${assumptions.tableReads} reads and ${assumptions.tableWrites} writes of the table
- ${assumptions.readsPerContainer} reads from S3 in a container's life; ${assumptions.probeGbSeconds} GB-seconds a run of the probe, whose ${assumptions.probeRequests} requests are counted beside those of users
- ${whole.format(assumptions.answerBytes)} bytes an answer, ${whole.format(assumptions.logBytes)} bytes of logs a request, kept for a month
${inventory.distributions > 0 ? `- ${assumptions.edgeHitsPerThousand} in a thousand requests are answered by CloudFront\n` : ''}`;
}

function jobsSection({ jobs }: Measured): string {
  const all = Object.entries(jobs.perJob);
  const row = (name: string, job: JobFigures) => [name, ...cellsOf(job), dollars(jobCost(job))];
  const rows = all.map(([name, job]) => row(name, job));
  const inAll = row('**all**', all.map(([, job]) => job).reduce(added));
  return `## Jobs and the store

What the deployed jobs did in the simulation of the fleet, in a month: the row "Jobs and the store" above, with the probe.
What they put is paid for as long as its versions are kept, ${assumptions.versionDays} days; what was written before the month is not in it.

${table(['in a month', ...cellTitles, '$'], [...rows, inAll])}

The bench: ${jobs.measured}.`;
}

const dollars = (amount: number): string => `$${amount.toFixed(2)}`;
