import { Duration, Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { ServiceMetrics } from './service-metrics.ts';

export interface ServiceAlarmsProps {
  readonly metrics: ServiceMetrics;
  readonly topic: ITopic;
  /** Address of the runbook; an alarm's description names its entry there. */
  readonly runbookUrl: string;
}

interface Rule {
  /** What is the case, in one sentence, for whoever is woken. */
  readonly says: string;
  /** Title of the entry in docs/runbook.md. */
  readonly runbookEntry: string;
  readonly metric: IMetric;
  readonly above: number;
  /** In how many of how many periods. */
  readonly periods: readonly [bad: number, of: number];
}

const minutes = Duration.minutes;
const HOUR_SECONDS = 3600;

/** The alarms of a stage, each with its entry in the runbook. What is not measured does not alarm. */
export class ServiceAlarms extends Construct {
  readonly #metrics: ServiceMetrics;
  readonly #topic: ITopic;
  readonly #runbookUrl: string;
  readonly #alarms: Alarm[] = [];
  readonly #serverErrors: Alarm;

  constructor(scope: Construct, id: string, { metrics, topic, runbookUrl }: ServiceAlarmsProps) {
    super(scope, id);
    this.#metrics = metrics;
    this.#topic = topic;
    this.#runbookUrl = runbookUrl;

    this.#serverErrors = this.#add('ServerErrors', {
      says: 'More than 5 % of all requests are answered 5xx',
      runbookEntry: 'Server errors',
      metric: metrics.serverErrorPercent(minutes(1)),
      above: 5,
      periods: [3, 5],
    });
    this.#add('SlowAnswers', {
      says: 'One request in a hundred takes longer than 3 s',
      runbookEntry: 'Slow answers',
      metric: metrics.latency('p99'),
      above: 3_000,
      periods: [3, 4],
    });
    this.#add('UpstreamFailures', {
      says: 'More than 20 % of the requests to the provider fail',
      runbookEntry: 'Upstream failures',
      metric: metrics.upstreamFailurePercent(minutes(5)),
      above: 20,
      periods: [3, 3],
    });
    this.#add('QuotaForecast', {
      says: 'At this rate the provider’s monthly quota does not last the month',
      runbookEntry: 'Quota forecast',
      metric: metrics.quotaForecastPercent(),
      above: 100,
      periods: [3, 3],
    });
    this.#add('SnapshotTooOld', {
      says: 'The ticker snapshot is older than 30 minutes, three of its intervals',
      runbookEntry: 'Snapshot too old',
      metric: metrics.value('SnapshotAge', 'Maximum'),
      above: HOUR_SECONDS / 2,
      periods: [3, 3],
    });
    this.#add('SharedStoreFailures', {
      says: 'DynamoDB or S3 often fail or are too slow, and containers carry on by themselves',
      runbookEntry: 'Shared store failures',
      metric: metrics.count('SharedStoreFailures'),
      above: 10,
      periods: [3, 3],
    });
    this.#add('RegistryTooOld', {
      says: 'The coin registry is older than 49 hours: two daily refreshes are missing',
      runbookEntry: 'Registry too old',
      metric: metrics.value('RegistryAge', 'Maximum'),
      above: 49 * HOUR_SECONDS,
      periods: [3, 3],
    });
  }

  get all(): readonly Alarm[] {
    return this.#alarms;
  }

  /** Watches a function; returns the alarms that speak against a new version of it. */
  watchFunction(name: string, fn: IFunction): readonly Alarm[] {
    this.#add(`${name}Throttles`, {
      says: 'Requests are refused because all containers that this function may have are busy',
      runbookEntry: 'Throttles',
      metric: fn.metricThrottles({ period: minutes(5) }),
      above: 0,
      periods: [2, 3],
    });
    const crashes = this.#add(`${name}Crashes`, {
      says: 'This function crashes or runs into its time-out; every other failure is an answer',
      runbookEntry: 'Crashes',
      metric: fn.metricErrors({ period: minutes(1) }),
      above: 0,
      periods: [2, 5],
    });
    return [crashes, this.#serverErrors];
  }

  /** Watches the balance that grants are paid from. */
  watchFaucet(): void {
    this.#add('FaucetLow', {
      says: 'The faucet has money for fewer than 50 more grants, or none at all',
      runbookEntry: 'Faucet low',
      metric: this.#metrics.count('FaucetLow'),
      above: 0,
      periods: [1, 1],
    });
  }

  /** Watches what a scheduled function leaves when it has failed for good. */
  watchDeadLetters(name: string, queue: IQueue): void {
    this.#add(`${name}DeadLetters`, {
      says: 'A scheduled job has failed at every try, and left its event in the dead-letter queue',
      runbookEntry: 'Dead letters',
      metric: queue.metricApproximateNumberOfMessagesVisible({ period: minutes(5), statistic: 'Maximum' }),
      above: 0,
      periods: [1, 1],
    });
  }

  #add(name: string, { says, runbookEntry, metric, above, periods: [bad, of] }: Rule): Alarm {
    const anchor = runbookEntry.toLowerCase().replaceAll(' ', '-');
    const alarm = new Alarm(this, name, {
      alarmName: `${Stack.of(this).stackName}-${name}`,
      alarmDescription: `${says}. Runbook: ${this.#runbookUrl}#${anchor}`,
      metric,
      threshold: above,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      datapointsToAlarm: bad,
      evaluationPeriods: of,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(this.#topic));
    alarm.addOkAction(new SnsAction(this.#topic));
    this.#alarms.push(alarm);
    return alarm;
  }
}
