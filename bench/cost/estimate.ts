import { checks } from '../../functions/marketdata/jobs/probe/checks.ts';
import { assumptions, type Level } from './assumptions.ts';
import { prices } from './prices.ts';
import type { Inventory } from './template.ts';

/** The output of `npm run bench functions -- --json`. */
export interface Measured {
  readonly measured: string;
  /** Processor time up to the first answer. */
  readonly cpuMs: number;
  readonly p50Us: number;
}

export interface Part {
  readonly name: string;
  /** USD a month. */
  readonly month: number;
}

const GB = 1e9;
const MILLION = 1e6;
const RETENTION_MONTHS = 1;
/**
 * A registry of 7.3 MB a day, kept for 30 days, and for a day each version of a snapshot of 2,000 coins, some 1.2 MB. A
 * container asks for a newer registry once or so in its life.
 */
const PUBLISHED_GB = 0.4;

/** The cost of a stage in a month at a level of traffic, part by part. */
export function estimate(
  { requests: ofUsers, coldStartsPerThousand }: Level,
  inventory: Inventory,
  customMetrics: number,
  measured: Measured,
): Part[] {
  const hasEdge = inventory.distributions > 0;
  const probes = inventory.probeRunsPerMonth * checks.length;
  const requests = ofUsers + probes;
  const edgeHits = hasEdge ? (ofUsers * assumptions.edgeHitsPerThousand) / 1000 : 0;
  const toApi = requests - edgeHits; // the probe's are never answered at the edge
  const coldStarts = (toApi * coldStartsPerThousand) / 1000;
  const upstream = Math.min((toApi * assumptions.upstreamPerThousand) / 1000, assumptions.upstreamPerMonth);
  const slowness = Math.max(1, assumptions.memoryOfOneCpuMb / inventory.memoryMb);
  const warmMs = Math.max(1, Math.ceil((measured.p50Us / 1000) * slowness)); // billed by the whole millisecond
  const computeMs =
    toApi * warmMs + upstream * assumptions.upstreamMs + coldStarts * measured.cpuMs * slowness;
  const logGb = (toApi * assumptions.logBytes) / GB;
  const answersGb = (requests * assumptions.answerBytes) / GB;

  const parts: Part[] = [
    { name: 'API Gateway, HTTP API', month: (toApi / MILLION) * prices.httpApiPerMillion },
    { name: 'Lambda, requests', month: (toApi / MILLION) * prices.lambdaPerMillion },
    {
      name: 'Lambda, compute',
      month: (computeMs / 1000) * (inventory.memoryMb / 1024) * prices.lambdaPerGbSecond,
    },
    {
      name: 'Logs',
      month: logGb * (prices.logsPerGbIngested + RETENTION_MONTHS * prices.logsPerGbMonth),
    },
    { name: 'Metrics', month: customMetrics * prices.metricMonth },
    {
      name: 'Alarms and dashboard',
      month: inventory.alarmMetrics * prices.alarmMetricMonth + inventory.dashboards * prices.dashboardMonth,
    },
    { name: 'Secrets', month: inventory.secrets * prices.secretMonth },
    {
      name: 'S3, registry and snapshots',
      month:
        PUBLISHED_GB * prices.s3PerGbMonth +
        ((coldStarts * assumptions.readsPerContainer) / 1000) * prices.s3PerThousandReads +
        (inventory.jobRunsPerMonth / 1000) * prices.s3PerThousandWrites,
    },
    {
      name: 'Scheduled jobs, probe',
      month:
        (inventory.jobRunsPerMonth * assumptions.jobSeconds +
          inventory.probeRunsPerMonth * assumptions.probeGbSeconds) *
        prices.lambdaPerGbSecond,
    },
    {
      name: hasEdge ? 'CloudFront' : 'Data transfer out',
      month: hasEdge
        ? (requests / MILLION) * (prices.cloudFrontPerMillion + prices.cloudFrontFunctionPerMillion) +
          answersGb * prices.cloudFrontPerGb
        : answersGb * prices.transferOutPerGb,
    },
  ];
  if (inventory.wafRules > 0) {
    const fixed = prices.wafAclMonth + inventory.wafRules * prices.wafRuleMonth;
    parts.push({ name: 'WAF', month: fixed + (requests / MILLION) * prices.wafPerMillion });
  }
  if (inventory.tables > 0) {
    // A look into the table and its counter before each request upstream, the lease and the answer written.
    const table = upstream * (2 * prices.dynamoDbPerMillionReads + 4 * prices.dynamoDbPerMillionWrites);
    parts.push({ name: 'DynamoDB', month: table / MILLION });
  }
  return parts;
}
