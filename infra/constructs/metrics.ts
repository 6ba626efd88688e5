import { Duration } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import type { AlarmMetric } from '../../shared/http/domain.ts';
import type { RequestCount, ValueName } from '../../shared/platform/metrics.ts';

const upstreamFailures = ['UpstreamFailed', 'UpstreamTimedOut', 'UpstreamRateLimited'] as const;
const upstreamAnswers = ['UpstreamOk', 'UpstreamNotFound', 'UpstreamRefused'] as const;
const minutes = Duration.minutes;

/** The metrics that the functions print and those of AWS, for alarms and dashboard. */
export class ServiceMetrics {
  readonly #namespace: string;
  readonly #api: HttpApi;
  readonly #monthlyBudget: number;

  constructor(namespace: string, api: HttpApi, monthlyBudget: number) {
    this.#namespace = namespace;
    this.#api = api;
    this.#monthlyBudget = monthlyBudget;
  }

  /** In periods of the metric's own unless told. */
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

  /** Of all functions of the account in the region, other services' too. */
  ofAllFunctions(metricName: 'Errors' | 'Throttles'): Metric {
    return new Metric({ namespace: 'AWS/Lambda', metricName, statistic: 'Sum', period: minutes(5) });
  }

  /** What one version of a route's function does wrong: it crashes, is throttled, or answers 500. */
  faultsOfVersion(route: string, { lambda, aliasName, version: { version } }: Alias): MathExpression {
    const common = { statistic: 'Sum', period: minutes(1) };
    const dimensionsMap = {
      FunctionName: lambda.functionName,
      Resource: `${lambda.functionName}:${aliasName}`,
      ExecutedVersion: version,
    };
    // Lambda's count of the requests that an alias gave to one of its two versions.
    const ofVersion = (metricName: string) =>
      new Metric({ ...common, namespace: 'AWS/Lambda', metricName, dimensionsMap });
    const faults = new Metric({
      ...{ ...common, namespace: this.#namespace, metricName: 'OwnFaults' },
      dimensionsMap: { route, version },
    });
    return new MathExpression({
      // A sum of a list skips those without data, as most versions have none of any.
      expression: 'SUM([crashes, throttles, faults])',
      usingMetrics: { crashes: ofVersion('Errors'), throttles: ofVersion('Throttles'), faults },
      period: minutes(1),
      label: 'crashes, throttles and answers 500',
    });
  }

  /** Requests of the whole API, as the gateway counts them: also those that never reached a function. */
  gateway(name: 'Count' | '4xx' | '5xx', period = minutes(5)): Metric {
    return this.#api.metric(name, { statistic: 'Sum', period, label: name === 'Count' ? 'all' : name });
  }

  /** Requests of viewers as the distribution counts them, those too that it answers itself. Only in us-east-1. */
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

  /** Answers 5xx in percent of all requests to the API; 0 of fewer than 30 requests, which would mean nothing. */
  unavailablePercent(period: Duration): MathExpression {
    return new MathExpression({
      expression: 'IF((requests >= 30), ((100 * errors) / requests), 0)',
      usingMetrics: { requests: this.gateway('Count', period), errors: this.gateway('5xx', period) },
      period,
      label: 'answers 5xx, %',
    });
  }

  /** Stale answers in percent of those made of market data; 0 of fewer than 30. */
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

  /** Requests to the provider that failed, in percent; 0 if these are too few to mean anything. */
  upstreamFailurePercent(period = minutes(5)): MathExpression {
    // A sum of a list skips those without data. FILL would make some for the newest minutes, whose data is on its way.
    const sumOf = (names: readonly string[]) => `SUM([${names.map(idOf).join(', ')}])`;
    const names = [...upstreamFailures, ...upstreamAnswers];
    const [failed, all] = [sumOf(upstreamFailures), sumOf(names)];
    return new MathExpression({
      expression: `IF((${all} >= 5), ((100 * ${failed}) / ${all}), 0)`,
      usingMetrics: Object.fromEntries(names.map((name) => [idOf(name), this.count(name, period)])),
      period,
      label: 'upstream requests failed, %',
    });
  }

  /** The part of the month's upstream budget that is spent, in percent. */
  quotaUsedPercent(): MathExpression {
    return this.#quotaPercent('((100 * used) / budget)', 'month’s budget spent, %');
  }

  /**
   * The use by the end of the month if it goes on like this, in percent of the budget. Always for a month of 31 days,
   * so that it passes 100 although the quota's own brake keeps use just below the budget; 0 in the first two days,
   * when a busy hour would look like a busy month.
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

/** Metric math takes only names that begin in lower case. */
const idOf = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);
