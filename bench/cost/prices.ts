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
  dashboardMonth: 3,
  secretMonth: 0.4,
  transferOutPerGb: 0.09,
  s3PerGbMonth: 0.023,
  s3PerThousandReads: 0.0004,
  s3PerThousandWrites: 0.005,
  cloudFrontPerMillion: 1,
  /** The function that sorts the query of each request. */
  cloudFrontFunctionPerMillion: 0.1,
  cloudFrontPerGb: 0.085,
  wafAclMonth: 5,
  wafRuleMonth: 1,
  wafPerMillion: 0.6,
  dynamoDbPerMillionReads: 0.125,
  dynamoDbPerMillionWrites: 0.625,
} as const;
