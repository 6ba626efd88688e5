import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { domains } from '../../functions/domains.ts';
import { routes } from '../../functions/routes.ts';
import { type StageConfig, stageConfig, stageNames } from '../../infra/config.ts';
import { constructId } from '../../infra/constructs/route-function.ts';
import { type AlarmProperties, alarmsById, configured, templateOf } from './synthesized.ts';

const runbook = readFileSync(join(import.meta.dirname, '../../docs/runbook.md'), 'utf8');
const alarmsOf = (template: Template): AlarmProperties[] => Object.values(alarmsById(template));
/** An alarm that takes a new version back, and tells nobody. */
const isOfNewVersion = ({ AlarmName }: AlarmProperties) => AlarmName.endsWith('-{version}');
const alarm = (name: string) =>
  alarmsOf(templateOf('prod')).find(({ AlarmName }) => AlarmName === `marketdata-prod-${name}`);

/** The entry of the runbook that a link's anchor leads to, made of its title as GitHub makes it. */
function entryOf(anchor: string | undefined): string | undefined {
  return runbook
    .split(/^### /m)
    .slice(1)
    .find((entry) => entry.split('\n', 1)[0]?.toLowerCase().replaceAll(' ', '-') === anchor);
}

describe('the alarms', () => {
  const every = stageNames.flatMap((stage) => alarmsOf(templateOf(stage)));

  test('there is one for each thing that a person must know, in every stage with all alarms', () => {
    const perRoute = routes.flatMap((route) => [
      `${constructId(route)}Throttles`,
      `${constructId(route)}Crashes`,
    ]);
    for (const stage of stageNames.filter((name) => stageConfig(name).alarms === 'all')) {
      expect(alarmsOf(templateOf(stage)).map(({ AlarmName }) => AlarmName)).toEqual(
        expect.arrayContaining(
          [
            'ServerErrors',
            'SlowAnswers',
            'SharedStoreFailures',
            ...domains.flatMap(({ alarms = [] }) => alarms.map(({ name }) => name)),
            ...perRoute,
            'DeadLetters',
          ].map((name) => `marketdata-${stage}-${name}`),
        ),
      );
    }
  });

  test('a hobby has a handful, on AWS’s own metrics, because it prints none', () => {
    const alarms = alarmsOf(templateOf('hobby'));
    expect(alarms.map(({ AlarmName }) => AlarmName.replace('marketdata-hobby-', '')).sort()).toEqual([
      'Crashes',
      'DeadLetters',
      'ServerErrors',
      'SnapshotMissing',
      'Throttles',
    ]);
    const [silent] = alarms.filter(({ TreatMissingData }) => TreatMissingData === 'breaching');
    expect(silent).toMatchObject({ MetricName: 'Invocations', Threshold: 1 });
    expect(JSON.stringify(alarms)).not.toContain('"Namespace":"marketdata-hobby"');
  });

  test.each(every)(
    '$AlarmName links to an entry of the runbook with all three parts',
    ({ AlarmDescription }) => {
      const [, anchor] = /^\S.+\. Runbook: docs\/runbook\.md#([a-z-]+)$/.exec(AlarmDescription) ?? [];
      const entry = entryOf(anchor);

      expect(entry, `no entry in the runbook for "${AlarmDescription}"`).toBeDefined();
      for (const part of ['Description', 'Investigation', 'Resolution'])
        expect(entry).toMatch(new RegExp(`^\\*\\*${part}\\.\\*\\* \\S`, 'm'));
    },
  );

  test.each(every.filter((one) => !isOfNewVersion(one)))(
    '$AlarmName tells those that its severity asks for when it begins and when it is over',
    (properties) => {
      const [, severity, anchor] = /^(page|ticket): .+#(.+)$/.exec(properties.AlarmDescription) ?? [];
      const topic = { Ref: expect.stringMatching(severity === 'page' ? /^AlarmTopic/ : /^TicketTopic/) };

      expect(properties).toMatchObject({ AlarmActions: [topic], OKActions: [topic] });
      expect(entryOf(anchor)?.toLowerCase()).toContain(`**description.** ${severity}. `);
    },
  );

  test('the runbook has no entry that no alarm leads to', () => {
    const linked = every.map(({ AlarmDescription }) => AlarmDescription.split('#')[1]);
    const entries = [...runbook.matchAll(/^### (.+)$/gm)].map(([, title = '']) =>
      title.toLowerCase().replaceAll(' ', '-'),
    );

    expect(entries.filter((entry) => !linked.includes(entry))).toEqual([]);
  });

  test('a few failures among hardly any requests wake nobody', () => {
    const expressionOf = (name: string) => alarm(name)?.Metrics?.find(({ Expression }) => Expression);

    expect(expressionOf('ServerErrors')?.Expression).toMatch(/^IF\(\(requests >= 10\), /);
    expect(expressionOf('UpstreamFailures')?.Expression).toMatch(/^IF\(\(SUM\(.+\) >= 5\), /);
    expect(alarm('SlowAnswers')).toMatchObject({ EvaluateLowSampleCountPercentile: 'ignore' });
  });

  test('a rate makes no data where there is none, and one late period neither rings an alarm nor keeps it quiet', () => {
    const rates = every.filter(({ Metrics = [] }) => Metrics.some(({ Expression }) => Expression));
    for (const { Metrics = [] } of rates)
      for (const { Expression = '' } of Metrics) expect(Expression).not.toContain('FILL');
    for (const name of ['ServerErrors', 'UpstreamFailures', 'SlowAnswers'])
      expect(alarm(name)).toMatchObject({ DatapointsToAlarm: 3, EvaluationPeriods: 4 });
  });

  test('what comes by the clock rings in silence too, unless nothing is counted', () => {
    const inSilence = (template: Template) =>
      alarmsOf(template)
        .filter(({ TreatMissingData }) => TreatMissingData === 'breaching')
        .map(({ AlarmName }) => AlarmName.replace('marketdata-prod-', ''));

    expect(inSilence(templateOf('prod'))).toEqual(['ProbeFailed', 'SnapshotMissing', 'HistoryTooOld']);
    expect(inSilence(templateOf('prod', configured))).toEqual([]);
    for (const one of every)
      expect(['breaching', 'notBreaching'], one.AlarmName).toContain(one.TreatMissingData);
  });

  test('a missing snapshot is one that has not come for three of its intervals', () => {
    const ofStage = (environment: StageConfig['environment']) =>
      alarmsOf(templateOf('prod', { environment })).find(({ AlarmName }) =>
        AlarmName.endsWith('SnapshotMissing'),
      );
    const expected = (Period: number) => ({
      ComparisonOperator: 'LessThanThreshold',
      Threshold: 1,
      EvaluationPeriods: 3,
      Metrics: [{ MetricStat: { Period, Stat: 'Sum', Metric: { MetricName: 'SnapshotPublished' } } }],
    });

    expect(ofStage({})).toMatchObject(expected(600));
    expect(ofStage({ SNAPSHOT_MINUTES: '60' })).toMatchObject(expected(3600));
  });

  test('markets that stand in for an hour are told, and a quarter of an hour is not', () => {
    expect(alarm('SnapshotFailover')).toMatchObject({
      ComparisonOperator: 'GreaterThanThreshold',
      Threshold: 0,
      DatapointsToAlarm: 5,
      EvaluationPeriods: 6,
      Metrics: [{ MetricStat: { Period: 600, Stat: 'Sum', Metric: { MetricName: 'SnapshotFailover' } } }],
      TreatMissingData: 'notBreaching',
    });
  });

  test('one failed event of a job rings, until the queue that all jobs share is empty', () => {
    const queue = { 'Fn::GetAtt': [expect.stringMatching(/^JobsDeadLetters/), 'QueueName'] };
    expect(alarm('DeadLetters')).toMatchObject({
      ComparisonOperator: 'GreaterThanThreshold',
      Threshold: 0,
      EvaluationPeriods: 1,
      Namespace: 'AWS/SQS',
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Dimensions: [{ Name: 'QueueName', Value: queue }],
    });
    templateOf('prod').resourceCountIs('AWS::SQS::Queue', 1);
  });

  test('history is too old if its newest hour ended three hours ago, or if nobody says when', () => {
    expect(alarm('HistoryTooOld')).toMatchObject({
      ComparisonOperator: 'GreaterThanThreshold',
      Threshold: 10_800,
      EvaluationPeriods: 3,
      Metrics: [{ MetricStat: { Period: 1800, Stat: 'Maximum', Metric: { MetricName: 'HistoryAge' } } }],
      TreatMissingData: 'breaching',
    });
  });

  test('the rate of upstream failures is that of all requests to the provider', () => {
    const { Expression = '' } = alarm('UpstreamFailures')?.Metrics?.find((one) => one.Expression) ?? {};
    const names = Expression.match(/upstream\w+/g) ?? [];
    const rate = (counts: Record<string, number>) =>
      new Function(...new Set(names), 'SUM', 'IF', `return ${Expression}`)(
        ...[...new Set(names)].map((name) => counts[name] ?? 0),
        (terms: number[]) => terms.reduce((sum, term) => sum + term, 0),
        (condition: boolean, yes: number, no: number) => (condition ? yes : no),
      );

    expect(rate({ upstreamOk: 6, upstreamFailed: 1, upstreamTimedOut: 1 })).toBe(25);
    expect(rate({ upstreamRateLimited: 5 })).toBe(100);
    expect(rate({ upstreamFailed: 4 })).toBe(0);
  });

  test('the quota’s forecast is that of a month of 31 days at the rate so far', () => {
    const { Expression = '' } = alarm('QuotaForecast')?.Metrics?.find((metric) => metric.Expression) ?? {};
    // Metric math as arithmetic: what the names stand for at noon of the 16th, when half a month is over.
    const forecast = (used: number, day: number, hour: number) =>
      new Function('used', 'DATE', 'HOUR', 'IF', `return ${Expression}`)(
        used,
        () => day,
        () => hour,
        (condition: boolean, yes: number, no: number) => (condition ? yes : no),
      );

    expect(forecast(10_000, 16, 11)).toBeCloseTo(100, 5);
    expect(forecast(20_000, 16, 11)).toBeCloseTo(200, 5);
    expect(forecast(20_000, 2, 11)).toBe(0);
    expect(alarm('QuotaForecast')?.Threshold).toBe(100);
  });

  test('every sum of metrics in an alarm is within CloudWatch’s limit of ten', () => {
    for (const { Metrics = [] } of every) expect(Metrics.length).toBeLessThanOrEqual(11); // with the expression
  });
});

describe('the topics of the alarms', () => {
  test('they take messages of this account’s alarms, over TLS only', () => {
    const policies = Object.values(templateOf('prod').findResources('AWS::SNS::TopicPolicy'));

    expect(policies).toHaveLength(2);
    for (const { Properties } of policies)
      expect(Properties.PolicyDocument.Statement).toEqual([
        expect.objectContaining({
          Effect: 'Deny',
          Condition: { Bool: { 'aws:SecureTransport': 'false' } },
        }),
        expect.objectContaining({
          Effect: 'Allow',
          Action: 'sns:Publish',
          Principal: { Service: 'cloudwatch.amazonaws.com' },
          Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
        }),
      ]);
  });

  test('they write to the configured addresses, of tickets to the same ones unless told', () => {
    const page = 'on-call@example.com';
    const ticket = 'team@example.com';
    const addressesOf = (changes: Partial<StageConfig>) =>
      Object.values(templateOf('prod', changes).findResources('AWS::SNS::Subscription')).map(
        ({ Properties }) => [Properties.TopicArn.Ref.replace(/[0-9A-F]{8}$/, ''), Properties.Endpoint],
      );

    expect(addressesOf({})).toEqual([
      ['AlarmTopic', page],
      ['TicketTopic', page],
    ]);
    expect(addressesOf(configured)).toEqual([
      ['AlarmTopic', page],
      ['TicketTopic', ticket],
    ]);
  });
});
