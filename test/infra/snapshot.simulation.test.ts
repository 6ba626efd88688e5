import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { routes } from '../../functions/routes.ts';
import { routeKeyOf } from '../../local/response-check.ts';
import { endpointsOf, templateOf } from './synthesized.ts';

const template = templateOf('prod');
const [bucket] = Object.keys(template.findResources('AWS::S3::Bucket'));

describe('the ticker snapshot', () => {
  test('is looked for by the functions of the routes that answer from it', () => {
    const lookers = endpointsOf(template).filter(
      ({ function: fn }) => fn.Environment.Variables.SNAPSHOT_BUCKET !== undefined,
    );

    expect(lookers.map(({ routeKey }) => routeKey)).toEqual(
      routes.filter(({ snapshot }) => snapshot).map(routeKeyOf),
    );
    for (const { function: fn } of lookers)
      expect(fn.Environment.Variables.SNAPSHOT_BUCKET).toEqual({ Ref: bucket });
  });

  test('is published every ten minutes, tried once more, and not after the next one is due', () => {
    const deadLetters = { 'Fn::GetAtt': [Match.stringLikeRegexp('^JobsDeadLetters'), 'Arn'] };
    const retries = { MaximumEventAgeInSeconds: 600, MaximumRetryAttempts: 1 };

    template.hasResourceProperties('AWS::Scheduler::Schedule', {
      ScheduleExpression: 'cron(2/10 * * * ? *)',
      Target: { RetryPolicy: retries, DeadLetterConfig: { Arn: deadLetters } },
    });
    template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      ...retries,
      FunctionName: { Ref: Match.stringLikeRegexp('^MarketdataSnapshotFunction') },
      DestinationConfig: { OnFailure: { Destination: deadLetters } },
    });
  });

  test('comes as often as the stage says, which its job tells the readers', () => {
    const hourly = templateOf('prod', { environment: { SNAPSHOT_MINUTES: '60' } });

    hourly.hasResourceProperties('AWS::Scheduler::Schedule', { ScheduleExpression: 'cron(2 * * * ? *)' });
    hourly.hasResourceProperties('AWS::Lambda::Function', {
      Description: Match.stringLikeRegexp('^Publishes the tickers'),
      Environment: { Variables: { SNAPSHOT_MINUTES: '60', SNAPSHOT_BUCKET: { Ref: bucket } } },
    });
    expect(() => templateOf('prod', { environment: { SNAPSHOT_MINUTES: '0' } })).toThrow(
      'SNAPSHOT_MINUTES="0" must be one of 1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60',
    );
  });
});
