import { domains as domainTable } from '../../functions/domains.ts';
import { jobs as jobTable } from '../../functions/jobs.ts';
import { type StageConfig, stageConfig } from '../../infra/config.ts';
import { constructId } from '../../infra/constructs/functions.ts';
import { deployedDomains, deployedRoutes } from '../../infra/deployed-routes.ts';
import { countNames, valueUnits } from '../../shared/platform/metrics.ts';
import { printsMetrics } from '../../shared/platform/metrics-output.ts';
import { minutesOf, type Template } from '../deployed.ts';
import type { JobFigures } from '../job-figures.ts';
import { assumptions, type Level, prices } from './prices.ts';

/** The content of docs/measured.json. */
export interface Measured {
  /** The output of `npm run bench cold -- --json`. */
  readonly ticker: {
    /** Machine, date and command. */
    readonly measured: string;
    /** Processor time up to the first response. */
    readonly cpuMs: number;
    readonly p50Us: number;
  };
  /** The output of `npm run bench fleet -- --json`. */
  readonly jobs: { readonly measured: string; readonly perJob: Readonly<Record<string, JobFigures>> };
}

/** The billed resources of a stage. */
export interface Inventory {
  /** Memory of the functions that serve requests, averaged over the routes. */
  readonly memoryMb: number;
  readonly customMetrics: number;
  /** An alarm on an expression is billed by its metrics. */
  readonly alarmMetrics: number;
  /** Alarms composed of others. */
  readonly compositeAlarms: number;
  readonly tracing: boolean;
  readonly dashboards: number;
  readonly secrets: number;
  readonly distributions: number;
  readonly wafRules: number;
  readonly tables: number;
  /** Days for which S3 keeps replaced versions. */
  readonly versionDays: number;
  /** The runs of each job, by its name. */
  readonly runsAMonth: Readonly<Record<string, number>>;
}

/** USD per month by part, without parts that the stage lacks. */
export type Parts = Readonly<Record<string, number>>;

const GB = 1e9;
const MILLION = 1e6;
const DAYS = 30;
/** S3 keeps the old versions of what is not history for a day (infra/constructs/data-bucket.ts). */
const LATEST_DAYS = 1;
const MONTH_MINUTES = 30 * 24 * 60;

/** Counts the resources in a stage's templates, including nested ones. */
export function inventoryOf(templates: readonly Template[], config: StageConfig): Inventory {
  const resources = templates.flatMap(({ Resources = {} }) => Object.entries(Resources));
  const ofType = (type: string) => resources.filter(([, { Type }]) => Type === type);
  const lengthsOf = (type: string, name: string) =>
    ofType(type).map(([, { Properties }]) => {
      const list = Properties?.[name];
      return Array.isArray(list) ? list : [];
    });
  const domains = deployedDomains(domainTable, config);
  const routes = deployedRoutes(
    domains.flatMap((domain) => domain.routes),
    config,
  );
  const names = routes.map(constructId);
  const memories = ofType('AWS::Lambda::Function')
    .filter(([id]) => names.some((name) => new RegExp(`^${name}[0-9A-F]{8}$`).test(id)))
    .map(([, { Properties }]) => Number(Properties?.MemorySize));
  const schedules = new Map(
    ofType('AWS::Scheduler::Schedule').map(([, { Properties }]) => [
      String(Properties?.Description),
      MONTH_MINUTES / minutesOf(String(Properties?.ScheduleExpression)),
    ]),
  );
  const runs = jobTable.flatMap(({ name, summary }) => {
    const count = schedules.get(summary);
    return count === undefined ? [] : [[name.replace('marketdata/', ''), count] as const];
  });
  const ofDomains = domains.flatMap(({ counts = [] }) => counts);
  const all = countNames.length + ofDomains.length + Object.keys(valueUnits).length + 3 * routes.length;
  return {
    memoryMb: sumOf(memories) / memories.length,
    customMetrics: printsMetrics({ ...config.environment, NODE_ENV: config.nodeEnv }) ? all : 0,
    alarmMetrics: sumOf(
      lengthsOf('AWS::CloudWatch::Alarm', 'Metrics').map((metrics) =>
        Math.max(1, metrics.filter((metric) => metric.MetricStat !== undefined).length),
      ),
    ),
    compositeAlarms: ofType('AWS::CloudWatch::CompositeAlarm').length,
    tracing: config.tracing,
    dashboards: ofType('AWS::CloudWatch::Dashboard').length,
    secrets: ofType('AWS::SecretsManager::Secret').length,
    distributions: ofType('AWS::CloudFront::Distribution').length,
    wafRules: sumOf(lengthsOf('AWS::WAFv2::WebACL', 'Rules').map((rules) => rules.length)),
    tables: ofType('AWS::DynamoDB::GlobalTable').length,
    versionDays: config.versionDays,
    runsAMonth: Object.fromEntries(runs),
  };
}

export const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

/** USD per month for a job at this frequency: S3's requests and storage, Lambda, the table. */
export function jobCost(job: JobFigures, runs: number, versionDays: number): number {
  const s3 = (job.puts + job.lists) * prices.s3PerThousandWrites + job.gets * prices.s3PerThousandReads;
  const byteDays = job.historyBytes * versionDays + (job.putBytes - job.historyBytes) * LATEST_DAYS;
  const kept = (byteDays / GB / DAYS) * prices.s3PerGbMonth;
  const lambda = job.gbSeconds * prices.lambdaPerGbSecond + (job.runs / MILLION) * prices.lambdaPerMillion;
  const schedule = (job.runs / MILLION) * prices.schedulerPerMillion;
  const measured = s3 / 1000 + kept + lambda + schedule + tableCost(job.tableReads, job.tableWrites);
  return job.runs > 0 ? (measured * runs) / job.runs : 0;
}

function tableCost(reads: number, writes: number): number {
  return (reads * prices.dynamoDbPerMillionReads + writes * prices.dynamoDbPerMillionWrites) / MILLION;
}

const MONTH_SECONDS = MONTH_MINUTES * 60;

/** An upper bound, for evenly spread requests. */
const tracesOf = (invocations: number): number =>
  Math.min(invocations, MONTH_SECONDS) +
  (Math.max(0, invocations - MONTH_SECONDS) * assumptions.tracesPerThousand) / 1000;

/** The monthly cost of a stage at a level of traffic. */
export function estimate(level: Level, inventory: Inventory, { ticker, jobs }: Measured): Parts {
  const { memoryMb, distributions, wafRules, runsAMonth, versionDays } = inventory;
  const ofUsers = level.requestsADay * DAYS;
  const probes = runsAMonth.probe ?? 0;
  const requests = ofUsers + probes * assumptions.probeRequests;
  const edgeHits = distributions > 0 ? (ofUsers * assumptions.edgeHitsPerThousand) / 1000 : 0;
  const toApi = requests - edgeHits; // the probe's requests are never served at the edge
  const coldStarts = (toApi * level.coldStartsPerThousand) / 1000;
  const upstream = Math.min((toApi * assumptions.upstreamPerThousand) / 1000, assumptions.upstreamPerMonth);
  const slowness = Math.max(1, assumptions.memoryOfOneCpuMb / memoryMb);
  const warmMs = Math.max(1, Math.ceil((ticker.p50Us / 1000) * slowness)); // billed by the whole millisecond
  const computeMs = toApi * warmMs + upstream * assumptions.upstreamMs + coldStarts * ticker.cpuMs * slowness;
  const answersGb = (requests * assumptions.answerBytes) / GB;
  const { cloudFrontPerMillion, cloudFrontFunctionPerMillion, cloudFrontStoreReadPerMillion } = prices;
  const perMillionAtTheEdge =
    cloudFrontPerMillion + cloudFrontFunctionPerMillion + cloudFrontStoreReadPerMillion;
  const ofJobs = Object.entries(jobs.perJob).map(([name, job]) =>
    jobCost(job, runsAMonth[name] ?? 0, versionDays),
  );
  const parts = {
    'Jobs and the store': sumOf(ofJobs) + probes * assumptions.probeGbSeconds * prices.lambdaPerGbSecond,
    Metrics: inventory.customMetrics * prices.metricMonth,
    'Alarms and dashboard':
      inventory.alarmMetrics * prices.alarmMetricMonth +
      inventory.compositeAlarms * prices.compositeAlarmMonth +
      inventory.dashboards * prices.dashboardMonth,
    Secrets: inventory.secrets * prices.secretMonth,
    WAF:
      wafRules > 0
        ? prices.wafAclMonth + wafRules * prices.wafRuleMonth + (requests / MILLION) * prices.wafPerMillion
        : 0,
    'API Gateway': (toApi / MILLION) * prices.httpApiPerMillion,
    Lambda:
      (toApi / MILLION) * prices.lambdaPerMillion +
      (computeMs / 1000) * (memoryMb / 1024) * prices.lambdaPerGbSecond,
    Traces: inventory.tracing
      ? (tracesOf(toApi + sumOf(Object.values(runsAMonth))) / MILLION) * prices.tracesPerMillion
      : 0,
    Logs: ((toApi * assumptions.logBytes) / GB) * (prices.logsPerGbIngested + prices.logsPerGbMonth),
    'S3, reads of routes': ((coldStarts * assumptions.readsPerContainer) / 1000) * prices.s3PerThousandReads,
    CloudFront:
      distributions > 0 ? (requests / MILLION) * perMillionAtTheEdge + answersGb * prices.cloudFrontPerGb : 0,
    'Data transfer out': distributions > 0 ? 0 : answersGb * prices.transferOutPerGb,
    'DynamoDB, for requests':
      inventory.tables > 0
        ? tableCost(upstream * assumptions.tableReads, upstream * assumptions.tableWrites)
        : 0,
  };
  return Object.fromEntries(Object.entries(parts).filter(([, month]) => month > 0));
}

/** The stages of docs/cost.md: those of infra/config.ts, and the smallest one behind a distribution. */
export function costedStages(): readonly { name: string; stage: string; changes: Partial<StageConfig> }[] {
  const { edge } = stageConfig('dev');
  return [
    { name: 'hobby', stage: 'hobby', changes: {} },
    { name: 'hobby with CloudFront', stage: 'hobby', changes: { edge } },
    { name: 'dev', stage: 'dev', changes: {} },
    { name: 'prod', stage: 'prod', changes: {} },
  ];
}
