import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

type Properties = Readonly<Record<string, unknown>> | undefined;

/** A synthesized template, as far as its cost is concerned. */
export interface CostTemplate {
  readonly Resources?: Readonly<Record<string, { readonly Type: string; readonly Properties?: Properties }>>;
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
  /** Of the jobs that publish snapshot and registry; the others' are in `history-cost.ts` and `sources-cost.ts`. */
  readonly jobRunsPerMonth: number;
  readonly probeRunsPerMonth: number;
}

/** The templates of a cloud assembly, the nested ones too. */
export function templatesIn(assembly: string): CostTemplate[] {
  return readdirSync(assembly)
    .filter((file) => file.endsWith('.template.json'))
    .map((file) => JSON.parse(readFileSync(join(assembly, file), 'utf8')));
}

/**
 * Counts the resources of all templates of a stage. `routeFunctions` and `publishingJobs` are the beginnings of their
 * logical ids.
 */
export function inventoryOf(
  templates: readonly CostTemplate[],
  routeFunctions: readonly string[],
  publishingJobs: readonly string[],
): Inventory {
  const resources = templates.flatMap(({ Resources = {} }) => Object.entries(Resources));
  const ofType = (type: string) => resources.filter(([, { Type }]) => Type === type);
  const memories = ofType('AWS::Lambda::Function')
    .filter(([id]) => routeFunctions.some((name) => new RegExp(`^${name}[0-9A-F]{8}$`).test(id)))
    .map(([, { Properties }]) => Number(Properties?.MemorySize));
  const schedules = ofType('AWS::Scheduler::Schedule').map(([, { Properties }]) => Properties);
  const runs = (ofKind: JobKind) =>
    schedules
      .filter((schedule) => jobKind(schedule, resources, publishingJobs) === ofKind)
      .reduce((sum, schedule) => sum + runsPerMonth(String(schedule?.ScheduleExpression)), 0);
  return {
    memoryMb: memories.reduce((sum, memory) => sum + memory, 0) / memories.length,
    alarmMetrics: ofType('AWS::CloudWatch::Alarm').reduce(
      (sum, [, { Properties }]) => sum + metricsOfAlarm(Properties?.Metrics),
      0,
    ),
    dashboards: ofType('AWS::CloudWatch::Dashboard').length,
    secrets: ofType('AWS::SecretsManager::Secret').length,
    distributions: ofType('AWS::CloudFront::Distribution').length,
    wafRules: ofType('AWS::WAFv2::WebACL').reduce(
      (sum, [, { Properties }]) => sum + listLength(Properties?.Rules),
      0,
    ),
    tables: ofType('AWS::DynamoDB::GlobalTable').length + ofType('AWS::DynamoDB::Table').length,
    jobRunsPerMonth: runs('publishing'),
    probeRunsPerMonth: runs('probe'),
  };
}

/** An alarm on an expression is paid for by the metrics in it. */
function metricsOfAlarm(metrics: unknown): number {
  if (!Array.isArray(metrics)) return 1;
  return metrics.filter((metric: { MetricStat?: unknown }) => metric.MetricStat !== undefined).length;
}

type JobKind = 'probe' | 'publishing' | 'other';

/** The probe is the one scheduled function that knows the page's address. */
function jobKind(
  schedule: Properties,
  resources: readonly [string, { readonly Properties?: Properties }][],
  publishingJobs: readonly string[],
): JobKind {
  const target = JSON.stringify(schedule?.Target);
  const [id = '', started] =
    resources.find(([one]) => target.startsWith(`{"Arn":{"Fn::GetAtt":["${one}",`)) ?? [];
  if (JSON.stringify(started?.Properties?.Environment ?? '').includes('"PAGE_URL"')) return 'probe';
  return publishingJobs.some((name) => id.startsWith(name)) ? 'publishing' : 'other';
}

/** Of `rate(10 minutes)`, in a month of 30 days. */
function runsPerMonth(schedule: string): number {
  const [, count = '', unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(schedule) ?? [];
  const perDay: Record<string, number> = { minute: 1440, hour: 24, day: 1 };
  return (30 * (perDay[unit] ?? 0)) / Number(count);
}

function listLength(list: unknown): number {
  return Array.isArray(list) ? list.length : 0;
}
