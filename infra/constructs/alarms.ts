import { Aws, Duration, Stack } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Alias, IFunction } from 'aws-cdk-lib/aws-lambda';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { AlarmCondition, Domain, Severity } from '../../shared/http/domain.ts';
import type { RouteDefinition } from '../../shared/http/route.ts';
import { parseEnvironment } from '../../shared/platform/environment.ts';
import { minutesBetween } from '../../shared/platform/job.ts';
import { printsMetrics } from '../../shared/platform/metrics-output.ts';
import type { StageConfig } from '../config.ts';
import { constructId } from './functions.ts';
import { type ServiceMetrics, wordsOf } from './metrics.ts';

type AlarmsConfig = Pick<
  StageConfig,
  'alarms' | 'alarmEmails' | 'ticketEmails' | 'runbookUrl' | 'monthlyDollars'
> &
  Pick<StageConfig, 'environment' | 'nodeEnv' | 'monthlyExport' | 'probe'>;

type Rule = AlarmCondition & {
  readonly metric: cloudwatch.IMetric;
  /** Whether CloudWatch ignores periods of a percentile with too few requests. */
  readonly ignoresFewSamples?: true;
};

/**
 * The objectives over 30 days, and the burn rates that raise alarms: 14.4 times the even rate uses 2 % of the error budget in an hour,
 * three times uses a tenth in a day (Google's SRE workbook, "Alerting on SLOs").
 */
const objectives = {
  Availability: { percent: 99.5, bad: 'unavailablePercent', says: 'requests are answered 5xx' },
  Freshness: { percent: 99, bad: 'stalePercent', says: 'answers are made of stale data' },
} as const;
const FAST = 14.4;
const SLOW = 3;

const { minutes, hours } = Duration;

/** The alarms of a stage, each a page or a ticket, with a link to its entry in docs/oncall.md. */
export class ServiceAlarms extends Construct {
  /** The topic of each severity's alarms. */
  readonly topics: Readonly<Record<Severity, Topic>>;
  readonly all: cloudwatch.AlarmBase[] = [];
  readonly #metrics: ServiceMetrics;
  readonly #config: AlarmsConfig;

  constructor(scope: Construct, id: string, metrics: ServiceMetrics, config: AlarmsConfig) {
    super(scope, id);
    const { alarmEmails, ticketEmails = alarmEmails, monthlyDollars } = config;
    this.#metrics = metrics;
    this.#config = config;
    this.topics = {
      page: alarmTopic(this, 'page', alarmEmails),
      ticket: alarmTopic(this, 'ticket', ticketEmails),
    };
    this.#watchObjective('Availability');
    this.#add('Throttles', {
      severity: 'ticket',
      says: 'Lambda refuses invocations in this account: all containers that they may have are busy',
      metric: metrics.ofAllFunctions('Throttles'),
      above: 0,
      periods: [2, 3],
    });
    this.#add('Crashes', {
      severity: 'ticket',
      says: 'Functions of this account crash, run into their time-out, or are jobs that fail again and again',
      metric: metrics.ofAllFunctions('Errors'),
      above: 0,
      periods: [3, 4],
    });
    monthlyBudget(this, monthlyDollars, this.topics.ticket);
    if (config.alarms === 'few') return;
    this.#watchObjective('Freshness');
    this.#add('SlowAnswers', {
      severity: 'ticket',
      says: 'One request in a hundred takes longer than 3 s',
      metric: metrics.latency('p99'),
      above: 3_000,
      periods: [3, 4],
      ignoresFewSamples: true,
    });
    this.#add('SharedStoreFailures', {
      severity: 'ticket',
      says: 'DynamoDB or S3 often fail or are too slow, and containers carry on by themselves',
      metric: metrics.count('SharedStoreFailures'),
      above: 10,
      periods: [3, 3],
    });
  }

  /** Watches the responses that viewers get. CloudFront reports only to us-east-1, and alarms read metrics of their own region. */
  watchEdge(distributionId: string): void {
    if (Stack.of(this).region !== 'us-east-1') return;
    this.#add(
      'EdgeErrors',
      {
        severity: 'page',
        says: 'More than 5 % of the requests to the address of the page are answered 5xx',
        metric: this.#metrics.edge(distributionId, '5xxErrorRate'),
        above: 5,
        periods: [3, 4],
      },
      'Availability',
    );
  }

  watchDomain({ alarms = [] }: Pick<Domain, 'alarms'>): void {
    const { environment: settings, nodeEnv } = this.#config;
    if (this.#config.alarms === 'few') return;
    for (const { name, entry, metric, periodMinutes: everyMinutes, onlyWith, ...rule } of alarms) {
      if (onlyWith && !this.#config[onlyWith]) continue;
      // Without metrics it would ring for ever.
      if (rule.ringsInSilence && !printsMetrics({ ...settings, NODE_ENV: nodeEnv })) continue;
      const period =
        everyMinutes === undefined
          ? undefined
          : minutes(minutesBetween({ everyMinutes }, parseEnvironment(settings)));
      this.#add(name, { ...rule, metric: this.#metrics.ofAlarm(metric, period) }, entry);
    }
  }

  /** Watches the jobs' dead-letter queue and, with few alarms, that the snapshot's job runs. */
  watchJobs(queue: IQueue, snapshotJob: IFunction): void {
    if (this.#config.alarms === 'few') {
      this.#add(
        'SnapshotMissing',
        {
          severity: 'ticket',
          says: 'The job that publishes the snapshot has not run for an hour',
          metric: snapshotJob.metricInvocations({ period: minutes(30) }),
          below: 1,
          periods: [2, 2],
          ringsInSilence: true,
        },
        'MissingPublication',
      );
    }
    this.#add('DeadLetters', {
      severity: 'ticket',
      says: 'A scheduled job has failed at every try, and left its event in the dead-letter queue',
      metric: queue.metricApproximateNumberOfMessagesVisible({ period: minutes(5), statistic: 'Maximum' }),
      above: 0,
      periods: [1, 1],
    });
  }

  /**
   * The alarm that rolls a new version back, for its own faults only, so that a provider's outage does not stop a deployment. Its name
   * contains the version, because a changed alarm would keep its old state. It sends no mail: the failed deployment is reported
   * anyway.
   */
  ofNewVersion(route: Pick<RouteDefinition, 'name'>, alias: Alias): cloudwatch.Alarm {
    const name = `${constructId(route)}NewFaults`;
    return this.#alarm(name, `${name}-${alias.version.version}`, 'NewVersionTakenBack', {
      severity: 'ticket',
      says: 'A new version of this function had faults of its own while it was being deployed',
      metric: this.#metrics.faultsOfVersion(route.name, alias),
      above: 0,
      periods: [1, 1],
    });
  }

  /** A fast burn for an hour that still continues is a page; a slow burn for six hours is a ticket. With few alarms, the hour alone. */
  #watchObjective(name: keyof typeof objectives): void {
    const { percent, bad, says } = objectives[name];
    const burning = (times: number, period: Duration) => {
      const above = Number((times * (100 - percent)).toFixed(2));
      const metric = this.#metrics[bad](period);
      return { says: `More than ${above} % of ${says}`, above, metric, periods: [1, 1] } as const;
    };
    const fast = `${name}Page`;
    const slow = `${name}Ticket`;
    if (this.#config.alarms === 'few') {
      this.#add(fast, { severity: 'page', ...burning(FAST, hours(1)) }, name);
      return;
    }
    const both = [hours(1), minutes(5)].map((period) => {
      const own = `${fast}${period.toMinutes()}`;
      return this.#alarm(own, own, name, { severity: 'page', ...burning(FAST, period) });
    });
    const { says: burnsFast } = burning(FAST, hours(1));
    this.#notify(
      'page',
      new cloudwatch.CompositeAlarm(this, fast, {
        compositeAlarmName: `${Stack.of(this).stackName}-${fast}`,
        alarmDescription: this.#description('page', `${burnsFast}, in the last hour and still now`, name),
        alarmRule: cloudwatch.AlarmRule.allOf(
          ...both.map((one) => cloudwatch.AlarmRule.fromAlarm(one, cloudwatch.AlarmState.ALARM)),
        ),
      }),
    );
    this.#add(slow, { severity: 'ticket', ...burning(SLOW, hours(6)) }, name);
  }

  #add(name: string, rule: Rule, entry = name): void {
    this.#notify(rule.severity, this.#alarm(name, name, entry, rule));
  }

  #notify(severity: Severity, alarm: cloudwatch.AlarmBase): void {
    const topic = new SnsAction(this.topics[severity]);
    alarm.addAlarmAction(topic);
    alarm.addOkAction(topic);
    this.all.push(alarm);
  }

  #description(severity: Severity, says: string, entry: string): string {
    return `${severity}: ${says}. ${this.#config.runbookUrl}#${wordsOf(entry).replaceAll(' ', '-')}`;
  }

  #alarm(id: string, name: string, entry: string, rule: Rule): cloudwatch.Alarm {
    const { severity, says, metric, above, below, ringsInSilence, ignoresFewSamples } = rule;
    const [bad, of] = rule.periods;
    return new cloudwatch.Alarm(this, id, {
      alarmName: `${Stack.of(this).stackName}-${name}`,
      alarmDescription: this.#description(severity, says, entry),
      metric,
      ...(below === undefined
        ? { threshold: above, comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD }
        : { threshold: below, comparisonOperator: cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD }),
      datapointsToAlarm: bad,
      evaluationPeriods: of,
      treatMissingData: ringsInSilence
        ? cloudwatch.TreatMissingData.BREACHING
        : cloudwatch.TreatMissingData.NOT_BREACHING,
      evaluateLowSampleCountPercentile: ignoresFewSamples && 'ignore',
    });
  }
}

/** The topic of alarms. It is not encrypted with a key, because its messages hold only names of alarms and numbers. */
function alarmTopic(scope: Construct, severity: Severity, emails: readonly string[]): Topic {
  const displayName = `${Stack.of(scope).stackName} ${severity}`;
  const topic = new Topic(scope, severity === 'page' ? 'PageTopic' : 'TicketTopic', {
    displayName,
    enforceSSL: true,
  });
  for (const email of emails) topic.addSubscription(new EmailSubscription(email));
  // Any policy, such as that of enforceSSL, replaces the default one that admits the account's alarms.
  topic.addToResourcePolicy(
    new PolicyStatement({
      sid: 'AlarmsOfThisAccount',
      principals: ['cloudwatch', 'budgets'].map(
        (service) => new ServicePrincipal(`${service}.amazonaws.com`),
      ),
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
    }),
  );
  return topic;
}

/** Notifies when the account's monthly bill passes this amount, or is expected to. */
function monthlyBudget(scope: Construct, dollars: number, topic: Topic): void {
  const { stackName, region } = Stack.of(scope);
  new CfnBudget(scope, 'MonthlyBudget', {
    budget: {
      budgetName: `${stackName}-${region}`, // budget names are shared by all regions of an account
      budgetType: 'COST',
      timeUnit: 'MONTHLY',
      budgetLimit: { amount: dollars, unit: 'USD' },
    },
    notificationsWithSubscribers: ['ACTUAL', 'FORECASTED'].map((notificationType) => ({
      notification: { notificationType, comparisonOperator: 'GREATER_THAN', threshold: 100 },
      subscribers: [{ subscriptionType: 'SNS', address: topic.topicArn }],
    })),
  });
}
