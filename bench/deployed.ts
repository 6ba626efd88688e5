/** The deployment of stage prod, read from its synthesized template: functions, their environment and schedules. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import cdkJson from '../cdk.json' with { type: 'json' };
import { jobs } from '../functions/jobs.ts';
import { routes } from '../functions/routes.ts';
import { type StageConfig, stageConfig } from '../infra/config.ts';
import { constructId } from '../infra/constructs/functions.ts';
import { MarketDataStack } from '../infra/stack.ts';
import { buildRegistry, writeRegistry } from '../registry-layer/build.ts';
import { simulatedEntries } from '../registry-layer/simulated/list.ts';
import { build, functionId } from '../scripts/build.ts';

type Properties = Readonly<Record<string, unknown>> | undefined;

export interface Template {
  readonly Resources?: Readonly<Record<string, { readonly Type: string; readonly Properties?: Properties }>>;
}

export interface DeployedFunction {
  readonly name: string;
  /** The function's folder below the folder of all bundles. */
  readonly folder: string;
  readonly memoryMb: number;
  readonly timeoutSeconds: number;
  /** All names of buckets and the table are `NAME`; values of secrets are left out. */
  readonly environment: Readonly<Record<string, string>>;
  readonly hasRegistry: boolean;
  /** Minutes between two runs of a job; undefined for a route. */
  readonly everyMinutes: number | undefined;
  /** How often Lambda retries a failed run. */
  readonly retries: number;
}

/** The name of the bucket and the table. */
export const NAME = 'marketdata-bench';
export const KEY = 'a-client-key-of-the-usual-length-0123456789';

/** The approximate number of our coins with an id at CoinGecko. */
const COINGECKO_COINS = 10_000;

/** The whole deployment: bundles, a registry of this many coins, and functions. The folder must be empty; it takes a while. */
export async function deployed(folder: string, count?: number) {
  const bundles = join(folder, 'bundles');
  const registry = join(folder, 'registry');
  const coins = simulatedEntries(count);
  await build(bundles);
  const ranked = coins.filter(({ is_active, rank }) => is_active && rank > 0);
  const known = ranked.sort((a, b) => a.rank - b.rank).slice(0, COINGECKO_COINS);
  const pairs = new Map(known.map(({ id }) => [id, id]));
  await writeRegistry(registry, buildRegistry(coins, { source: 'bench', pairs }));
  return { bundles, registry, coins, functions: deployedFunctions(synthesized(join(folder, 'deployed'))) };
}

export type Deployment = Awaited<ReturnType<typeof deployed>>;

/** The templates of a stage, including nested ones, made in an empty folder. Bundles and page are empty files. */
export function synthesized(folder: string, stage = 'prod', changes: Partial<StageConfig> = {}): Template[] {
  const config = { ...stageConfig(stage), ...changes };
  const [functionsFolder, registryFolder, pageFolder] = ['functions', 'layer', 'page'].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  for (const { name } of [...routes, ...jobs]) put(join(functionsFolder, functionId(name)), 'index.mjs');
  put(join(registryFolder, 'registry'), 'manifest.json');
  put(pageFolder, 'index.html');
  put(join(pageFolder, 'assets'), 'index-abc.js');
  const app = new App({
    ...{ context: cdkJson.context, outdir: join(folder, 'cdk.out') },
    ...{ builtinCloudFormationValidation: false, stackTraces: false },
  });
  new MarketDataStack(app, `marketdata-${stage}`, {
    stage,
    // Without a receiver of alarms, and with stages that share a plan, each synth warns.
    config: { ...config, alarmEmails: ['on-call@example.com'], planRequests: Number.POSITIVE_INFINITY },
    ...{ functionsFolder, registryFolder, pageFolder },
  });
  return templatesIn(app.synth().directory);
}

function put(folder: string, file: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, file), '{}');
}

/** The templates of a cloud assembly, including nested ones. */
function templatesIn(assembly: string): Template[] {
  return readdirSync(assembly)
    .filter((file) => file.endsWith('.template.json'))
    .map((file) => JSON.parse(readFileSync(join(assembly, file), 'utf8')));
}

function deployedFunctions(templates: readonly Template[]): DeployedFunction[] {
  const resources = templates.flatMap(({ Resources = {} }) => Object.entries(Resources));
  const ofType = (type: string) => resources.filter(([, { Type }]) => Type === type);
  const schedules = ofType('AWS::Scheduler::Schedule').map(([, { Properties }]) => Properties);
  return [...routes, ...jobs].flatMap((one) => {
    const { name } = one;
    const pattern = new RegExp(`^${constructId({ name })}(Function)?[0-9A-F]{8}$`);
    const [id, found] = ofType('AWS::Lambda::Function').find(([logicalId]) => pattern.test(logicalId)) ?? [];
    if (!id || !found?.Properties) return [];
    const { MemorySize, Timeout, Environment, Layers } = found.Properties;
    const schedule = schedules.find((other) => other?.Description === one.summary);
    return [
      {
        ...{ name, folder: functionId(name), memoryMb: Number(MemorySize), timeoutSeconds: Number(Timeout) },
        environment: environmentOf((Environment as { Variables?: object } | undefined)?.Variables ?? {}),
        hasRegistry: Layers !== undefined,
        retries: 'retries' in one ? one.retries : 0,
        everyMinutes: schedule && minutesOf(String(schedule.ScheduleExpression)),
      },
    ];
  });
}

function environmentOf(variables: object): Record<string, string> {
  const values = Object.entries(variables).flatMap(([name, value]) => {
    if (name === 'CLIENT_API_KEY') return [[name, KEY]];
    if (typeof value === 'string') return value.includes('{{resolve:') ? [] : [[name, value]];
    return typeof value === 'object' && 'Ref' in value ? [[name, NAME]] : [];
  });
  return Object.fromEntries(values);
}

/** The interval of `rate(1 day)`, `cron(5/10 * * * ? *)`, or `cron(5 * * * ? *)`, which is once an hour. */
export function minutesOf(schedule: string): number {
  const hourly = /^cron\(\d+(?:\/(\d+))? \* \* \* \? \*\)$/.exec(schedule);
  if (hourly) return Number(hourly[1] ?? 60);
  const [, count = '', unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(schedule) ?? [];
  const inUnit: Record<string, number> = { minute: 1, hour: 60, day: 1440 };
  return Number(count) * (inUnit[unit] ?? Number.NaN);
}
