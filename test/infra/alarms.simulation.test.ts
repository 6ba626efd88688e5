import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { domains } from '../../functions/domains.ts';
import { type StageConfig, stageConfig, stageNames } from '../../infra/config.ts';
import {
  type AlarmProperties,
  alarmNamesOf,
  alarmsById,
  configured,
  edgeConfigOf,
  templateOf,
} from './synthesized.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/oncall.md'), 'utf8');
const anchorOf = (title: string) => title.toLowerCase().replaceAll(' ', '-');
/** The entries by the anchors that GitHub makes of their titles. */
const entries = new Map(
  page
    .split(/^### /m)
    .slice(1)
    .map((entry) => [anchorOf(entry.split('\n', 1)[0] ?? ''), entry]),
);
const alarmsOf = (template: Template): AlarmProperties[] => Object.values(alarmsById(template));
/** An alarm that takes a new version back, or that another one is made of: it tells nobody. */
const isSilent = ({ AlarmName }: AlarmProperties) => /-\{version\}$|Page\d+$/.test(AlarmName);
const alarm = (name: string, changes: Partial<StageConfig> = {}) =>
  alarmsOf(templateOf('prod', changes)).find(({ AlarmName }) => AlarmName === `marketdata-prod-${name}`);

/** Alarm, missed publications, seconds between two. */
const missed: [string, number, number][] = [
  ['SnapshotMissing', 3, 600],
  ['TailMissing', 6, 600],
  ['CandlesMissing', 6, 600],
  ['MapMissing', 6, 600],
  ['HoursMissing', 4, 1800],
  ['RatesMissing', 4, 21_600],
  ['RegistryMissing', 2, 86_400],
];

const ofAws = ['AvailabilityPage', 'Throttles', 'Crashes', 'DeadLetters'];

describe('the alarms', () => {
  const every = stageNames.flatMap((stage) => alarmsOf(templateOf(stage)));

  test('there is one for each thing that a person must know', () => {
    const names = alarmNamesOf(templateOf('prod')).filter((name) => !name.endsWith('-{version}'));
    expect(names.sort()).toEqual(
      [
        ...ofAws,
        ...['AvailabilityPage60', 'AvailabilityPage5', 'AvailabilityTicket'],
        ...['FreshnessPage60', 'FreshnessPage5', 'FreshnessPage', 'FreshnessTicket'],
        ...['SlowAnswers', 'SharedStoreFailures', 'EdgeErrors'],
        ...domains.flatMap(({ alarms = [] }) => alarms.map(({ name }) => name)),
      ]
        .map((name) => `marketdata-prod-${name}`)
        .sort(),
    );
  });

  test('a hobby has a handful, on AWS’s own metrics, because it prints none', () => {
    const few = alarmsOf(templateOf('hobby'));
    expect(few.map(({ AlarmName }) => AlarmName).sort()).toEqual(
      [...ofAws, 'SnapshotMissing'].map((name) => `marketdata-hobby-${name}`).sort(),
    );
    const silent = few.filter(({ TreatMissingData }) => TreatMissingData === 'breaching');
    expect(silent).toMatchObject([{ MetricName: 'Invocations', Threshold: 1 }]);
    expect(JSON.stringify(few)).not.toContain('"marketdata-hobby"');
  });

  test.each(every)('$AlarmName says how urgent it is, and links to its entry', ({ AlarmDescription }) => {
    const [, severity, anchor = ''] =
      /^(page|ticket): [A-Z0-9].+\. https:\/\/git\.example\/docs\/oncall\.md#([a-z-]+)$/.exec(
        AlarmDescription,
      ) ?? [];

    expect(severity, AlarmDescription).toBeDefined();
    expect(entries.get(anchor), `no entry "${anchor}" in docs/oncall.md`).toMatch(/\S+\n\n\S/);
    expect(page, 'the table').toContain(`](#${anchor})`);
  });

  test.each(every.filter((one) => !isSilent(one)))(
    '$AlarmName tells those that its severity asks for when it begins and when it is over',
    (properties) => {
      const topic = properties.AlarmDescription.startsWith('page: ') ? 'PageTopic' : 'TicketTopic';
      const action = { Ref: expect.stringMatching(new RegExp(`^Alarms${topic}`)) };
      expect(properties).toMatchObject({ AlarmActions: [action], OKActions: [action] });
    },
  );

  test('the page has no entry that no alarm leads to', () => {
    const linked = every.map(({ AlarmDescription }) => AlarmDescription.split('#')[1] ?? '');
    expect([...entries.keys()].filter((anchor) => !linked.includes(anchor))).toEqual(['monthly-budget']);
  });

  test('a few failures among hardly any requests wake nobody', () => {
    const expressionOf = (name: string) => alarm(name)?.Metrics?.find(({ Expression }) => Expression);

    for (const name of ['AvailabilityPage60', 'AvailabilityPage5', 'AvailabilityTicket'])
      expect(expressionOf(name)?.Expression).toMatch(/^IF\(\(requests >= 30\), /);
    expect(expressionOf('FreshnessTicket')?.Expression).toMatch(/^IF\(\(SUM\(.+\) >= 30\), /);
    expect(expressionOf('UpstreamFailures')?.Expression).toMatch(/^IF\(\(SUM\(.+\) >= 5\), /);
    expect(alarm('SlowAnswers')).toMatchObject({ EvaluateLowSampleCountPercentile: 'ignore' });
  });

  test.each([
    ['Availability', 99.5, '5xx'],
    ['Freshness', 99, 'StaleAnswers'],
  ])(
    '%s of %f %% is a page while it burns 14.4 times too fast, and a ticket at three times',
    (name, percent, bad) => {
      const rule = (suffix: string) => {
        const { Metrics = [], ...found } = alarm(`${name}${suffix}`) ?? {};
        const one = Metrics.find(({ MetricStat }) => JSON.stringify(MetricStat)?.includes(bad));
        return { ...found, MetricStat: one?.MetricStat };
      };
      const expected = (times: number, Period: number) => ({
        Threshold: expect.closeTo(times * (100 - percent), 6),
        EvaluationPeriods: 1,
        MetricStat: { Period, Metric: { MetricName: bad } },
      });

      expect(rule('Page60')).toMatchObject(expected(14.4, 3600));
      expect(rule('Page5')).toMatchObject(expected(14.4, 300));
      expect(rule('Ticket')).toMatchObject(expected(3, 6 * 3600));
      const both = alarm(`${name}Page`)?.AlarmRule as { 'Fn::Join': [string, unknown[]] };
      const texts = both['Fn::Join'][1].filter((part) => typeof part === 'string');
      expect(texts.join('X')).toMatch(/^\(ALARM\("X"\) AND ALARM\("X"\)\)$/);
      expect(JSON.stringify(both)).toMatch(new RegExp(`${name}Page60.*${name}Page5`));
    },
  );

  test('throttles and crashes are those of the whole account', () => {
    for (const [name, MetricName] of [
      ['Throttles', 'Throttles'],
      ['Crashes', 'Errors'],
    ] as const) {
      expect(alarm(name)).toMatchObject({ Namespace: 'AWS/Lambda', MetricName });
      expect(alarm(name)).not.toHaveProperty('Dimensions');
    }
  });

  test('what viewers get is watched in us-east-1, where CloudFront counts it, and cannot be elsewhere', () => {
    expect(alarm('EdgeErrors')).toMatchObject({
      Threshold: 5,
      Metrics: [{ MetricStat: { Metric: { Namespace: 'AWS/CloudFront', MetricName: '5xxErrorRate' } } }],
    });
    const edge = { ...edgeConfigOf('prod'), firewall: false } as const;
    expect(alarm('EdgeErrors', { region: 'eu-central-1', edge })).toBeUndefined();
  });

  test('a rate makes no data where there is none, and one late period neither rings an alarm nor keeps it quiet', () => {
    const rates = every.filter(({ Metrics = [] }) => Metrics.some(({ Expression }) => Expression));
    for (const { Metrics = [] } of rates)
      for (const { Expression = '' } of Metrics) expect(Expression).not.toContain('FILL');
    for (const name of ['UpstreamFailures', 'SlowAnswers'])
      expect(alarm(name)).toMatchObject({ DatapointsToAlarm: 3, EvaluationPeriods: 4 });
  });

  test('what comes by the clock rings in silence too, unless nothing is counted', () => {
    const inSilence = (template: Template) =>
      alarmsOf(template)
        .filter(({ TreatMissingData }) => TreatMissingData === 'breaching')
        .map(({ AlarmName }) => AlarmName.replace('marketdata-prod-', ''));

    expect(inSilence(templateOf('prod')).sort()).toEqual(
      [...missed.map(([name]) => name), 'ProbeFailed'].sort(),
    );
    expect(inSilence(templateOf('prod', configured))).toEqual([]);
    for (const one of every.filter(({ AlarmRule }) => !AlarmRule))
      expect(['breaching', 'notBreaching'], one.AlarmName).toContain(one.TreatMissingData);
  });

  test.each(missed)(
    '%s rings when %i publications in a row are missing, one every %i s',
    (name, times, Period) => {
      expect(alarm(name)).toMatchObject({
        ComparisonOperator: 'LessThanThreshold',
        Threshold: 1,
        DatapointsToAlarm: times,
        EvaluationPeriods: times,
        Metrics: [
          {
            MetricStat: { Period, Stat: 'Sum', Metric: { MetricName: name.replace('Missing', 'Published') } },
          },
        ],
      });
      // The longest that CloudWatch looks at: a week, for periods from an hour on, otherwise a day.
      expect(times * Period).toBeLessThanOrEqual((Period >= 3600 ? 7 : 1) * 86_400);
    },
  );

  test('a missing snapshot is one that has not come for three of its intervals, however long these are', () => {
    expect(alarm('SnapshotMissing', { environment: { SNAPSHOT_MINUTES: '60' } })).toMatchObject({
      EvaluationPeriods: 3,
      Metrics: [{ MetricStat: { Period: 3600 } }],
    });
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
  test('they take messages of this account’s alarms and budgets, over TLS only', () => {
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
          Principal: { Service: ['budgets.amazonaws.com', 'cloudwatch.amazonaws.com'] },
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
      ['AlarmsPageTopic', page],
      ['AlarmsTicketTopic', page],
    ]);
    expect(addressesOf(configured)).toEqual([
      ['AlarmsPageTopic', page],
      ['AlarmsTicketTopic', ticket],
    ]);
  });
});

test.each(stageNames)('the bill of stage %s has a limit, of which those hear who get tickets', (stage) => {
  const { monthlyDollars: Amount } = stageConfig(stage);
  templateOf(stage).hasResourceProperties('AWS::Budgets::Budget', {
    Budget: { BudgetType: 'COST', TimeUnit: 'MONTHLY', BudgetLimit: { Amount, Unit: 'USD' } },
    NotificationsWithSubscribers: ['ACTUAL', 'FORECASTED'].map((NotificationType) => ({
      Notification: { NotificationType, ComparisonOperator: 'GREATER_THAN', Threshold: 100 },
      Subscribers: [
        { SubscriptionType: 'SNS', Address: { Ref: Match.stringLikeRegexp('^AlarmsTicketTopic') } },
      ],
    })),
  });
});
