import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import measured from '../docs/measured.json' with { type: 'json' };
import { jobs } from '../functions/jobs.ts';
import { stageConfig } from '../infra/config.ts';
import { constructId } from '../infra/constructs/route-function.ts';
import { CANDLE_BYTES } from '../shared/marketdata/store/candle-row.ts';
import { newApp, stackOf } from '../test/infra/synthesized.ts';
import { assumptions } from './cost/assumptions.ts';
import { costDocument, publishing } from './cost/document.ts';
import { estimate } from './cost/estimate.ts';
import { type HistoryCost, historyCost } from './cost/history-cost.ts';
import { cheaper, runsOf, sourceCosts } from './cost/sources-cost.ts';
import { type Inventory, inventoryOf, templatesIn } from './cost/template.ts';
import { sumOf } from './cost/text.ts';

function templatesOfProd() {
  const app = newApp();
  stackOf('prod', { secretNames: stageConfig('prod').secretNames }, app);
  return templatesIn(app.synth().directory);
}

const nothing: Inventory = {
  memoryMb: 1_769,
  alarmMetrics: 0,
  dashboards: 0,
  secrets: 0,
  distributions: 0,
  wafRules: 0,
  tables: 0,
  jobRunsPerMonth: 0,
  probeRunsPerMonth: 0,
};
const level = { requests: 1_000_000, coldStartsPerThousand: 0 };

/** USD a month of one part, for a million requests without cold starts. */
function month(name: string, inventory: Partial<Inventory> = {}, customMetrics = 0): number | undefined {
  const parts = estimate(level, { ...nothing, ...inventory }, customMetrics, {
    measured: 'here',
    cpuMs: 100,
    p50Us: 10,
  });
  return parts.find((part) => part.name === name)?.month;
}

describe('docs/cost.md', () => {
  it('is what npm run generate writes', () => {
    const written = readFileSync(join(import.meta.dirname, '../docs/cost.md'), 'utf8');
    expect(written).toBe(costDocument(templatesOfProd(), measured));
  });

  it('names the date of its prices and asks to check them', () => {
    const document = costDocument(templatesOfProd(), measured);
    expect(document).toMatch(/as of \*\*\d{4}-\d\d-\d\d\*\*/);
    expect(document).toContain('check `bench/cost/prices.ts`');
  });
});

describe('the estimate', () => {
  it('bills a warm request by the whole millisecond, and the wait for the provider', () => {
    // 1,000,000 × 1 ms and 20,000 × 250 ms at 1769 MB and $0.0000133334 a GB-second.
    expect(month('Lambda, compute')).toBeCloseTo(((1_000 + 5_000) * 1_769 * 0.000_013_333_4) / 1_024, 6);
  });

  it('has the fixed prices of what the template holds', () => {
    expect(month('Metrics', {}, 40)).toBeCloseTo(12, 6);
    expect(month('Alarms and dashboard', { alarmMetrics: 20, dashboards: 1 })).toBeCloseTo(5, 6);
    expect(month('Secrets', { secrets: 2 })).toBeCloseTo(0.8, 6);
    expect(month('WAF', { wafRules: 4 })).toBeCloseTo(5 + 4 + 0.6, 6);
  });

  it('leaves out what the template does not hold', () => {
    expect(month('WAF')).toBeUndefined();
    expect(month('DynamoDB')).toBeUndefined();
    expect(month('CloudFront')).toBeUndefined();
    expect(month('Data transfer out')).toBeGreaterThan(0);
  });

  it('asks the API less where the edge answers a part', () => {
    const share = 1 - assumptions.edgeHitsPerThousand / 1000;
    expect(month('API Gateway, HTTP API', { distributions: 1 })).toBeCloseTo(share, 6);
  });
});

describe('the probe', () => {
  it('asks the API twice at each run, whatever the edge holds', () => {
    const probeRunsPerMonth = 500_000;
    expect(month('API Gateway, HTTP API', { probeRunsPerMonth })).toBeCloseTo(2, 6);
    expect(month('Scheduled jobs, probe', { probeRunsPerMonth })).toBeCloseTo(125_000 * 0.000_013_333_4, 6);
  });

  it('is told from the jobs that publish', () => {
    const names = publishing.map((name) => constructId({ name }));
    expect(inventoryOf(templatesOfProd(), [], names)).toMatchObject({
      jobRunsPerMonth: 30 * (144 + 1),
      probeRunsPerMonth: 30 * 288,
    });
  });
});

describe('our own history', () => {
  const { history } = stageConfig('prod');
  const few = historyCost(1_000, history);
  const month = ({ parts }: HistoryCost, name: string) => parts.find((part) => part.name === name)?.month;

  it('is measured in objects of which candles and samples are nearly all', () => {
    expect(few.bytes.samples).toBeGreaterThan(1_000 * (3 * 8 + 4));
    expect(few.bytes.hoursOfDay).toBeGreaterThan(24 * CANDLE_BYTES * 1_000);
    const text = few.bytes.daysOfYear - 365 * CANDLE_BYTES;
    expect(text).toBeLessThan(200);
    expect(few.bytes.hoursOfMonth - 31 * 24 * CANDLE_BYTES).toBe(text);
  });

  it('costs two puts and two gets a day for each coin', () => {
    const more = historyCost(2_000, history);

    expect(more.writes - few.writes).toBe(1_000 * 2 * 30);
    expect(more.reads - few.reads).toBe(1_000 * 2 * 30);
    expect((month(more, 'S3, requests') ?? 0) - (month(few, 'S3, requests') ?? 0)).toBeCloseTo(
      60 * (0.005 + 0.0004),
      6,
    );
  });

  it('holds what a stage keeps: fewer days of samples, fewer months of hours', () => {
    const { afterTwoYears } = historyCost(1_000, { sampleDays: 34, hourlyDays: history.hourlyDays }).stored;
    const ofDay = 144 * few.bytes.samples + few.bytes.hoursOfDay;
    expect(few.stored.afterTwoYears - afterTwoYears).toBeCloseTo(ofDay, 3);

    const ofHalf = historyCost(1_000, { ...history, hourlyDays: 365 }).stored.afterTwoYears;
    expect(ofHalf).toBeLessThan(few.stored.afterTwoYears);
  });

  it('is told beside its target, with metrics and alarms', () => {
    const [, told = '', all = ''] =
      /It is \*\*(reached|missed)\*\*, with \$([\d.]+)/.exec(costDocument(templatesOfProd(), measured)) ?? [];
    const { parts } = historyCost(2_000, history);

    expect(Number(all)).toBeCloseTo(sumOf(parts) + 2 * 0.3 + 3 * 0.1, 2);
    expect(told).toBe(Number(all) <= assumptions.history.target ? 'reached' : 'missed');
  });

  it('takes its jobs to run as often, and with as much memory, as they do', () => {
    const ofHistory = jobs.filter(({ publishes }) => publishes?.join() === 'history');

    expect(ofHistory).toHaveLength(2);
    const { runsADay, memoryMb } = assumptions.history;
    for (const { everyMinutes } of ofHistory) expect((24 * 60) / Number(everyMinutes)).toBe(runsADay);
    expect(Object.fromEntries(ofHistory.map((job) => [job.name, job.memoryMb]))).toEqual({
      'marketdata/roll-up': memoryMb.rollUp,
      'marketdata/backfill': memoryMb.backfill,
    });
  });

  it('has the runs of jobs that work on it alone counted with it, not with those that publish', () => {
    const job = (name: string, variables: object) => ({
      [name]: { Type: 'AWS::Lambda::Function', Properties: { Environment: { Variables: variables } } },
      [`${name}Schedule`]: {
        Type: 'AWS::Scheduler::Schedule',
        Properties: {
          ScheduleExpression: 'rate(1 day)',
          Target: { Arn: { 'Fn::GetAtt': [name, 'Arn'] } },
        },
      },
    });
    const template = {
      Resources: {
        ...job('RollUp', { HISTORY_BUCKET: 'bucket' }),
        ...job('Snapshot', { HISTORY_BUCKET: 'bucket', SNAPSHOT_BUCKET: 'bucket' }),
        ...job('Probe', { PAGE_URL: 'page' }),
      },
    };

    expect(inventoryOf([template], [], ['Snapshot'])).toMatchObject({
      jobRunsPerMonth: 30,
      probeRunsPerMonth: 30,
    });
  });
});

describe('other sources', () => {
  const { history } = stageConfig('prod');
  const [exchanges, tokens] = sourceCosts(history);

  it('run as often as their jobs say', () => {
    expect(runsOf('markets')).toBe(30 * 144);
    expect(runsOf('candles')).toBe(30 * 144);
    expect(runsOf('contracts')).toBeCloseTo(30 / 7, 6);
  });

  it('cost two puts a day for each coin that exchanges trade, or that is priced by its contracts', () => {
    const { traded, priced, objects } = assumptions.sources;
    const ofRuns = 30 * 144 * (objects.markets.puts + objects.candles.puts);
    expect(exchanges?.writes).toBe(30 * 2 * traded + ofRuns);
    expect(tokens?.writes).toBeCloseTo(30 * (2 * priced + 144 * objects.tokens.puts) + 30 / 7, 6);
  });

  it('are a row of the page, which is the sum of their section', () => {
    const document = costDocument(templatesOfProd(), measured);
    const all = [exchanges, tokens].map((cost) => sumOf(cost?.parts ?? []));
    expect(document).toContain(`| **all** | ${all.map((sum) => `**$${sum.toFixed(2)}**`).join(' | ')} |`);
    const sum = all.reduce((a, b) => a + b, 0);
    expect(document).toContain(`| Other sources | $${(10 * sum).toFixed(2)} | $${sum.toFixed(2)} |`);
  });

  it('would cost less in ways that are named', () => {
    for (const { month } of cheaper(history)) expect(month).toBeGreaterThan(0);
  });
});

describe('the inventory', () => {
  it('looks into nested templates too', () => {
    expect(inventoryOf(templatesOfProd(), [], [])).toMatchObject({
      distributions: 1,
      wafRules: 4,
      secrets: 3,
    });
  });

  it('counts functions of routes alone, and alarms on expressions by their metrics', () => {
    const stat = { MetricStat: {} };
    const template = {
      Resources: {
        TickerAAAAAAAA: { Type: 'AWS::Lambda::Function', Properties: { MemorySize: 256 } },
        DefaultBBBBBBBB: { Type: 'AWS::Lambda::Function', Properties: { MemorySize: 128 } },
        JobCCCCCCCC: { Type: 'AWS::Lambda::Function', Properties: { MemorySize: 1024 } },
        One: { Type: 'AWS::CloudWatch::Alarm', Properties: { MetricName: 'Errors' } },
        Sum: { Type: 'AWS::CloudWatch::Alarm', Properties: { Metrics: [{ Expression: 'a+b' }, stat, stat] } },
      },
    };

    expect(inventoryOf([template], ['Ticker', 'Default'], [])).toMatchObject({
      memoryMb: 192,
      alarmMetrics: 3,
    });
  });
});
