import { domains as domainTable } from '../../functions/domains.ts';
import { stageConfig } from '../../infra/config.ts';
import { constructId } from '../../infra/constructs/route-function.ts';
import { deployedDomains, deployedRoutes } from '../../infra/deployed-routes.ts';
import { countNames, valueUnits } from '../../shared/platform/metrics.ts';
import { assumptions } from './assumptions.ts';
import { estimate, type Measured } from './estimate.ts';
import { historyCost } from './history-cost.ts';
import { historySection } from './history-section.ts';
import { prices } from './prices.ts';
import { cheaper, sourceCosts } from './sources-cost.ts';
import { sourcesSection } from './sources-section.ts';
import { type CostTemplate, inventoryOf } from './template.ts';
import { dollars, sumOf } from './text.ts';

/** The jobs whose runs are counted here; those of the history and of other sources are in their own sections. */
export const publishing = ['marketdata/snapshot', 'marketdata/registry'] as const;

const number = new Intl.NumberFormat('en-US');

/** docs/cost.md, from the templates of stage prod and the bench's figures. */
export function costDocument(templates: readonly CostTemplate[], measured: Measured): string {
  const config = stageConfig('prod');
  const domains = deployedDomains(domainTable, config);
  const routes = deployedRoutes(
    domains.flatMap(({ routes }) => routes),
    config,
  );
  const inventory = inventoryOf(
    templates,
    routes.map(constructId),
    publishing.map((name) => constructId({ name })),
  );
  const customNames = [
    ...countNames,
    ...domains.flatMap(({ counts = [] }) => counts),
    ...Object.keys(valueUnits),
  ];
  const customMetrics = customNames.length + 3 * routes.length;
  const { levels } = assumptions;
  const histories = assumptions.history.plans.map((plan) => ({
    ...plan,
    ...historyCost(plan.coins, config.history),
  }));
  const ofFreePlan = { name: 'History', month: sumOf(histories[0]?.parts ?? []) };
  const sources = sourceCosts(config.history);
  const ofSources = { name: 'Other sources', month: sumOf(sources.flatMap(({ parts }) => parts)) };
  const columns = levels.map((level) => [
    ...estimate(level, inventory, customMetrics, measured),
    ofFreePlan,
    ofSources,
  ]);
  const rows = (columns[0] ?? []).map(({ name }) => [
    name,
    ...columns.map((parts) => parts.find((part) => part.name === name)?.month ?? 0),
  ]);
  const totals = columns.map(sumOf);
  const perMillion = (amounts: readonly (string | number)[]) =>
    amounts.map((amount, index) =>
      typeof amount === 'number' ? dollars((amount / (levels[index - 1]?.requests ?? 1)) * 1e6) : amount,
    );

  return `# Cost

Computed by \`npm run generate -- cost\` from the template of stage prod, the bench's durations and a price list; a test holds this
page to what the script writes. USD, list prices of ${prices.region} as of **${prices.asOf}**, without free
tiers (which cover most of the first column). Prices change: check \`bench/cost/prices.ts\` against
[the price list](https://aws.amazon.com/pricing/) before you rely on this.

## Cost per million requests

| part | ${levels.map(({ requests }) => `${number.format(requests)} a month`).join(' | ')} |
| --- | ${levels.map(() => '--:').join(' | ')} |
${rows.map((row) => `| ${perMillion(row).join(' | ')} |`).join('\n')}
| **all** | ${perMillion(['', ...totals])
    .slice(1)
    .map((amount) => `**${amount}**`)
    .join(' | ')} |
| **a month in all** | ${totals.map((total) => `**${dollars(total)}**`).join(' | ')} |

What is paid for by the month whatever the traffic (metrics, alarms, the dashboard, secrets${inventory.wafRules > 0 ? ', the firewall' : ''}) is most of
the bill of a small service: \`METRICS=off\` in \`environment\` of \`infra/config.ts\` does without the metrics.

${historySection(histories, customNames, config.history)}
${sourcesSection(sources, cheaper(config.history))}
## What it is computed from

| from | what | |
| --- | --- | --: |
| the template | memory of a function, on average | ${Math.round(inventory.memoryMb)} MB |
| | metrics that alarms look at | ${inventory.alarmMetrics} |
| | dashboards, secrets, tables | ${inventory.dashboards}, ${inventory.secrets}, ${inventory.tables} |
| | distributions, rules of the firewall | ${inventory.distributions}, ${inventory.wafRules} |
| | runs of scheduled jobs, of the probe a month | ${number.format(inventory.jobRunsPerMonth)}, ${number.format(inventory.probeRunsPerMonth)} |
| the code | custom metrics, at most | ${customMetrics} |
| the bench | a warm request | ${measured.p50Us.toFixed(1)} µs |
| | processor time of a cold start with its first answer | ${measured.cpuMs.toFixed(0)} ms |

The bench: ${measured.measured}. Its durations are lengthened by the part of a processor that a function's memory
gets (a whole one for ${number.format(assumptions.memoryOfOneCpuMb)} MB), and a request is billed for one millisecond at least.

Assumed:

- ${levels.map(({ requests, coldStartsPerThousand }) => `${coldStartsPerThousand} cold starts in a thousand at ${number.format(requests)} requests a month`).join('; ')}
- ${assumptions.upstreamPerThousand} in a thousand requests ask the provider and wait ${assumptions.upstreamMs} ms for it, at most ${number.format(assumptions.upstreamPerMonth)} a month
- ${assumptions.readsPerContainer} reads from S3 in a container's life, ${assumptions.jobSeconds} s a run of a job, ${assumptions.probeGbSeconds} GB-seconds one of the probe, whose requests are counted beside those of users
- ${number.format(assumptions.answerBytes)} bytes an answer, ${number.format(assumptions.logBytes)} bytes of logs a request, kept for a month
${inventory.distributions > 0 ? `- ${assumptions.edgeHitsPerThousand} in a thousand requests are answered by CloudFront\n` : ''}
`
    .trimEnd()
    .concat('\n');
}
