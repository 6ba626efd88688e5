import type { HistoryConfig } from '../../infra/config.ts';
import { VERSION_DAYS } from '../../shared/marketdata/store/names.ts';
import { assumptions } from './assumptions.ts';
import type { Part } from './estimate.ts';
import type { HistoryCost } from './history-cost.ts';
import type { ObjectBytes } from './history-objects.ts';
import { prices } from './prices.ts';
import { dollars, sizeOf, sumOf } from './text.ts';

interface PlanCost extends HistoryCost {
  readonly name: string;
  readonly coins: number;
}

const number = new Intl.NumberFormat('en-US');
const objects: readonly (readonly [keyof ObjectBytes, title: string])[] = [
  ['samples', 'samples of a run, all coins'],
  ['hoursOfDay', 'hours of a day, all coins'],
  ['daysOfYear', 'days of a coin, one year'],
  ['daysOfFiveYears', 'days of a coin, five years'],
  ['hoursOfMonth', 'hours of a coin, one month'],
];

/** The section on our own history: what it takes and costs by plan, the free one first. */
export function historySection(
  plans: readonly PlanCost[],
  metricNames: readonly string[],
  { sampleDays, hourlyDays }: HistoryConfig,
): string {
  const { history } = assumptions;
  // CloudWatch charges a metric by the hour in which it comes, and an object that cannot be used is rare.
  const metrics = metricNames.filter((name) => name.startsWith('History') && name !== 'HistoryUnusable');
  const watched: readonly Part[] = [
    { name: `Metrics (${metrics.length})`, month: metrics.length * prices.metricMonth },
    { name: `Alarms (${history.alarms})`, month: history.alarms * prices.alarmMetricMonth },
  ];
  const all = plans.map(({ parts }) => [...parts, ...watched]);
  const row = (name: string, cells: readonly string[]) => `| ${[name, ...cells].join(' | ')} |`;
  const ofEach = (name: string, text: (plan: PlanCost) => string) => row(name, plans.map(text));

  return `## History

What our own history costs in a month, on top of what was there before: the row "History" above, and its part of metrics
and alarms. \`HistoryUnusable\` is paid for only in the hours in which an object cannot be used. Bytes are those of
objects that the service's own encoders make, of as many coins as the snapshot has.

${ofEach('', ({ name, coins }) => `${name}, ${number.format(coins)} coins`)}
| --- | ${plans.map(() => '--:').join(' | ')} |
${objects.map(([name, title]) => ofEach(title, ({ bytes }) => sizeOf(bytes[name]))).join('\n')}
${ofEach('stored after a month', ({ stored }) => sizeOf(stored.afterMonth))}
${ofEach('stored after two years', ({ stored }) => sizeOf(stored.afterTwoYears))}
${ofEach('earlier versions among them', ({ stored }) => sizeOf(stored.versions))}
${ofEach('puts and lists in a month', ({ writes }) => number.format(writes))}
${ofEach('gets in a month', ({ reads }) => number.format(reads))}
${ofEach('GB-seconds of its two jobs in a month', ({ gbSeconds }) => number.format(Math.round(gbSeconds)))}
${ofEach('reads of the table in a month', ({ tableReads }) => number.format(tableReads))}
${ofEach('writes of the table in a month', ({ tableWrites }) => number.format(tableWrites))}
${(all[0] ?? [])
  .map(({ name }, index) =>
    row(
      name,
      all.map((parts) => dollars(parts[index]?.month ?? 0)),
    ),
  )
  .join('\n')}
${row(
  '**all**, after two years',
  all.map((parts) => `**${dollars(sumOf(parts))}**`),
)}

${verdict(sumOf(all[0] ?? []), plans[0]?.coins ?? 0)}

Samples and the hours of a day are kept for ${sampleDays} days, the hours of a coin for ${hourlyDays}, and its days for ever (\`history\`
of \`infra/config.ts\`). What was overwritten or has expired can be restored for ${VERSION_DAYS} days, and is paid for as long.

Assumed:

- ${history.runsADay} runs a day of the roll-up, and as many of the backfill, of ${history.idleSeconds} s each, with ${number.format(history.memoryMb.rollUp)} and ${history.memoryMb.backfill} MB; besides, for a thousand
  coins, ${history.hourSecondsPerThousand} s for every hour that is published and ${history.daySecondsPerThousand} s for every day that is rolled up, with two gets and two puts a coin
- ${history.backfillADay} requests of the backfill a day, of ${history.backfillSeconds} s each with a get, a put and ${history.tableWritesPerRequest} writes of the table; ${history.wishRows} rows of wishes are
  read at each run. A run of each, together, lists and puts ${history.writesOfRuns} times and gets ${history.readsOfRuns} objects besides
- all ${number.format(history.backfilledCoins)} active coins have the days of one year after a month, and of five after two years
`;
}

function verdict(month: number, coins: number): string {
  const { target } = assumptions.history;
  const isReached = month <= target;
  const difference = dollars(Math.abs(month - target));
  return `Target: at most ${dollars(target)} for ${number.format(coins)} coins. It is **${isReached ? 'reached' : 'missed'}**, with ${dollars(month)}: ${difference} ${isReached ? 'are left' : 'too much'}.`;
}
