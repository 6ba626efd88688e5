import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { inject } from 'vitest';
import cdkJson from '../../cdk.json' with { type: 'json' };
import { jobs } from '../../functions/jobs.ts';
import { routes } from '../../functions/routes.ts';
import { type EdgeConfig, type StageConfig, stageConfig, stageNames } from '../../infra/config.ts';
import { MarketDataStack } from '../../infra/stack.ts';

const temporary = mkdtempSync(join(inject('runFolder'), 'infra-'));

/** Empty bundles: these tests are about the stack, not about the functions. */
const placeholderBundles = join(temporary, 'functions');
for (const { name } of [...routes, ...jobs]) {
  const folder = join(placeholderBundles, name.replace('/', '-'));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'index.mjs'), `export const handler = () => '${name}';`);
}

/** An empty layer. */
const placeholderRegistry = join(temporary, 'layer');
mkdirSync(join(placeholderRegistry, 'registry'), { recursive: true });
writeFileSync(join(placeholderRegistry, 'registry/manifest.json'), '{}');

/** An empty page. */
const placeholderPage = join(temporary, 'web');
mkdirSync(join(placeholderPage, 'assets'), { recursive: true });
writeFileSync(join(placeholderPage, 'index.html'), '<!doctype html>');
writeFileSync(join(placeholderPage, 'assets/index-abc.js'), '');

/**
 * An app with the flags of cdk.json, as the CDK command starts it, but without the CDK's own validation: it takes longer
 * than the synth, and validation.simulation.test.ts is about it.
 */
export function newApp(): App {
  return new App({
    context: cdkJson.context,
    outdir: mkdtempSync(join(temporary, 'cdk.out-')),
    builtinCloudFormationValidation: false,
    stackTraces: false,
  });
}

/** Names for every secret of a route, so that a stack has all routes. */
export const allSecretNames = stageConfig('local').secretNames;

/** Without recipients of alarms and the address of the runbook, prod warns at each synth. */
const alarmEmails = ['on-call@example.com'];
export const runbookUrl = 'https://git.example/docs/oncall.md';

/** The stack of a stage with all routes, with parts of its configuration or its folders replaced. */
export function stackOf(
  stage: string,
  changes: Partial<StageConfig> = {},
  app = newApp(),
  folders: object = {},
): MarketDataStack {
  return new MarketDataStack(app, `marketdata-${stage}`, {
    stage,
    config: { ...stageConfig(stage), secretNames: allSecretNames, alarmEmails, runbookUrl, ...changes },
    functionsFolder: placeholderBundles,
    registryFolder: placeholderRegistry,
    pageFolder: placeholderPage,
    ...folders,
  });
}

/** The distribution of a stage that has one. */
export function edgeConfigOf(stage: string): EdgeConfig {
  const { edge } = stageConfig(stage);
  if (!edge) throw new Error(`Stage ${stage} has no distribution`);
  return edge;
}

/** The stages behind a distribution. */
export const edgeStages = stageNames.filter((stage) => stageConfig(stage).edge);

/** A value for every setting, so that one template shows the effect of all. */
export const configured: Partial<StageConfig> = {
  throttle: { requestsPerSecond: 7, burst: 9 },
  corsOrigins: ['https://a.example', 'https://b.example'],
  logRetention: RetentionDays.THREE_DAYS,
  tracing: true,
  clientKey: 'ClientApiKey2',
  ticketEmails: ['team@example.com'],
  environment: {
    METRICS: 'off',
    ERROR_TEXTS: 'on',
    SNAPSHOT_MINUTES: '60',
    COINPAPRIKA_BASE_URL: 'https://api-pro.coinpaprika.com/v1',
  },
  secretNames: { ...allSecretNames, COINPAPRIKA_API_KEY: 'marketdata/coinpaprika' },
  copyTo: { bucketName: 'copies-of-marketdata', account: '111122223333', region: 'eu-west-1' },
  edge: {
    ...edgeConfigOf('prod'),
    originSecrets: ['green', 'blue'],
    originShieldRegion: 'eu-central-1',
    domainNames: ['prices.example.com', 'www.example.com'],
    certificateArn: 'arn:aws:acm:us-east-1:111122223333:certificate/0',
    firewall: { requestsPerFiveMinutes: 30_000 },
  },
};

/** The folder of a synthesized stage, shared by all files of a run: each takes half a second. */
export function assemblyOf(stage: string, changes: Partial<StageConfig> = {}): string {
  const key = inspect([stage, changes], { depth: null });
  const folder = join(inject('runFolder'), `assembly-${createHash('sha1').update(key).digest('hex')}`);
  if (existsSync(folder)) return folder;
  const app = newApp();
  stackOf(stage, changes, app);
  const { directory } = app.synth();
  try {
    renameSync(directory, folder); // so that no other worker reads half of it
  } catch (error) {
    if (!existsSync(folder)) throw error; // otherwise another worker was first
  }
  return folder;
}

const templates = new Map<string, Template>();

/** The template in the first file of an assembly whose name ends so; an empty one if there is none. */
function templateIn(folder: string, ending: string): Template {
  const file = readdirSync(folder).find((name) => name.endsWith(ending));
  const path = join(folder, file ?? ending);
  const template =
    templates.get(path) ??
    Template.fromJSON(file ? JSON.parse(readFileSync(path, 'utf8')) : { Resources: {} });
  templates.set(path, template);
  return template;
}

export function templateOf(stage: string, changes: Partial<StageConfig> = {}): Template {
  return templateIn(assemblyOf(stage, changes), `marketdata-${stage}.template.json`);
}

/** The nested template of the page and the distribution before it and the API. */
export function pageTemplateOf(stage: string, changes: Partial<StageConfig> = {}): Template {
  return templateIn(assemblyOf(stage, changes), '.nested.template.json');
}

/** A text of the template, with `{version}` for the number of a version, which only a deployment knows. */
function written(text: unknown): string {
  if (typeof text === 'string') return text;
  const { 'Fn::Join': join } = text as { 'Fn::Join': [string, unknown[]] }; // the only other form that the CDK writes
  return join[1].map((part) => (typeof part === 'string' ? part : '{version}')).join('');
}

export interface AlarmProperties {
  readonly AlarmName: string;
  readonly AlarmDescription: string;
  readonly Threshold: number;
  readonly Metrics?: readonly {
    readonly Expression?: string;
    readonly MetricStat?: { readonly Metric: object };
  }[];
  readonly [name: string]: unknown;
}

/** The alarms by their logical ids. */
export function alarmsById(template: Template): Record<string, AlarmProperties> {
  const alarms = ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::CompositeAlarm'].flatMap((type) =>
    Object.entries(template.findResources(type)),
  );
  return Object.fromEntries(
    alarms.map(([id, { Properties: properties }]) => {
      const AlarmName = written(properties.AlarmName);
      return [id, { ...properties, AlarmName, AlarmDescription: written(properties.AlarmDescription) }];
    }),
  );
}

/** The routes of the template without those of HEAD, which equal those of GET. */
export function endpointsOf(template: Template) {
  return allEndpointsOf(template).filter(({ routeKey }) => !routeKey.startsWith('HEAD '));
}

/** Follows every route of the template through its integration to its function, with the references resolved. */
export function allEndpointsOf(template: Template) {
  const integrations = template.findResources('AWS::ApiGatewayV2::Integration');
  const functions = template.findResources('AWS::Lambda::Function');
  const aliases = template.findResources('AWS::Lambda::Alias');
  const versions = template.findResources('AWS::Lambda::Version');
  return Object.values(template.findResources('AWS::ApiGatewayV2::Route')).map(({ Properties }) => {
    const integration = integrations[Properties.Target['Fn::Join'][1][1].Ref]?.Properties;
    const { Ref: aliasId, 'Fn::GetAtt': attribute } = integration.IntegrationUri;
    const versionId = aliases[aliasId]?.Properties.FunctionVersion['Fn::GetAtt'][0];
    const functionId: string = versionId ? versions[versionId]?.Properties.FunctionName.Ref : attribute[0];
    return {
      routeKey: Properties.RouteKey as string,
      integration,
      functionId,
      function: functions[functionId]?.Properties,
    };
  });
}
