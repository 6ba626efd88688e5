import { Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { Alias, IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { AlarmCondition, Domain, Severity } from '../../shared/http/domain.ts';
import type { RouteDefinition } from '../../shared/http/route.ts';
import { parseEnvironment } from '../../shared/platform/environment.ts';
import type { StageConfig } from '../config.ts';
import { constructId } from './route-function.ts';
import type { ServiceMetrics } from './service-metrics.ts';

interface ServiceAlarmsProps extends Pick<StageConfig, 'alarms'> {
  readonly metrics: ServiceMetrics;
  /** Where each severity is told. */
  readonly topics: Readonly<Record<Severity, ITopic>>;
  /** Address of the runbook; an alarm's description names its entry there. */
  readonly runbookUrl: string;
  readonly settings: StageConfig['environment'];
  /** Whether the functions print metrics: without them, an alarm that rings in silence would never stop. */
  readonly printsMetrics: boolean;
}

type Rule = AlarmCondition & {
  readonly metric: IMetric;
  /** Of a percentile: whether CloudWatch leaves out periods with too few requests for it to mean anything. */
  readonly ignoresFewSamples?: true;
  /** AWS counts it, whether functions print metrics or not: silence means that nothing happened. */
  readonly isAlwaysCounted?: true;
};
const minutes = Duration.minutes;

/** The alarms of a stage, each with its severity and its entry in the runbook. */
export class ServiceAlarms extends Construct {
  readonly #metrics: ServiceMetrics;
  readonly #props: ServiceAlarmsProps;
  readonly #alarms: Alarm[] = [];

  constructor(scope: Construct, id: string, props: ServiceAlarmsProps) {
    super(scope, id);
    const { metrics } = props;
    this.#metrics = metrics;
    this.#props = props;

    this.#add('ServerErrors', {
      severity: 'page',
      says: 'More than 5 % of all requests are answered 5xx',
      runbookEntry: 'Server errors',
      metric: metrics.serverErrorPercent(minutes(1)),
      above: 5,
      periods: [3, 4],
    });
    if (props.alarms === 'few') return;
    this.#add('SlowAnswers', {
      severity: 'ticket',
      says: 'One request in a hundred takes longer than 3 s',
      runbookEntry: 'Slow answers',
      metric: metrics.latency('p99'),
      above: 3_000,
      periods: [3, 4],
      ignoresFewSamples: true,
    });
    this.#add('SharedStoreFailures', {
      severity: 'ticket',
      says: 'DynamoDB or S3 often fail or are too slow, and containers carry on by themselves',
      runbookEntry: 'Shared store failures',
      metric: metrics.count('SharedStoreFailures'),
      above: 10,
      periods: [3, 3],
    });
  }

  get all(): readonly Alarm[] {
    return this.#alarms;
  }

  /** In place of the alarms of single functions and of our own metrics, where few are wanted: all functions of the account. */
  watchAccount(snapshotJob: IFunction): void {
    if (this.#props.alarms !== 'few') return;
    const ofAll = (name: 'Errors' | 'Throttles') =>
      new Metric({ namespace: 'AWS/Lambda', metricName: name, statistic: 'Sum', period: minutes(5) });
    this.#add('Crashes', {
      severity: 'page',
      says: 'A function crashes, runs into its time-out, or a job fails',
      runbookEntry: 'Crashes',
      metric: ofAll('Errors'),
      above: 0,
      periods: [3, 4],
    });
    this.#add('Throttles', {
      severity: 'ticket',
      says: 'Requests are refused because all containers of the account are busy',
      runbookEntry: 'Throttles',
      metric: ofAll('Throttles'),
      above: 0,
      periods: [2, 3],
    });
    this.#add('SnapshotMissing', {
      severity: 'ticket',
      says: 'The job that publishes the ticker snapshot has not run for an hour',
      runbookEntry: 'Snapshot missing',
      metric: snapshotJob.metricInvocations({ period: minutes(30) }),
      below: 1,
      periods: [2, 2],
      isAlwaysCounted: true,
    });
  }

  watchFunction(name: string, fn: IFunction): void {
    if (this.#props.alarms === 'few') return;
    this.#add(`${name}Throttles`, {
      severity: 'ticket',
      says: 'Requests are refused because all containers that this function may have are busy',
      runbookEntry: 'Throttles',
      metric: fn.metricThrottles({ period: minutes(5) }),
      above: 0,
      periods: [2, 3],
    });
    this.#add(`${name}Crashes`, {
      severity: 'page',
      says: 'This function crashes or runs into its time-out; every other failure is an answer',
      runbookEntry: 'Crashes',
      metric: fn.metricErrors({ period: minutes(1) }),
      above: 0,
      periods: [2, 5],
    });
  }

  /**
   * The alarm that takes a new version back: for its own faults alone, so that no outage of others stops a deployment. It
   * has the version in its name, because an alarm that is only changed keeps the state of the version before. It tells
   * nobody: the deployment that fails does.
   */
  ofNewVersion(route: Pick<RouteDefinition, 'name'>, alias: Alias): Alarm {
    const name = `${constructId(route)}NewFaults`;
    return this.#alarm(name, `${name}-${alias.version.version}`, {
      severity: 'ticket',
      says: 'A new version of this function had faults of its own while it was being deployed',
      runbookEntry: 'New version taken back',
      metric: this.#metrics.faultsOfVersion(route.name, alias),
      above: 0,
      periods: [1, 1],
    });
  }

  watchDomain({ alarms = [] }: Pick<Domain, 'alarms'>): void {
    if (this.#props.alarms === 'few') return;
    const settings = parseEnvironment(this.#props.settings);
    for (const { name, metric, periodMinutes, ...rule } of alarms) {
      const given = typeof periodMinutes === 'string' ? Number(settings[periodMinutes]) : periodMinutes;
      const period = given === undefined ? undefined : minutes(given);
      this.#add(name, { ...rule, metric: this.#metrics.ofAlarm(metric, period) });
    }
  }

  /** Watches the queue of the scheduled jobs, which gets the events that failed for good. */
  watchDeadLetters(queue: IQueue): void {
    this.#add('DeadLetters', {
      severity: 'ticket',
      says: 'A scheduled job has failed at every try, and left its event in the dead-letter queue',
      runbookEntry: 'Dead letters',
      metric: queue.metricApproximateNumberOfMessagesVisible({ period: minutes(5), statistic: 'Maximum' }),
      above: 0,
      periods: [1, 1],
    });
  }

  #add(name: string, rule: Rule): void {
    if (rule.ringsInSilence && !this.#props.printsMetrics) return;
    const alarm = this.#alarm(name, name, { ...rule, says: `${rule.severity}: ${rule.says}` });
    const topic = new SnsAction(this.#props.topics[rule.severity]);
    alarm.addAlarmAction(topic);
    alarm.addOkAction(topic);
    this.#alarms.push(alarm);
  }

  #alarm(id: string, name: string, rule: Rule): Alarm {
    const { says, runbookEntry, metric, above, below, ringsInSilence, ignoresFewSamples, isAlwaysCounted } =
      rule;
    const [bad, of] = rule.periods;
    const anchor = runbookEntry.toLowerCase().replaceAll(' ', '-');
    return new Alarm(this, id, {
      alarmName: `${Stack.of(this).stackName}-${name}`,
      alarmDescription: `${says}. Runbook: ${this.#props.runbookUrl}#${anchor}`,
      metric,
      ...(below === undefined
        ? { threshold: above, comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD }
        : { threshold: below, comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD }),
      datapointsToAlarm: bad,
      evaluationPeriods: of,
      treatMissingData:
        ringsInSilence || isAlwaysCounted ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
      evaluateLowSampleCountPercentile: ignoresFewSamples && 'ignore',
    });
  }
}
