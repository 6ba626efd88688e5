import { beforeEach, describe, expect, it } from 'vitest';
import { guardedTable } from '../../shared/coordination/guarded-table.ts';
import { SourceLimits } from '../../shared/coordination/source-limits.ts';
import type { SharedTable } from '../../shared/platform/table.ts';
import { hindered, useTables } from './tables.ts';

const newTable = useTables();

let open: () => SharedTable;
beforeEach(async () => {
  open = await newTable();
});

interface Start {
  readonly at: number;
  readonly weight: number;
}

/** An instance with a connection of its own, and a clock that differs by `aheadMs`. */
function instance(perSecond: number, { aheadMs = 0, table = open() }: Partial<Options> = {}): SourceLimits {
  return new SourceLimits(free(perSecond), table, () => Date.now() + aheadMs);
}
const free = (requestsPerSecond: number) =>
  ({ name: 'test', title: 'The Source', limits: { requestsPerSecond, per: 'service' } }) as const;
interface Options {
  readonly aheadMs: number;
  readonly table: SharedTable;
}

const guarded = (table: SharedTable) => guardedTable(async () => table);

/** The starts of simultaneous requests, one for each weight; those that never got their turn are missing. */
async function startsOf(
  pace: SourceLimits,
  weights: readonly number[],
  maxWaitMs = 60_000,
): Promise<Start[]> {
  const starts: Start[] = [];
  await Promise.all(
    weights.map(async (weight) => {
      if (await pace.mayStart(maxWaitMs, weight)) starts.push({ at: performance.now(), weight });
    }),
  );
  return starts;
}

/** The weight of the busiest second. */
function busiest(starts: readonly Start[]): number {
  const weights = starts.map(({ at: from }) =>
    starts.filter(({ at }) => at >= from && at < from + 1000).reduce((sum, { weight }) => sum + weight, 0),
  );
  return Math.max(0, ...weights);
}

const ones = (count: number) => Array<number>(count).fill(1);

/** Late timers may bring requests together: a request that is later than a quarter of a second waits for another turn. */
const LATE = 1.25;
/** The most that a second may then bring, whose first request may belong to the one before. */
const busiestOf = (perSecond: number, weight = 1) => perSecond * LATE + weight;

describe('the pace of all instances', () => {
  it('is kept by three at once whose clocks differ by two seconds', async () => {
    const paces = [instance(40, { aheadMs: 2_000 }), instance(40), instance(40, { aheadMs: 1_000 })];
    const starts = (await Promise.all(paces.map((pace) => startsOf(pace, ones(30))))).flat();

    expect(starts).toHaveLength(90);
    expect(busiest(starts)).toBeLessThanOrEqual(busiestOf(40));
  }, 60_000);

  it('counts the weight of requests', async () => {
    const paces = [instance(100), instance(100)];
    const weights = [80, 2, 20, 2, 2, 20, 2, 2, 2, 80];
    const starts = (await Promise.all(paces.map((pace) => startsOf(pace, weights)))).flat();

    expect(starts).toHaveLength(20);
    // One that weighs 80 may begin at the end of a second whose beginning another had to itself.
    expect(busiest(starts)).toBeLessThanOrEqual(busiestOf(100, 80));
    const times = starts.map(({ at }) => at);
    const lastsMs = Math.max(...times) - Math.min(...times);
    expect(lastsMs).toBeGreaterThan(((2 * 212 - 80) / 100) * 1000);
  }, 60_000);

  it('costs one write for many requests', async () => {
    let calls = 0;
    const counted = hindered(open(), async () => {
      calls += 1;
    });
    await startsOf(instance(200, { table: counted }), ones(400));

    expect(calls).toBeLessThanOrEqual(4);
  }, 60_000);

  it('lets the first request pass at once, and refuses one that would be too late without taking a turn', async () => {
    const [first, second] = [instance(0.2), instance(0.2)];
    const startedAt = performance.now();
    expect(await first.mayStart(10_000)).toBe(true);

    expect(await second.mayStart(500)).toBe(false);
    expect(await first.mayStart(500)).toBe(false);
    expect(performance.now() - startedAt).toBeLessThan(4_500); // the turn would be after five seconds
    expect(await first.mayStart(5_500)).toBe(true);
  });

  it('ignores a row that a wrong clock wrote', async () => {
    const ofNextYear = instance(1, { aheadMs: 365 * 86_400_000 });
    await ofNextYear.mayStart(10_000);

    expect(await instance(1).mayStart(10_000)).toBe(true);
  });
});

describe('without the table', () => {
  const failing = () => guarded(hindered(open(), () => Promise.reject(new Error('connect ECONNREFUSED'))));

  it('one of several instances keeps to a quarter of the pace, a single one to all of it', async () => {
    const blind = instance(40, { table: failing() });
    const [shared, alone] = await Promise.all([
      startsOf(blind, ones(30)),
      startsOf(new SourceLimits(free(40)), ones(60)),
    ]);

    expect(shared).toHaveLength(30);
    expect(busiest(shared)).toBeLessThanOrEqual(busiestOf(10));
    expect(busiest(alone)).toBeLessThanOrEqual(busiestOf(40));
    expect(busiest(alone)).toBeGreaterThan(30);
  });

  it('the shared pace returns with it', async () => {
    let isDown = true;
    const table = guardedTable(
      async () =>
        hindered(open(), async () => {
          if (isDown) throw new Error('connect ECONNREFUSED');
        }),
      100,
    );
    const pace = instance(40, { table });
    await startsOf(pace, ones(5));
    isDown = false;
    const starts = await startsOf(pace, ones(60));

    expect(busiest(starts)).toBeGreaterThan(30);
    expect(busiest(starts)).toBeLessThanOrEqual(busiestOf(40));
  });
});
