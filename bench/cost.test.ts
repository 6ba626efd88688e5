import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { costDocument } from './cost/document.ts';
import { estimate, type Inventory, inventoryOf, jobCost } from './cost/estimate.ts';
import { assumptions } from './cost/prices.ts';
import { synthesized } from './deployed.ts';
import { MEASURED_FILE } from './measured.ts';

const templates = synthesized(mkdtempSync(join(inject('runFolder'), 'cost-')));
const measured = JSON.parse(readFileSync(MEASURED_FILE, 'utf8'));

const nothing: Inventory = {
  memoryMb: 1_769,
  ...{ alarmMetrics: 0, dashboards: 0, secrets: 0, distributions: 0, wafRules: 0, tables: 0 },
  probeRunsPerMonth: 0,
};
const level = { requests: 1_000_000, coldStartsPerThousand: 0 };
const job = {
  ...{ runs: 0, puts: 0, lists: 0, gets: 0, putBytes: 0, tableReads: 0, tableWrites: 0 },
  ...{ waitSeconds: 0, cpuSeconds: 0, gbSeconds: 0 },
};

/** USD a month of one part, for a million requests without cold starts. */
function month(name: string, inventory: Partial<Inventory> = {}, customMetrics = 0): number | undefined {
  const parts = estimate(level, { ...nothing, ...inventory }, customMetrics, {
    ticker: { measured: 'here', cpuMs: 100, p50Us: 10 },
    jobs: { measured: 'here', perJob: {} },
  });
  return parts.find((part) => part.name === name)?.month;
}

describe('docs/cost.md', () => {
  const document = costDocument(templates, measured);

  it('is what npm run generate writes', () => {
    expect(readFileSync(join(import.meta.dirname, '../docs/cost.md'), 'utf8')).toBe(document);
  });

  it('names the date of its prices and asks to check them', () => {
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
    expect(month('DynamoDB, for requests')).toBeUndefined();
    expect(month('Data transfer out')).toBeGreaterThan(0);
  });

  it('asks the API less where the edge answers a part', () => {
    const share = 1 - assumptions.edgeHitsPerThousand / 1000;
    expect(month('API Gateway, HTTP API', { distributions: 1 })).toBeCloseTo(share, 6);
  });

  it('has the probe ask the API twice at each run, whatever the edge holds', () => {
    const probeRunsPerMonth = 500_000;
    expect(month('API Gateway, HTTP API', { probeRunsPerMonth })).toBeCloseTo(2, 6);
    expect(month('Jobs and the store', { probeRunsPerMonth })).toBeCloseTo(125_000 * 0.000_013_333_4, 6);
  });

  it('counts a job’s requests, what S3 keeps of them, its time and its rows', () => {
    expect(jobCost({ ...job, puts: 900, lists: 100 })).toBeCloseTo(0.005, 9);
    expect(jobCost({ ...job, gets: 1_000 })).toBeCloseTo(0.0004, 9);
    expect(jobCost({ ...job, putBytes: 1e9 })).toBeCloseTo(0.023, 9);
    expect(jobCost({ ...job, gbSeconds: 1_000, runs: 1_000_000 })).toBeCloseTo(0.2 + 0.013_333_4, 9);
    expect(jobCost({ ...job, tableReads: 1e6, tableWrites: 1e6 })).toBeCloseTo(0.75, 9);
  });
});

describe('the inventory', () => {
  it('looks into nested templates too', () => {
    expect(inventoryOf(templates, [])).toMatchObject({
      ...{ distributions: 1, wafRules: 4, secrets: 3 },
      probeRunsPerMonth: 30 * 288,
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

    expect(inventoryOf([template], ['Ticker', 'Default'])).toMatchObject({ memoryMb: 192, alarmMetrics: 3 });
  });
});
