import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { costDocument } from '../../bench/cost/document.ts';
import {
  estimate,
  type Inventory,
  inventoryOf,
  jobCost,
  type Measured,
  sumOf,
} from '../../bench/cost/estimate.ts';
import { synthesized } from '../../bench/deployed.ts';
import { MEASURED_FILE } from '../../bench/measured.ts';
import { stageConfig } from '../../infra/config.ts';

const emptyFolder = () => mkdtempSync(join(inject('runFolder'), 'cost-'));
const measured: Measured = JSON.parse(readFileSync(MEASURED_FILE, 'utf8'));

const nothing: Inventory = {
  memoryMb: 1_769,
  ...{ customMetrics: 0, alarmMetrics: 0, dashboards: 0, secrets: 0, distributions: 0, wafRules: 0 },
  ...{ tables: 0, versionDays: 30, runsAMonth: {}, compositeAlarms: 0, tracing: false },
};
const job = {
  ...{ runs: 1, puts: 0, lists: 0, gets: 0, putBytes: 0, historyBytes: 0, tableReads: 0, tableWrites: 0 },
  ...{ waitSeconds: 0, cpuSeconds: 0, gbSeconds: 0 },
};

/** USD a month of one part, for a million requests in it without cold starts. */
function month(name: string, inventory: Partial<Inventory> = {}): number | undefined {
  return estimate(
    { requestsADay: 1_000_000 / 30, coldStartsPerThousand: 0 },
    { ...nothing, ...inventory },
    {
      ticker: { measured: 'here', cpuMs: 100, p50Us: 10 },
      jobs: { measured: 'here', perJob: {} },
    },
  )[name];
}

describe('docs/cost.md', () => {
  const document = costDocument(emptyFolder(), measured);

  it('is what npm run generate writes', () => {
    expect(readFileSync(join(import.meta.dirname, '../../docs/cost.md'), 'utf8')).toBe(document);
  });
});

describe('the estimate', () => {
  it('of stage hobby is at most $2 a month without a request, and $5 with 100,000', () => {
    const config = stageConfig('hobby');
    const inventory = inventoryOf(synthesized(emptyFolder(), 'hobby'), config);
    const at = (requestsADay: number) =>
      sumOf(Object.values(estimate({ requestsADay, coldStartsPerThousand: 50 }, inventory, measured)));
    expect(inventory).toMatchObject({ secrets: 1, distributions: 0, dashboards: 0, customMetrics: 0 });
    expect(inventory.alarmMetrics).toBeLessThanOrEqual(10);
    expect(at(0)).toBeLessThanOrEqual(2);
    expect(at(100_000 / 30)).toBeLessThanOrEqual(5);
  });

  it('bills a warm request by the whole millisecond, and the wait for the provider', () => {
    // 1,000,000 × 1 ms and 20,000 × 250 ms at 1769 MB and $0.0000133334 a GB-second; $0.2 a million.
    const compute = ((1_000 + 5_000) * 1_769 * 0.000_013_333_4) / 1_024;
    expect(month('Lambda')).toBeCloseTo(compute + 0.2, 6);
  });

  it('has the fixed prices of what the template holds', () => {
    expect(month('Metrics', { customMetrics: 40 })).toBeCloseTo(12, 6);
    expect(month('Alarms and dashboard', { alarmMetrics: 20, dashboards: 1 })).toBeCloseTo(5, 6);
    expect(month('Alarms and dashboard', { compositeAlarms: 2 })).toBeCloseTo(1, 6);
    expect(month('Secrets', { secrets: 2 })).toBeCloseTo(0.8, 6);
    expect(month('WAF', { wafRules: 4 })).toBeCloseTo(5 + 4 + 0.6, 6);
  });

  it('counts traces as Lambda samples them: one a second, and a twentieth of the rest', () => {
    const seconds = 30 * 86_400;
    expect(month('Traces')).toBeUndefined();
    expect(month('Traces', { tracing: true })).toBeCloseTo(5, 6); // fewer than one a second
    const runsAMonth = { snapshot: seconds + 1e6 };
    expect(month('Traces', { tracing: true, runsAMonth })).toBeCloseTo((seconds * 5 + 2e6 * 0.25) / 1e6, 6);
  });

  it('counts a job’s requests, what S3 keeps of them, its time and its rows, by its runs', () => {
    const fixed = (0.2 + 1) / 1e6; // an invocation, and its schedule's
    expect(jobCost({ ...job, puts: 900, lists: 100 }, 1, 30)).toBeCloseTo(0.005 + fixed, 9);
    expect(jobCost({ ...job, gets: 1_000 }, 2, 30)).toBeCloseTo(2 * (0.0004 + fixed), 9);
    expect(jobCost({ ...job, putBytes: 1e9, historyBytes: 1e9 }, 1, 30)).toBeCloseTo(0.023 + fixed, 9);
    expect(jobCost({ ...job, putBytes: 1e9, historyBytes: 1e9 }, 1, 3)).toBeCloseTo(0.0023 + fixed, 9);
    expect(jobCost({ ...job, putBytes: 1e9 }, 1, 30)).toBeCloseTo(0.023 / 30 + fixed, 9);
    expect(jobCost({ ...job, gbSeconds: 1_000 }, 1, 30)).toBeCloseTo(0.013_333_4 + fixed, 9);
    expect(jobCost({ ...job, tableReads: 1e6, tableWrites: 1e6 }, 1, 30)).toBeCloseTo(0.75 + fixed, 9);
  });
});

describe('the inventory', () => {
  it('looks into nested templates too', () => {
    const config = stageConfig('prod');
    expect(inventoryOf(synthesized(emptyFolder()), config)).toMatchObject({
      ...{ distributions: 1, wafRules: 4, secrets: 2 },
      runsAMonth: { probe: 30 * 288, snapshot: 30 * 144 },
    });
  });
});
