import { join } from 'node:path';
import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { jobs } from '../../functions/jobs.ts';
import { routes } from '../../functions/routes.ts';
import { stageConfig, stageNames } from '../../infra/config.ts';
import { deployedJobs } from '../../infra/deployed-routes.ts';
import { MarketDataStack } from '../../infra/stack.ts';
import { routeKeyOf } from '../../local/response-check.ts';
import { configured, endpointsOf, newApp, placeholderRegistry, templateOf } from './synthesized.ts';

const template = templateOf('dev');
const endpoints = endpointsOf(template);

function endpointOf(route: (typeof routes)[number]) {
  return endpoints.find(({ routeKey }) => routeKey === routeKeyOf(route));
}

/** All but the CDK's, which empties a bucket that goes with its stack. */
function ownFunctions(of: Template) {
  return Object.entries(of.findResources('AWS::Lambda::Function'))
    .filter(([id]) => !id.startsWith('CustomS3AutoDeleteObjects'))
    .map(([, { Properties }]) => Properties);
}

describe('the functions', () => {
  test('every route has exactly one function, and every function one route or job', () => {
    expect(endpoints).toHaveLength(routes.length);
    expect(new Set(endpoints.map(({ functionId }) => functionId)).size).toBe(routes.length);
    expect(ownFunctions(template)).toHaveLength(
      routes.length + deployedJobs(jobs, stageConfig('dev')).length,
    );
  });

  test.each(routes)('$name runs as its route says, on Node 24 and arm64', (route) => {
    expect(endpointOf(route)?.function).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      MemorySize: route.memoryMb,
      Timeout: route.timeoutSeconds,
      Description: route.summary,
    });
  });

  test.each(routes)('API Gateway waits longer for $name than it may run', (route) => {
    expect(endpointOf(route)?.integration.TimeoutInMillis).toBeGreaterThan(route.timeoutSeconds * 1000);
  });

  test('a function logs to its own group, kept as long as the stage says', () => {
    const kept = templateOf('prod', configured);
    const groups = kept.findResources('AWS::Logs::LogGroup');
    const used = endpointsOf(kept).map((endpoint) => endpoint.function.LoggingConfig.LogGroup.Ref);

    expect(new Set(used).size).toBe(routes.length);
    for (const group of used) expect(groups[group]?.Properties.RetentionInDays).toBe(3);
  });

  test('X-Ray samples requests in prod, and is off elsewhere', () => {
    for (const endpoint of endpoints) expect(endpoint.function.TracingConfig).toBeUndefined();
    for (const fn of ownFunctions(templateOf('prod'))) expect(fn.TracingConfig).toEqual({ Mode: 'Active' });
  });

  test('a bundle that is not built is an error that says how to build it', () => {
    const functionsFolder = join(import.meta.dirname, 'nothing-here');
    const build = () =>
      new MarketDataStack(newApp(), 'marketdata-dev', {
        stage: 'dev',
        config: stageConfig('dev'),
        functionsFolder,
        registryFolder: placeholderRegistry,
      });

    expect(build).toThrow(/No bundle of marketdata\/ticker .*: run npm run build first/);
  });

  test.each(stageNames)(
    'in stage %s, every function and resource that takes tags names project and stage',
    (stage) => {
      for (const fn of ownFunctions(templateOf(stage)))
        expect(fn.Tags).toEqual([
          { Key: 'project', Value: 'marketdata' },
          { Key: 'stage', Value: stage },
        ]);
    },
  );
});
