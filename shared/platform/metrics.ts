/**
 * Metrics in CloudWatch's embedded metric format, printed as one line a request
 * (docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html).
 */
import { elapsedMs } from './time.ts';

/**
 * Events that are counted, in shared code and for the market data; a domain may declare counts of its own. Each look
 * into the cache is a hit, a miss (one upstream request begun) or shared (one already under way); `CacheStale` are
 * those that a stale answer stood in for, `SharedCacheHits` those that another instance's answer did. A secret that is
 * missing or malformed is unusable; one that Secrets Manager gives no answer about was not fetched. A run of the
 * registry's job ends in one of four: published, outdated (a newer one was there), implausible, or not published.
 * A snapshot made of what markets say is published, and a failover as well. `…Published` are runs of a job that left its
 * object up to date; a run that did not counts a zero. Answers from market data are fresh or stale, as `x-data-quality`
 * says. `NodeFallback` are calls to a chain's second node.
 */
export const countNames = [
  'ColdStarts',
  'RateLimited',
  'FreshAnswers',
  'StaleAnswers',
  'DerivedAnswers',
  'CacheHits',
  'CacheStale',
  'CacheMisses',
  'CacheShared',
  'UpstreamOk',
  'UpstreamNotFound',
  'UpstreamRefused',
  'UpstreamRateLimited',
  'UpstreamFailed',
  'UpstreamTimedOut',
  'NodeFallback',
  'SharedStoreFailures',
  'SharedCacheHits',
  'SecretFetchFailed',
  'SecretUnusable',
  'QuotaRefused',
  'ClientShareRefused',
  'BudgetAbovePlan',
  'RegistryUnavailable',
  'RegistryRefreshed',
  'RegistryRefreshRefused',
  'RegistryRefreshFailed',
  'RegistryPublished',
  'RegistryOutdated',
  'RegistryImplausible',
  'RegistryNotPublished',
  'CoinIdsUnreadable',
  'CoinIdsKept',
  'CoinIdsWithdrawn',
  'SnapshotRefreshed',
  'SnapshotRefreshFailed',
  'SnapshotOutdated',
  'SnapshotPublished',
  'SnapshotNotPublished',
  'SnapshotFailover',
  'SnapshotRowUnreadable',
  'RowsUnreadable',
  'TailPublished',
  'HoursPublished',
  'CandlesPublished',
  'RatesPublished',
  'QuotesPublished',
  'MapPublished',
  'TickersDisputed',
  'TickersHeld',
  'FiguresHeld',
  'HistoryUnusable',
  'ObjectsSetAside',
  'MarketsDropped',
  'MarketsWithoutRates',
  'SourceRefused',
  'TokensHeld',
  'ProbePassed',
  'ProbeFailed',
  'ImplausibleIdentity',
  'ImplausiblePrice',
  'ImplausibleFigure',
  'ImplausibleTime',
  'ImplausibleOlder',
  'ImplausibleText',
  'ImplausibleCandle',
  'ImplausibleEmpty',
  'ImplausibleDrop',
  'ImplausibleJump',
] as const;

/** Observed values, with CloudWatch's name of their units. */
export const valueUnits = {
  UpstreamLatency: 'Milliseconds',
  QuotaUsedDay: 'Count',
  QuotaUsedMonth: 'Count',
  RegistryAge: 'Seconds',
  SnapshotAge: 'Seconds',
  HistoryAge: 'Seconds',
  HistoryCoinsLeft: 'Count',
  MarketsMapped: 'Count',
} as const;

export type CountName = (typeof countNames)[number];
export type PublishedCount = Extract<CountName, `${string}Published`>;
export type ValueName = keyof typeof valueUnits;

/** Requests by route and class of status: one of two metrics with dimensions, so that their number stays small. */
export interface RequestCount {
  readonly route: string;
  readonly status: '2xx' | '4xx' | '5xx';
  /** If the answer was a 500, the function's version: it is counted as one of its `OwnFaults`, and costs nothing until then. */
  readonly version?: string;
}

/** The format's own limit for the values of one metric; further values of a request are left out. */
const MAX_VALUES = 100;

// By container, not by request: a refresh that ends after its request is reported with the next one.
const counts = new Map<string, number>();
const values = new Map<ValueName, number[]>();

export type Counter<Name extends string> = (name: Name, by?: number) => void;

/** Adds to a domain's own counts: `export const count: Counter<'Granted' | 'Refused'> = addToCount`. */
export function addToCount(name: string, by = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + by);
}

export const count: Counter<CountName> = addToCount;

/** Records a value, in the metric's unit. */
export function recordValue(name: ValueName, value: number): void {
  if (!Number.isFinite(value)) return; // JSON has no such number, and CloudWatch would refuse the whole line
  const noted = values.get(name);
  if (!noted) values.set(name, [value]);
  else if (noted.length < MAX_VALUES) noted.push(value);
}

const ages = new Map<ValueName, number>();
const AGE_EVERY_MS = 60_000;

/**
 * Records an age in seconds once a minute: recording it at every request would add a tenth to a warm one and no information.
 */
export function recordAge(name: 'RegistryAge' | 'SnapshotAge', since: number, now = Date.now()): void {
  if (elapsedMs(ages.get(name) ?? Number.NEGATIVE_INFINITY, now) < AGE_EVERY_MS) return;
  ages.set(name, now);
  recordValue(name, Math.round((now - since) / 1000));
}

/** Everything noted since the last time, as one line of JSON; undefined for nothing. */
export function takeMetrics(namespace: string, request?: RequestCount, now = Date.now()): string | undefined {
  if (!request && counts.size === 0 && values.size === 0) return undefined;
  let names = '';
  let numbers = '';
  for (const [name, sum] of counts) {
    names += `,${name}`;
    numbers += `,"${name}":${sum}`;
  }
  for (const [name, noted] of values) {
    names += `,${name}`;
    numbers += `,"${name}":[${noted}]`;
  }
  counts.clear();
  values.clear();
  const shape = `${namespace} ${request?.route} ${request?.status} ${request?.version}${names}`;
  let declared = declarations.get(shape);
  if (declared === undefined) {
    declared = declarationOf(namespace, names.split(',').slice(1), request);
    if (declarations.size < MAX_DECLARATIONS) declarations.set(shape, declared);
  }
  return `{"_aws":{"Timestamp":${now},${declared}${numbers}}`;
}

/** The constant part of a line, by its metrics: rebuilding it would be most of a line's cost. */
const declarations = new Map<string, string>();
const MAX_DECLARATIONS = 100;
const units: Readonly<Record<string, string>> = valueUnits;

function declarationOf(namespace: string, names: string[], request: RequestCount | undefined): string {
  const directive = (dimensions: string[], metrics: string[]) => ({
    Namespace: namespace,
    Dimensions: [dimensions],
    Metrics: metrics.map((name) => ({ Name: name, Unit: units[name] ?? 'Count' })),
  });
  const directives = [
    ...(request ? [directive(['route', 'status'], ['Requests'])] : []),
    ...(request?.version ? [directive(['route', 'version'], ['OwnFaults'])] : []),
    ...(names.length > 0 ? [directive([], names)] : []),
  ];
  const dimensions = request ? `,${JSON.stringify(request).slice(1, -1)},"Requests":1` : '';
  const faults = request?.version ? ',"OwnFaults":1' : '';
  return `"CloudWatchMetrics":${JSON.stringify(directives)}}${dimensions}${faults}`;
}
