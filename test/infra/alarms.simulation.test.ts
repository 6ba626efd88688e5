/** The alarms of a stage, its budget and its dashboard. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { domains } from '../../functions/domains.ts';
import { routes } from '../../functions/routes.ts';
import { type StageConfig, stageConfig, stageNames } from '../../infra/config.ts';
import { parseEnvironment } from '../../shared/platform/environment.ts';
import { minutesBetween } from '../../shared/platform/job.ts';
import { countNames, valueUnits } from '../../shared/platform/metrics.ts';
import { type AlarmProperties, alarmsById, configured, templateOf } from './synthesized.ts';

const alarmsOf = (template: Template): AlarmProperties[] => Object.values(alarmsById(template));
const every = stageNames.flatMap((stage) => alarmsOf(templateOf(stage)));
const alarm = (name: string, changes: Partial<StageConfig> = {}) =>
  alarmsOf(templateOf('prod', changes)).find(({ AlarmName }) => AlarmName === `marketdata-prod-${name}`);
const expressionOf = (name: string) =>
  alarm(name)?.Metrics?.find(({ Expression }) => Expression)?.Expression ?? '';

/** The value of metric math, as arithmetic over what its names stand for; a metric without a value is 0. */
function metricMath(expression: string, values: Readonly<Record<string, unknown>>): number {
  const names = [...new Set(expression.match(/\b[A-Za-z]\w*/g))].filter(
    (name) => name !== 'IF' && name !== 'SUM',
  );
  return new Function('SUM', 'IF', ...names, `return ${expression}`)(
    (terms: number[]) => terms.reduce((sum, term) => sum + term, 0),
    (condition: boolean, yes: number, no: number) => (condition ? yes : no),
    ...names.map((name) => values[name] ?? 0),
  );
}

describe('the alarms', () => {
  test('have a severity, a link to their entry in docs/oncall.md, and the severity’s topic', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/oncall.md'), 'utf8');
    const entries = new Map(
      page
        .split(/^### /m)
        .slice(1)
        // GitHub makes such anchors of titles.
        .map((entry) => [entry.split('\n', 1)[0]?.toLowerCase().replaceAll(' ', '-') ?? '', entry]),
    );
    const linked = new Set<string>();
    for (const { AlarmName: name, AlarmDescription: description, ...properties } of every) {
      const [, severity, anchor = ''] =
        /^(page|ticket): [A-Z0-9].+\. https:\/\/git\.example\/docs\/oncall\.md#([a-z-]+)$/.exec(
          description,
        ) ?? [];
      linked.add(anchor);

      expect(severity, description).toBeDefined();
      expect(entries.get(anchor), `no entry "${anchor}" in docs/oncall.md`).toMatch(/\S+\n\n\S/);
      // Alarms of new versions, and parts of composite alarms, have no topic.
      if (/-\{version\}$|Page\d+$/.test(name)) continue;
      const topic = severity === 'page' ? /^AlarmsPageTopic/ : /^AlarmsTicketTopic/;
      const actions = [{ Ref: expect.stringMatching(topic) }];
      expect(properties, name).toMatchObject({ AlarmActions: actions, OKActions: actions });
    }
    expect([...entries.keys()].filter((anchor) => !linked.has(anchor))).toEqual(['monthly-budget']);
  });

  test('of hobby are a handful, on AWS’s own metrics, because it prints none', () => {
    const few = alarmsOf(templateOf('hobby'));
    expect(few.map(({ AlarmName }) => AlarmName.replace('marketdata-hobby-', '')).sort()).toEqual([
      'AvailabilityPage',
      'Crashes',
      'DeadLetters',
      'SnapshotMissing',
      'Throttles',
    ]);
    const silent = few.filter(({ TreatMissingData }) => TreatMissingData === 'breaching');
    expect(silent).toMatchObject([{ MetricName: 'Invocations', Threshold: 1 }]);
    expect(JSON.stringify(few)).not.toContain('"marketdata-hobby"');
  });

  test.each([
    ['Availability', 99.5, '5xx'],
    ['Freshness', 99, 'StaleAnswers'],
  ])('%s of %f %% is a page at a burn rate of 14.4, and a ticket at three', (name, percent, bad) => {
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
  });

  test('ignore a few failures among very few requests', () => {
    for (const name of ['AvailabilityPage60', 'AvailabilityPage5', 'AvailabilityTicket'])
      expect(expressionOf(name)).toMatch(/^IF\(\(requests >= 30\), /);
    expect(expressionOf('FreshnessTicket')).toMatch(/^IF\(\(SUM\(.+\) >= 30\), /);
    expect(alarm('SlowAnswers')).toMatchObject({ EvaluateLowSampleCountPercentile: 'ignore' });
    const failing = (counts: Record<string, number>) => metricMath(expressionOf('UpstreamFailures'), counts);
    expect(failing({ upstreamOk: 6, upstreamFailed: 1, upstreamTimedOut: 1 })).toBe(25);
    expect(failing({ upstreamRateLimited: 5 })).toBe(100);
    expect(failing({ upstreamFailed: 4 })).toBe(0);
  });

  test('forecast the quota of a month of 31 days at the rate so far', () => {
    const forecast = (used: number, day: number) =>
      metricMath(expressionOf('QuotaForecast'), { used, DATE: () => day, HOUR: () => 11 });

    // At noon of the 16th, half a month is over.
    expect(forecast(10_000, 16)).toBeCloseTo(100, 5);
    expect(forecast(20_000, 16)).toBeCloseTo(200, 5);
    expect(forecast(20_000, 2)).toBe(0);
    expect(alarm('QuotaForecast')?.Threshold).toBe(100);
  });

  test('tolerate one late period, and cover the whole account or all viewers', () => {
    const ofAccount = (MetricName: string) => ({ Namespace: 'AWS/Lambda', MetricName });
    const oneQueue = [{ Name: 'QueueName', Value: { 'Fn::GetAtt': [expect.anything(), 'QueueName'] } }];
    const expected: Record<string, object> = {
      Throttles: ofAccount('Throttles'),
      Crashes: ofAccount('Errors'),
      UpstreamFailures: { DatapointsToAlarm: 3, EvaluationPeriods: 4 },
      SlowAnswers: { DatapointsToAlarm: 3, EvaluationPeriods: 4 },
      EdgeErrors: {
        Threshold: 5,
        Metrics: [{ MetricStat: { Metric: { Namespace: 'AWS/CloudFront', MetricName: '5xxErrorRate' } } }],
      },
      // Markets that stand in for an hour are a ticket, and a quarter of an hour is not.
      SnapshotFailover: {
        Threshold: 0,
        DatapointsToAlarm: 5,
        EvaluationPeriods: 6,
        Metrics: [{ MetricStat: { Period: 600, Stat: 'Sum', Metric: { MetricName: 'SnapshotFailover' } } }],
      },
      // One failed event of any job rings until the queue is empty.
      DeadLetters: {
        ComparisonOperator: 'GreaterThanThreshold',
        Threshold: 0,
        EvaluationPeriods: 1,
        Namespace: 'AWS/SQS',
        MetricName: 'ApproximateNumberOfMessagesVisible',
        Dimensions: oneQueue,
      },
    };
    for (const [name, properties] of Object.entries(expected)) expect(alarm(name)).toMatchObject(properties);
    for (const name of ['Throttles', 'Crashes']) expect(alarm(name)).not.toHaveProperty('Dimensions');
    templateOf('prod').resourceCountIs('AWS::SQS::Queue', 1);
    // CloudFront counts in us-east-1, and no alarm reads another region's metrics.
    expect(JSON.stringify(alarmsOf(templateOf('dev')))).not.toContain('5xxErrorRate');
  });

  test('of publications ring without data too, unless metrics are off, within CloudWatch’s look-back', () => {
    const inSilence = (template: Template) =>
      alarmsOf(template)
        .filter(({ TreatMissingData }) => TreatMissingData === 'breaching')
        .map(({ AlarmName }) => AlarmName.replace('marketdata-prod-', ''))
        .sort();
    const { environment } = stageConfig('prod');
    const rules = domains.flatMap(({ alarms = [] }) => alarms);
    /** Alarm → missed publications, and seconds between two. */
    const missed = Object.fromEntries(
      rules
        .filter(({ entry }) => entry === 'MissingPublication')
        .map(({ name, periods: [times], periodMinutes = 0 }) => {
          const seconds = 60 * minutesBetween({ everyMinutes: periodMinutes }, parseEnvironment(environment));
          return [name, [times, seconds] as const];
        }),
    );

    expect(missed).toMatchObject({
      CandlesMissing: [6, 600],
      HoursMissing: [4, 1800],
      MapMissing: [3, 1800],
      QuotesMissing: [10, 60],
      RatesMissing: [4, 7_200],
      RegistryMissing: [2, 86_400],
      SnapshotMissing: [3, 600],
      TailMissing: [6, 600],
    });
    expect(inSilence(templateOf('prod'))).toEqual([...Object.keys(missed), 'ProbeFailed'].sort());
    expect(inSilence(templateOf('prod', configured))).toEqual([]);
    for (const [name, [times, Period]] of Object.entries(missed)) {
      const MetricName = name.replace('Missing', 'Published');
      expect(alarm(name)).toMatchObject({
        ComparisonOperator: 'LessThanThreshold',
        Threshold: 1,
        DatapointsToAlarm: times,
        EvaluationPeriods: times,
        Metrics: [{ MetricStat: { Period, Stat: 'Sum', Metric: { MetricName } } }],
      });
      // A week, for periods from an hour on, otherwise a day.
      expect(times * Period).toBeLessThanOrEqual((Period >= 3600 ? 7 : 1) * 86_400);
    }
    // A period is the stage's own interval, here of an hour.
    expect(alarm('SnapshotFailover', configured)).toMatchObject({
      Metrics: [{ MetricStat: { Period: 3600 } }],
    });
  });

  test('define missing data, invent none, and use at most CloudWatch’s ten metrics', () => {
    for (const { AlarmName, AlarmRule, TreatMissingData, Metrics = [] } of every) {
      if (!AlarmRule) expect(['breaching', 'notBreaching'], AlarmName).toContain(TreatMissingData);
      expect(JSON.stringify(Metrics)).not.toContain('FILL');
      expect(Metrics.length).toBeLessThanOrEqual(11); // with the expression
    }
  });
});

describe('the topics of the alarms', () => {
  test('accept messages of this account’s alarms and budgets, over TLS only', () => {
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

  test.each([
    [{}, 'on-call@example.com'],
    [configured, 'team@example.com'],
  ])(
    'write to the configured addresses, tickets to those for pages unless they have their own',
    (changes, ticket) => {
      const subscriptions = templateOf('prod', changes).findResources('AWS::SNS::Subscription');
      expect(
        Object.values(subscriptions).map(({ Properties }) => [
          Properties.TopicArn.Ref.replace(/[0-9A-F]{8}$/, ''),
          Properties.Endpoint,
        ]),
      ).toEqual([
        ['AlarmsPageTopic', 'on-call@example.com'],
        ['AlarmsTicketTopic', ticket],
      ]);
    },
  );
});

test.each(stageNames)('the bill of stage %s has a limit that notifies the ticket addresses', (stage) => {
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

test.each(stageNames.filter((stage) => stageConfig(stage).dashboard))(
  'the dashboard of stage %s shows the metrics of alarms, every route and the distribution, and only printed ones',
  (stage) => {
    const [dashboard] = Object.values(templateOf(stage).findResources('AWS::CloudWatch::Dashboard'));
    const parts: unknown[] = dashboard?.Properties.DashboardBody['Fn::Join'][1];
    // What only a deployment knows stands there as its reference.
    const text = parts
      .map((part) => (typeof part === 'string' ? part : JSON.stringify(part).replaceAll('"', '')))
      .join('');
    const { widgets }: { widgets: { type: string; x: number; width: number }[] } = JSON.parse(text);
    const shown = [...text.matchAll(new RegExp(`"marketdata-${stage}","(\\w+)"`, 'g'))].map(
      ([, name]) => name,
    );
    const printed = [
      ...countNames,
      ...domains.flatMap(({ counts = [] }) => counts),
      ...Object.keys(valueUnits),
      'Requests',
    ];

    expect(shown.length).toBeGreaterThan(30);
    expect(shown.filter((name = '') => !printed.includes(name))).toEqual([]);
    for (const { metric } of domains.flatMap(({ alarms = [] }) => alarms))
      if ('sumOf' in metric) expect(text).toContain(`"${metric.sumOf}"`);
    for (const { name } of routes) {
      expect(text).toContain(`"label":"${name}","stat":"p99"`);
      expect(text).toContain(`"route","${name}","status","5xx"`);
    }
    // CloudFront's metrics are in us-east-1 alone.
    for (const name of ['Requests', '4xxErrorRate', '5xxErrorRate'])
      expect(text).toMatch(
        new RegExp(
          `"AWS/CloudFront","${name}","DistributionId","[^"]+","Region","Global",\\{[^}]*"region":"us-east-1"`,
        ),
      );
    // No more than one looks at on call, and all within the page's width.
    expect(widgets.filter(({ type }) => type === 'metric').length).toBeLessThanOrEqual(22);
    for (const { x, width } of widgets) expect(x + width).toBeLessThanOrEqual(24);
  },
);
