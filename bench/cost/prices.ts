/**
 * AWS list prices of us-east-1 in USD, without free tiers, entered by hand. Check them against
 * https://aws.amazon.com/pricing/ before you rely on the result, and update `asOf` with them.
 */
export const prices = {
  asOf: '2025-10-01',
  region: 'us-east-1',
  httpApiPerMillion: 1,
  lambdaPerMillion: 0.2,
  /** arm64; a cold start is billed like any other time. */
  lambdaPerGbSecond: 0.000_013_333_4,
  logsPerGbIngested: 0.5,
  logsPerGbMonth: 0.03,
  metricMonth: 0.3,
  /** The price of one metric of an alarm. */
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
  /** The function that removes the key from each request and sorts its query. */
  cloudFrontFunctionPerMillion: 0.1,
  /** The function's look-up of the key. */
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
  /** The requests of all users together. */
  readonly requestsADay: number;
  /** Requests in a thousand that start a container. */
  readonly coldStartsPerThousand: number;
}

const levels: readonly Level[] = [
  { requestsADay: 0, coldStartsPerThousand: 0 },
  { requestsADay: 10_000, coldStartsPerThousand: 20 },
  { requestsADay: 1_000_000, coldStartsPerThousand: 0.5 },
  { requestsADay: 10_000_000, coldStartsPerThousand: 0.2 },
];

/** Numbers that neither the template nor the bench provides. The document states every one of them. */
export const assumptions = {
  /** The more traffic, the rarer a cold start. */
  levels,
  /** Upstream requests per thousand to the API; the rest is served from memory. The quota is the upper end. */
  upstreamPerThousand: 50,
  upstreamPerMonth: 20_000,
  /** Milliseconds until the provider responds; billed, because the function waits. */
  upstreamMs: 250,
  /** Table operations per provider request: a look-up and the budget; the lease and the response. */
  tableReads: 2,
  tableWrites: 4,
  /** S3 objects that a container reads in its life. */
  readsPerContainer: 16,
  /** Requests in a run of the probe: a price and candles. */
  probeRequests: 2,
  /** GB-seconds of one run of the probe: 2 s with 128 MB. */
  probeGbSeconds: 0.25,
  /** A function with this much memory has a whole vCPU; smaller ones get a part of it. */
  memoryOfOneCpuMb: 1_769,
  answerBytes: 2_000,
  /** Bytes of a request in all logs: metrics 380, start, end and report of Lambda 420, access log 300. */
  logBytes: 1_100,
  /** Traces: one a second, plus this many per thousand further requests (Lambda Developer Guide, "Visualize with X-Ray"). */
  tracesPerThousand: 50,
  /** Requests in a thousand to the edge that are served there without the API. */
  edgeHitsPerThousand: 300,
};
