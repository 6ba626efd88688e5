import { Duration } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import type { AlarmMetric } from '../../shared/http/domain.ts';
import type { RequestCount, ValueName } from '../../shared/platform/metrics.ts';

const upstreamFailures = ['UpstreamFailed', 'UpstreamTimedOut', 'UpstreamRateLimited'] as const;
const upstreamAnswers = ['UpstreamOk', 'UpstreamNotFound', 'UpstreamRefused'] as const;
const minutes = Duration.minutes;

/** The functions' own metrics and AWS's, for alarms and dashboard. */
export class ServiceMetrics {
  readonly #namespace: string;
  readonly #api: HttpApi;
  readonly #monthlyBudget: number;

  constructor(namespace: string, api: HttpApi, monthlyBudget: number) {
    this.#namespace = namespace;
    this.#api = api;
    this.#monthlyBudget = monthlyBudget;
  }

  /** The metric of an alarm, by default in its own period. */
  ofAlarm(metric: AlarmMetric, period?: Duration): IMetric {
    return 'sumOf' in metric ? this.count(metric.sumOf, period) : this[metric.expression](period);
  }

  count(metricName: string, period = minutes(5)): Metric {
    const label = wordsOf(metricName);
    return new Metric({ namespace: this.#namespace, metricName, statistic: 'Sum', period, label });
  }

  /** A statistic, such as `Maximum` or `p99`, of an observed value. */
  value(metricName: ValueName, statistic: string, period = minutes(5)): Metric {
    const label = statistic === 'Maximum' ? wordsOf(metricName) : `${wordsOf(metricName)}, ${statistic}`;
    return new Metric({ namespace: this.#namespace, metricName, statistic, period, label });
  }

  requests({ route, status }: RequestCount): Metric {
    return new Metric({
      ...{ namespace: this.#namespace, metricName: 'Requests', statistic: 'Sum' },
      dimensionsMap: { route, status },
      label: `${route} ${status}`,
    });
  }

  /** A metric of all functions of the account in the region, including other services. */
  ofAllFunctions(metricName: 'Errors' | 'Throttles'): Metric {
    return new Metric({ namespace: 'AWS/Lambda', metricName, statistic: 'Sum', period: minutes(5) });
  }

  /** The faults of one version of a route's function: crashes, throttles and responses 500. */
  faultsOfVersion(route: string, { lambda, aliasName, version: { version } }: Alias): MathExpression {
    const common = { statistic: 'Sum', period: minutes(1) };
    const dimensionsMap = {
      FunctionName: lambda.functionName,
      Resource: `${lambda.functionName}:${aliasName}`,
      ExecutedVersion: version,
    };
    // Lambda counts the requests that an alias sends to each of its two versions.
    const ofVersion = (metricName: string) =>
      new Metric({ ...common, namespace: 'AWS/Lambda', metricName, dimensionsMap });
    const faults = new Metric({
      ...{ ...common, namespace: this.#namespace, metricName: 'OwnFaults' },
      dimensionsMap: { route, version },
    });
    return new MathExpression({
      // SUM over a list skips metrics without data, which is the usual case.
      expression: 'SUM([crashes, throttles, faults])',
      usingMetrics: { crashes: ofVersion('Errors'), throttles: ofVersion('Throttles'), faults },
      period: minutes(1),
      label: 'crashes, throttles and answers 500',
    });
  }

  /** Requests to the whole API as the gateway counts them, including those that never reached a function. */
  gateway(name: 'Count' | '4xx' | '5xx', period = minutes(5)): Metric {
    return this.#api.metric(name, { statistic: 'Sum', period, label: name === 'Count' ? 'all' : name });
  }

  /** Viewers' requests as the distribution counts them, cached ones included. Only in us-east-1. */
  edge(distributionId: string, name: 'Requests' | '4xxErrorRate' | '5xxErrorRate'): Metric {
    const isRate = name !== 'Requests';
    return new Metric({
      namespace: 'AWS/CloudFront',
      metricName: name,
      dimensionsMap: { DistributionId: distributionId, Region: 'Global' },
      statistic: isRate ? 'Average' : 'Sum',
      region: 'us-east-1',
      label: isRate ? `${name.slice(0, 3)}, %` : 'all',
    });
  }

  latency(statistic: 'p50' | 'p99', period = minutes(5)): Metric {
    return this.#api.metricLatency({ statistic, period, label: `whole API, ${statistic}` });
  }

  /** Responses 5xx in percent of all API requests; 0 below 30 requests, which are too few to judge. */
  unavailablePercent(period: Duration): MathExpression {
    return new MathExpression({
      expression: 'IF((requests >= 30), ((100 * errors) / requests), 0)',
      usingMetrics: { requests: this.gateway('Count', period), errors: this.gateway('5xx', period) },
      period,
      label: 'answers 5xx, %',
    });
  }

  /** Stale responses in percent of those with market data; 0 below 30. */
  stalePercent(period: Duration): MathExpression {
    return new MathExpression({
      expression: 'IF((SUM([fresh, stale]) >= 30), ((100 * stale) / SUM([fresh, stale])), 0)',
      usingMetrics: {
        fresh: this.count('FreshAnswers', period),
        stale: this.count('StaleAnswers', period),
      },
      period,
      label: 'answers stale, %',
    });
  }

  upstream(period = minutes(5)): Metric[] {
    return [...upstreamAnswers, ...upstreamFailures].map((name) => this.count(name, period));
  }

  /** Failed provider requests in percent; 0 if there are too few to judge. */
  upstreamFailurePercent(period = minutes(5)): MathExpression {
    // SUM over a list skips metrics without data. FILL would invent data for the newest minutes, which has not arrived yet.
    const sumOf = (names: readonly string[]) => `SUM([${names.map(idOf).join(', ')}])`;
    const names = [...upstreamFailures, ...upstreamAnswers];
    const failed = sumOf(upstreamFailures);
    const all = sumOf(names);
    return new MathExpression({
      expression: `IF((${all} >= 5), ((100 * ${failed}) / ${all}), 0)`,
      usingMetrics: Object.fromEntries(names.map((name) => [idOf(name), this.count(name, period)])),
      period,
      label: 'upstream requests failed, %',
    });
  }

  /** The spent part of the month's upstream budget, in percent. */
  quotaUsedPercent(): MathExpression {
    return this.#quotaPercent('((100 * used) / budget)', 'month’s budget spent, %');
  }

  /**
   * The projected use at the end of the month, in percent of the budget. It assumes 31 days, so that it passes 100 although the quota
   * itself keeps use just below the budget; it is 0 in the first two days, when a busy hour would look like a busy month.
   */
  quotaForecastPercent(): MathExpression {
    const days = '((DATE(used) - 1) + ((HOUR(used) + 1) / 24))';
    const forecast = `IF((DATE(used) > 2), ((((100 * used) * 31) / ${days}) / budget), 0)`;
    return this.#quotaPercent(forecast, 'month’s budget by the end of the month, %');
  }

  #quotaPercent(expression: string, label: string): MathExpression {
    return new MathExpression({
      expression: expression.replace('budget', String(this.#monthlyBudget)),
      usingMetrics: { used: this.value('QuotaUsedMonth', 'Maximum', Duration.hours(1)) },
      period: Duration.hours(1),
      label,
    });
  }
}

/** `UpstreamTimedOut` → `upstream timed out`. */
export const wordsOf = (name: string): string => name.replace(/(?!^)([A-Z])/g, ' $1').toLowerCase();

/** Metric math accepts only names that begin with a lower-case letter. */
const idOf = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);
