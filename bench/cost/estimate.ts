import { aliasesOf, minutesOf, type Template } from '../deployed.ts';
import type { JobFigures } from '../job-figures.ts';
import { assumptions, type Level, prices } from './prices.ts';

/** The content of docs/measured.json. */
export interface Measured {
  /** Of `npm run bench cold -- --json`. */
  readonly ticker: {
    /** Machine, date and command. */
    readonly measured: string;
    /** Processor time up to the first answer. */
    readonly cpuMs: number;
    readonly p50Us: number;
  };
  /** Of `npm run bench fleet -- --json`. */
  readonly jobs: { readonly measured: string; readonly perJob: Readonly<Record<string, JobFigures>> };
}

/** The contents of a stage's templates that are paid for. */
export interface Inventory {
  /** Memory of the functions that answer requests, on average by route. */
  readonly memoryMb: number;
  readonly alarmMetrics: number;
  readonly dashboards: number;
  readonly secrets: number;
  readonly distributions: number;
  readonly wafRules: number;
  readonly tables: number;
  readonly probeRunsPerMonth: number;
}

export interface Part {
  readonly name: string;
  /** USD a month. */
  readonly month: number;
}

const GB = 1e9;
const MILLION = 1e6;
const LOG_MONTHS = 1;

/** Counts the resources of all templates of a stage. `routeFunctions` are the beginnings of their logical ids. */
export function inventoryOf(templates: readonly Template[], routeFunctions: readonly string[]): Inventory {
  const resources = templates.flatMap(({ Resources = {} }) => Object.entries(Resources));
  const ofType = (type: string) => resources.filter(([, { Type }]) => Type === type);
  const count = (type: string) => ofType(type).length;
  const memories = ofType('AWS::Lambda::Function')
    .filter(([id]) => routeFunctions.some((name) => new RegExp(`^${name}[0-9A-F]{8}$`).test(id)))
    .map(([, { Properties }]) => Number(Properties?.MemorySize));
  // The probe is the one scheduled function that knows the page's address.
  const probes = ofType('AWS::Lambda::Function')
    .filter(([, { Properties }]) => JSON.stringify(Properties?.Environment ?? '').includes('"PAGE_URL"'))
    .flatMap(([id]) => aliasesOf(resources, id).map((alias) => `"${alias}"`));
  const probed = ofType('AWS::Scheduler::Schedule').filter(([, { Properties }]) =>
    probes.some((id) => JSON.stringify(Properties?.Target).includes(id)),
  );
  return {
    memoryMb: sumOf(memories) / memories.length,
    alarmMetrics: sumOf(
      ofType('AWS::CloudWatch::Alarm').map(([, { Properties }]) => metricsOfAlarm(Properties?.Metrics)),
    ),
    dashboards: count('AWS::CloudWatch::Dashboard'),
    secrets: count('AWS::SecretsManager::Secret'),
    distributions: count('AWS::CloudFront::Distribution'),
    wafRules: sumOf(
      ofType('AWS::WAFv2::WebACL').map(([, { Properties }]) =>
        Array.isArray(Properties?.Rules) ? Properties.Rules.length : 0,
      ),
    ),
    tables: count('AWS::DynamoDB::GlobalTable') + count('AWS::DynamoDB::Table'),
    probeRunsPerMonth: sumOf(
      probed.map(([, { Properties }]) => (30 * 24 * 60) / minutesOf(String(Properties?.ScheduleExpression))),
    ),
  };
}

/** An alarm on an expression is paid for by the metrics in it. */
function metricsOfAlarm(metrics: unknown): number {
  if (!Array.isArray(metrics)) return 1;
  return metrics.filter((metric: { MetricStat?: unknown }) => metric.MetricStat !== undefined).length;
}

export const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

/** USD a month of a job: S3's requests and what it keeps of them, Lambda, the table. */
export function jobCost(job: JobFigures): number {
  const s3 = (job.puts + job.lists) * prices.s3PerThousandWrites + job.gets * prices.s3PerThousandReads;
  const kept = (job.putBytes / GB) * (assumptions.versionDays / 30) * prices.s3PerGbMonth;
  const lambda = job.gbSeconds * prices.lambdaPerGbSecond + (job.runs / MILLION) * prices.lambdaPerMillion;
  return s3 / 1000 + kept + lambda + tableCost(job.tableReads, job.tableWrites);
}

function tableCost(reads: number, writes: number): number {
  return (reads * prices.dynamoDbPerMillionReads + writes * prices.dynamoDbPerMillionWrites) / MILLION;
}

/** The cost of a stage in a month at a level of traffic, part by part. */
export function estimate(
  { requests: ofUsers, coldStartsPerThousand }: Level,
  inventory: Inventory,
  customMetrics: number,
  { ticker, jobs }: Measured,
): Part[] {
  const hasEdge = inventory.distributions > 0;
  const perMillionAtTheEdge =
    prices.cloudFrontPerMillion + prices.cloudFrontFunctionPerMillion + prices.cloudFrontStoreReadPerMillion;
  const requests = ofUsers + inventory.probeRunsPerMonth * assumptions.probeRequests;
  const edgeHits = hasEdge ? (ofUsers * assumptions.edgeHitsPerThousand) / 1000 : 0;
  const toApi = requests - edgeHits; // the probe's are never answered at the edge
  const coldStarts = (toApi * coldStartsPerThousand) / 1000;
  const upstream = Math.min((toApi * assumptions.upstreamPerThousand) / 1000, assumptions.upstreamPerMonth);
  const slowness = Math.max(1, assumptions.memoryOfOneCpuMb / inventory.memoryMb);
  const warmMs = Math.max(1, Math.ceil((ticker.p50Us / 1000) * slowness)); // billed by the whole millisecond
  const computeMs = toApi * warmMs + upstream * assumptions.upstreamMs + coldStarts * ticker.cpuMs * slowness;
  const logGb = (toApi * assumptions.logBytes) / GB;
  const answersGb = (requests * assumptions.answerBytes) / GB;
  const probe = inventory.probeRunsPerMonth * assumptions.probeGbSeconds * prices.lambdaPerGbSecond;
  const reads = coldStarts * assumptions.readsPerContainer;

  const parts: Part[] = [
    { name: 'API Gateway, HTTP API', month: (toApi / MILLION) * prices.httpApiPerMillion },
    { name: 'Lambda, requests', month: (toApi / MILLION) * prices.lambdaPerMillion },
    {
      name: 'Lambda, compute',
      month: (computeMs / 1000) * (inventory.memoryMb / 1024) * prices.lambdaPerGbSecond,
    },
    { name: 'Logs', month: logGb * (prices.logsPerGbIngested + LOG_MONTHS * prices.logsPerGbMonth) },
    { name: 'Metrics', month: customMetrics * prices.metricMonth },
    {
      name: 'Alarms and dashboard',
      month: inventory.alarmMetrics * prices.alarmMetricMonth + inventory.dashboards * prices.dashboardMonth,
    },
    { name: 'Secrets', month: inventory.secrets * prices.secretMonth },
    { name: 'S3, reads of routes', month: (reads / 1000) * prices.s3PerThousandReads },
    { name: 'Jobs and the store', month: probe + sumOf(Object.values(jobs.perJob).map(jobCost)) },
    {
      name: hasEdge ? 'CloudFront' : 'Data transfer out',
      month: hasEdge
        ? (requests / MILLION) * perMillionAtTheEdge + answersGb * prices.cloudFrontPerGb
        : answersGb * prices.transferOutPerGb,
    },
  ];
  if (inventory.wafRules > 0) {
    const fixed = prices.wafAclMonth + inventory.wafRules * prices.wafRuleMonth;
    parts.push({ name: 'WAF', month: fixed + (requests / MILLION) * prices.wafPerMillion });
  }
  if (inventory.tables > 0) {
    const { tableReads, tableWrites } = assumptions;
    const month = tableCost(upstream * tableReads, upstream * tableWrites);
    parts.push({ name: 'DynamoDB, for requests', month });
  }
  return parts;
}
