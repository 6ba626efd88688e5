import { Duration, Stack } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { Graph } from '../../shared/http/domain.ts';
import { countNames } from '../../shared/platform/metrics.ts';
import type { ServiceMetrics } from './metrics.ts';

interface ServiceDashboardProps {
  readonly metrics: ServiceMetrics;
  /** The functions by their route's name. */
  readonly functions: Readonly<Record<string, IFunction>>;
  readonly alarms: readonly cloudwatch.AlarmBase[];
  /** Undefined without a distribution. */
  readonly distributionId: string | undefined;
  /** The graphs of the domains. */
  readonly graphs: readonly Graph[];
}

const WIDTH = 24;
const HEIGHT = 6;
const implausible = countNames.filter((name) => name.startsWith('Implausible'));
const published = countNames.filter((name) => name.endsWith('Published') && !name.includes('Not'));

/** One page for the person on call: is it serving, is it fast, is the data fresh, and will the quota last? */
export class ServiceDashboard extends cloudwatch.Dashboard {
  constructor(scope: Construct, id: string, props: ServiceDashboardProps) {
    const { metrics, functions, alarms, distributionId, graphs } = props;
    const counts = (...names: string[]): cloudwatch.IMetric[] => names.map((name) => metrics.count(name));
    const errorRates = ['4xxErrorRate', '5xxErrorRate'] as const;
    const { stackName, region } = Stack.of(scope);
    super(scope, id, {
      dashboardName: `${stackName}-${region}`, // dashboard names are shared by all regions of an account
      defaultInterval: Duration.hours(12),
      widgets: [
        [new cloudwatch.AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: WIDTH, height: 3 })],
        ...question('Is it serving?', [
          ...(distributionId === undefined
            ? []
            : [
                graph(
                  'Requests at the edge',
                  [metrics.edge(distributionId, 'Requests')],
                  errorRates.map((rate) => metrics.edge(distributionId, rate)),
                ),
              ]),
          graph(
            'Requests to the API',
            (['Count', '4xx', '5xx'] as const).map((name) => metrics.gateway(name)),
          ),
          graph(
            'Answers 5xx by route',
            Object.keys(functions).map((route) => metrics.requests({ route, status: '5xx' })),
          ),
          graph('Answers to the probe', counts('ProbePassed', 'ProbeFailed')),
          graph('Refused', [
            ...counts(
              'RateLimited',
              'ClientShareRefused',
              'QuotaRefused',
              'SecretUnusable',
              'SecretFetchFailed',
            ),
            metrics.ofAllFunctions('Throttles'),
          ]),
        ]),
        ...question('Is it fast?', [
          graph(
            'p99 by route, ms',
            Object.entries(functions).map(([label, fn]) => fn.metricDuration({ statistic: 'p99', label })),
          ),
          graph(
            'Whole API, cold starts included, ms',
            [metrics.latency('p50'), metrics.latency('p99')],
            counts('ColdStarts'),
          ),
          graph(
            'Upstream time, ms',
            ['p50', 'p99'].map((statistic) => metrics.value('UpstreamLatency', statistic)),
          ),
        ]),
        ...question('Is the data fresh?', [
          graph('Published', counts(...published)),
          graph(
            'Age, seconds',
            (['SnapshotAge', 'HistoryAge', 'RegistryAge'] as const).map((name) =>
              metrics.value(name, 'Maximum'),
            ),
          ),
          graph(
            'Answers by what they are made of',
            counts('FreshAnswers', 'StaleAnswers', 'DerivedAnswers', 'TickersDisputed'),
          ),
          graph('Not published, set aside, store failures', [
            ...counts(
              'SnapshotNotPublished',
              'SnapshotFailover',
              'RegistryNotPublished',
              'RegistryImplausible',
            ),
            ...counts(
              'RegistryRefreshFailed',
              'SnapshotRefreshFailed',
              'ObjectsSetAside',
              'HistoryUnusable',
              'SharedStoreFailures',
            ),
          ]),
          graph('Refused as implausible', counts(...implausible, 'RowsUnreadable')),
        ]),
        ...question('How much quota is left, and will it last?', [
          (width) =>
            new cloudwatch.SingleValueWidget({
              title: 'Month’s upstream budget',
              metrics: [metrics.quotaUsedPercent(), metrics.quotaForecastPercent()],
              ...{ width, height: HEIGHT },
            }),
          graph(
            'Upstream requests by outcome',
            [...metrics.upstream(), ...counts('BudgetAbovePlan')],
            [metrics.value('QuotaUsedDay', 'Maximum')],
          ),
          graph('Cache', counts('CacheHits', 'CacheMisses', 'CacheShared', 'SharedCacheHits')),
          ...graphs.map(({ title, sumsOf }) => graph(title, counts(...sumsOf))),
        ]),
      ],
    });
  }
}

/** A question, with its graphs side by side. */
function question(text: string, graphs: ((width: number) => cloudwatch.IWidget)[]): cloudwatch.IWidget[][] {
  const width = Math.floor(WIDTH / graphs.length);
  return [
    [new cloudwatch.TextWidget({ markdown: `## ${text}`, width: WIDTH, height: 1 })],
    graphs.map((graphOf) => graphOf(width)),
  ];
}

function graph(title: string, left: cloudwatch.IMetric[], right?: cloudwatch.IMetric[]) {
  return (width: number) =>
    new cloudwatch.GraphWidget({ title, left, right, width, height: HEIGHT, leftYAxis: { min: 0 } });
}
