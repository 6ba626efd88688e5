import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { App, NestedStack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { inject } from 'vitest';
import cdkJson from '../../cdk.json' with { type: 'json' };
import { jobs } from '../../functions/jobs.ts';
import { routes } from '../../functions/routes.ts';
import { type StageConfig, stageConfig } from '../../infra/config.ts';
import { MarketDataStack } from '../../infra/stack.ts';

const temporary = mkdtempSync(join(inject('runFolder'), 'infra-'));

/** Bundles of nothing: these tests look at what the stack makes of them, not at what they do. */
export const placeholderBundles = join(temporary, 'functions');
for (const { name } of [...routes, ...jobs]) {
  const folder = join(placeholderBundles, name.replace('/', '-'));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'index.mjs'), `export const handler = () => '${name}';`);
}

/** A layer of nothing, likewise. */
export const placeholderRegistry = join(temporary, 'layer');
mkdirSync(join(placeholderRegistry, 'registry'), { recursive: true });
writeFileSync(join(placeholderRegistry, 'registry/manifest.json'), '{}');

/** A page of nothing. */
const placeholderPage = join(temporary, 'web');
mkdirSync(join(placeholderPage, 'assets'), { recursive: true });
writeFileSync(join(placeholderPage, 'index.html'), '<!doctype html>');
writeFileSync(join(placeholderPage, 'assets/index-abc.js'), '');

/** An app with the flags of cdk.json, as the CDK command starts it. */
export function newApp(): App {
  return new App({ context: cdkJson.context, outdir: mkdtempSync(join(temporary, 'cdk.out-')) });
}

/** Names for every secret that a route may ask for, so that a stack has all routes. */
export const allSecretNames = stageConfig('local').secretNames;

/** Somebody to hear of alarms; without, prod warns at each synth. */
const alarmEmails = ['on-call@example.com'];

/** The stack of a stage with all routes, and some of its configuration replaced. */
export function stackOf(stage: string, changes: Partial<StageConfig> = {}, app = newApp()): MarketDataStack {
  return new MarketDataStack(app, `marketdata-${stage}`, {
    stage,
    config: { ...stageConfig(stage), secretNames: allSecretNames, alarmEmails, ...changes },
    functionsFolder: placeholderBundles,
    registryFolder: placeholderRegistry,
    pageFolder: placeholderPage,
  });
}

const synthesized = new Map<string, MarketDataStack>();

/** One stack for all tests that ask for the same: it takes a third of a second to synthesize. */
function knownStack(stage: string, changes: Partial<StageConfig>): MarketDataStack {
  const key = inspect([stage, changes], { depth: null });
  const stack = synthesized.get(key) ?? stackOf(stage, changes);
  synthesized.set(key, stack);
  return stack;
}

export function templateOf(stage: string, changes: Partial<StageConfig> = {}): Template {
  return Template.fromStack(knownStack(stage, changes));
}

/** The nested template of the page and the distribution before it and the API. */
export function pageTemplateOf(
  stage: string,
  changes: Partial<StageConfig> = {},
  stack = knownStack(stage, changes),
): Template {
  const page = stack.node.findChild('Edge');
  if (!NestedStack.isNestedStack(page)) throw new Error('the page is a nested stack');
  return Template.fromStack(page);
}

/** A text of the template, with `{version}` for the number of a version that only a deployment knows. */
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
  const alarms = Object.entries(template.findResources('AWS::CloudWatch::Alarm'));
  return Object.fromEntries(
    alarms.map(([id, { Properties: properties }]) => {
      const AlarmName = written(properties.AlarmName);
      return [id, { ...properties, AlarmName, AlarmDescription: written(properties.AlarmDescription) }];
    }),
  );
}

export function alarmNamesOf(template: Template): string[] {
  return Object.values(alarmsById(template)).map(({ AlarmName }) => AlarmName);
}

/** Follows every route of the template through its integration to its function, with the references resolved. */
export function endpointsOf(template: Template) {
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
