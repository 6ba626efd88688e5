/**
 * AWS list prices of us-east-1 in USD, without free tiers, written down by hand. Check them against
 * https://aws.amazon.com/pricing/ before you rely on the result, and change `asOf` with them.
 */
export const prices = {
  asOf: '2025-10-01',
  region: 'us-east-1',
  httpApiPerMillion: 1,
  lambdaPerMillion: 0.2,
  /** arm64; the time of a cold start is billed like any other. */
  lambdaPerGbSecond: 0.000_013_333_4,
  logsPerGbIngested: 0.5,
  logsPerGbMonth: 0.03,
  metricMonth: 0.3,
  /** For each metric that an alarm looks at. */
  alarmMetricMonth: 0.1,
  compositeAlarmMonth: 0.5,
  dashboardMonth: 3,
  tracesPerMillion: 5,
  secretMonth: 0.4,
  transferOutPerGb: 0.09,
  s3PerGbMonth: 0.023,
  s3PerThousandReads: 0.0004,
  s3PerThousandWrites: 0.005,
  cloudFrontPerMillion: 1,
  /** The function that takes the key out of each request and sorts its query. */
  cloudFrontFunctionPerMillion: 0.1,
  /** Its look-up of the key. */
  cloudFrontStoreReadPerMillion: 0.03,
  cloudFrontPerGb: 0.085,
  wafAclMonth: 5,
  wafRuleMonth: 1,
  wafPerMillion: 0.6,
  schedulerPerMillion: 1,
  dynamoDbPerMillionReads: 0.125,
  dynamoDbPerMillionWrites: 0.625,
} as const;

export interface Level {
  /** Of all users together. */
  readonly requestsADay: number;
  /** Of a thousand requests, those that begin a container. */
  readonly coldStartsPerThousand: number;
}

const levels: readonly Level[] = [
  { requestsADay: 0, coldStartsPerThousand: 0 },
  { requestsADay: 10_000, coldStartsPerThousand: 20 },
  { requestsADay: 1_000_000, coldStartsPerThousand: 0.5 },
  { requestsADay: 10_000_000, coldStartsPerThousand: 0.2 },
];

/** Numbers that neither the template nor the bench knows. The document states every one of them. */
export const assumptions = {
  /** The busier, the rarer a cold start. */
  levels,
  /** Of a thousand requests to the API; the rest is answered from memory. The quota is the upper end. */
  upstreamPerThousand: 50,
  upstreamPerMonth: 20_000,
  /** Until the provider has answered, in milliseconds; billed, because the function waits for it. */
  upstreamMs: 250,
  /** Of the table, for a request to the provider: a look and the budget; the lease and the answer. */
  tableReads: 2,
  tableWrites: 4,
  /** Objects of S3 that a container reads in its life. */
  readsPerContainer: 16,
  /** Requests of a run of the probe: a price and candles. */
  probeRequests: 2,
  /** Of such a run: 2 s with 128 MB. */
  probeGbSeconds: 0.25,
  /** A vCPU belongs to a function of this memory; smaller ones get a part of it. */
  memoryOfOneCpuMb: 1_769,
  answerBytes: 2_000,
  /** Of a request in all logs: metrics 380, start, end and report of Lambda 420, access log 300. */
  logBytes: 1_100,
  /** Traces: one a second, and of a thousand more requests so many (Lambda Developer Guide, "Visualize with X-Ray"). */
  tracesPerThousand: 50,
  /** Of a thousand requests to the edge, answered there without the API. */
  edgeHitsPerThousand: 300,
};
