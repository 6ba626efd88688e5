import { join } from 'node:path';
import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { jobs } from '../../functions/jobs.ts';
import { routes } from '../../functions/routes.ts';
import { stageConfig } from '../../infra/config.ts';
import { constructId } from '../../infra/constructs/functions.ts';
import { MarketDataStack } from '../../infra/stack.ts';
import { routeKeyOf } from '../../local/response-check.ts';
import { endpointsOf, newApp, placeholderBundles, templateOf } from './synthesized.ts';

const template = templateOf('prod');

describe('the coin registry', () => {
  test('is one layer, which the functions of the routes that carry it get with the name of the bucket', () => {
    const [layer] = Object.keys(template.findResources('AWS::Lambda::LayerVersion'));
    const [bucket] = Object.keys(template.findResources('AWS::S3::Bucket'));

    for (const { routeKey, function: fn } of endpointsOf(template)) {
      const carries = routes.some((route) => route.registry && routeKey === routeKeyOf(route));
      expect(fn.Layers).toEqual(carries ? [{ Ref: layer }] : undefined);
      expect(fn.Environment.Variables.REGISTRY_BUCKET).toEqual(carries ? { Ref: bucket } : undefined);
    }
  });

  test('comes with a job that names it as it was built, and the bucket with one that reads newer ones', () => {
    const [layer] = Object.keys(template.findResources('AWS::Lambda::LayerVersion'));
    const functions = Object.entries(template.findResources('AWS::Lambda::Function'));

    for (const job of jobs) {
      const [, fn] = functions.find(([id]) => id.startsWith(`${constructId(job)}Function`)) ?? [];
      expect(fn?.Properties.Layers, job.name).toEqual(job.registry ? [{ Ref: layer }] : undefined);
      const bucket = fn?.Properties.Environment.Variables.REGISTRY_BUCKET;
      expect(bucket !== undefined, job.name).toBe(
        [...(job.publishes ?? []), ...(job.reads ?? [])].includes('registry'),
      );
    }
  });

  test('is refreshed daily, tried again, and kept in a dead-letter queue when it fails for good', () => {
    template.hasResourceProperties('AWS::Scheduler::Schedule', {
      ScheduleExpression: 'rate(1 day)',
      Target: {
        RetryPolicy: { MaximumRetryAttempts: 2 },
        DeadLetterConfig: { Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('DeadLetters'), 'Arn'] } },
      },
    });
    template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      MaximumRetryAttempts: 2,
      DestinationConfig: {
        OnFailure: { Destination: { 'Fn::GetAtt': [Match.stringLikeRegexp('DeadLetters'), 'Arn'] } },
      },
    });
  });

  test('lies in a private bucket that forgets old indexes but never the manifest', () => {
    template.hasResourceProperties('AWS::S3::Bucket', {
      PublicAccessBlockConfiguration: { BlockPublicAcls: true, RestrictPublicBuckets: true },
      LifecycleConfiguration: {
        Rules: Match.arrayWith([
          Match.objectLike({ Prefix: 'registry/coins-', ExpirationInDays: 30, Status: 'Enabled' }),
        ]),
      },
    });
  });

  test('that is not built is an error that says how to build it', () => {
    const build = () =>
      new MarketDataStack(newApp(), 'marketdata-dev', {
        stage: 'dev',
        config: stageConfig('dev'),
        functionsFolder: placeholderBundles,
        registryFolder: join(import.meta.dirname, 'nothing-here'),
      });

    expect(build).toThrow(/No coin registry in .*: run npm run registry -- --source simulated first/);
  });
});
