import { Duration, Stack } from 'aws-cdk-lib';
import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  SingleValueWidget,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { Graph } from '../../shared/http/domain.ts';
import { countNames } from '../../shared/platform/metrics.ts';
import type { ServiceMetrics } from './service-metrics.ts';

interface ServiceDashboardProps {
  readonly metrics: ServiceMetrics;
  /** The functions by their route's name. */
  readonly functions: Readonly<Record<string, IFunction>>;
  readonly alarms: readonly Alarm[];
  readonly distributionId: string | undefined;
  readonly graphs: readonly Graph[];
}

const publishedEvents = countNames.filter((name) =>
  /^(Registry|Snapshot|History|Objects|Coin|Rows|Markets|Source|Tokens)/.test(name),
);
const probed = countNames.filter((name) => name.startsWith('Probe'));
const implausible = countNames.filter((name) => name.startsWith('Implausible'));
const WIDTH = 24;
const HEIGHT = 6;

/** One page that answers: is it serving, is it fast, is the data fresh, and will the quota last? */
export class ServiceDashboard extends Dashboard {
  constructor(scope: Construct, id: string, props: ServiceDashboardProps) {
    const { metrics, functions, alarms, distributionId, graphs } = props;
    const routes = Object.keys(functions);
    const byFunction = (statistic: string): IMetric[] =>
      Object.entries(functions).map(([route, fn]) => fn.metricDuration({ statistic, label: route }));
    const counts = (...names: string[]): IMetric[] => names.map((name) => metrics.count(name));

    const { stackName, region } = Stack.of(scope);
    super(scope, id, {
      dashboardName: `${stackName}-${region}`, // dashboards are an account's, of all its regions
      defaultInterval: Duration.hours(12),
      widgets: [
        [new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: WIDTH, height: 3 })],
        ...question('Is it serving?', [
          ...(distributionId === undefined
            ? []
            : [
                graph(
                  'Requests at the edge',
                  [metrics.edge(distributionId, 'Requests')],
                  (['4xxErrorRate', '5xxErrorRate'] as const).map((rate) =>
                    metrics.edge(distributionId, rate),
                  ),
                ),
              ]),
          graph('Answers to the probe', counts(...probed)),
          graph(
            'Requests to the API',
            (['Count', '4xx', '5xx'] as const).map((name) => metrics.gateway(name)),
          ),
          graph(
            'Answers by route',
            routes.flatMap((route) =>
              (['2xx', '4xx', '5xx'] as const).map((status) => metrics.requests({ route, status })),
            ),
          ),
          graph('Refused', [
            ...counts(
              'RateLimited',
              'ClientShareRefused',
              'QuotaRefused',
              'SecretUnusable',
              'SecretFetchFailed',
            ),
            ...Object.entries(functions).map(([route, fn]) =>
              fn.metricThrottles({ label: `throttled ${route}` }),
            ),
          ]),
        ]),
        ...question('Is it fast?', [
          graph('p50 by route, ms', byFunction('p50')),
          graph('p99 by route, ms', byFunction('p99')),
          graph(
            'Whole API, cold starts included, ms',
            [metrics.latency('p50'), metrics.latency('p99')],
            counts('ColdStarts'),
          ),
        ]),
        ...question('Is the data fresh?', [
          graph(
            'Age, seconds',
            (['SnapshotAge', 'HistoryAge', 'RegistryAge'] as const).map((name) =>
              metrics.value(name, 'Maximum'),
            ),
          ),
          graph(
            'Answers that are not the newest and exact',
            counts('CacheStale', 'DerivedAnswers', 'TickersDisputed', 'SharedStoreFailures'),
          ),
          graph('Refused as implausible', counts(...implausible, 'RowsUnreadable')),
          graph('Registry, snapshot and history', counts(...publishedEvents), [
            metrics.value('HistoryCoinsLeft', 'Maximum'),
            metrics.value('MarketsMapped', 'Minimum'),
          ]),
          graph(
            'Cache',
            [metrics.cacheHitPercent()],
            counts('CacheHits', 'CacheMisses', 'CacheShared', 'SharedCacheHits'),
          ),
        ]),
        ...question('How much quota is left, and will it last?', [
          (width) =>
            new SingleValueWidget({
              title: 'Month’s upstream budget',
              metrics: [metrics.quotaUsedPercent(), metrics.quotaForecastPercent()],
              width,
              height: HEIGHT,
            }),
          graph(
            'Upstream requests by outcome',
            [...metrics.upstream(), ...counts('BudgetAbovePlan')],
            [metrics.value('QuotaUsedDay', 'Maximum')],
          ),
          graph(
            'Upstream time, ms',
            ['p50', 'p99'].map((statistic) => metrics.value('UpstreamLatency', statistic)),
          ),
          ...graphs.map(({ title, sumsOf }) => graph(title, counts(...sumsOf))),
        ]),
      ],
    });
  }
}

/** A question with what answers it side by side. */
function question(text: string, graphs: ((width: number) => IWidget)[]): IWidget[][] {
  const width = Math.floor(WIDTH / graphs.length);
  return [
    [new TextWidget({ markdown: `## ${text}`, width: WIDTH, height: 1 })],
    graphs.map((graphOf) => graphOf(width)),
  ];
}

function graph(title: string, left: IMetric[], right?: IMetric[]) {
  return (width: number) =>
    new GraphWidget({ title, left, right, width, height: HEIGHT, leftYAxis: { min: 0 } });
}
