import { afterEach, describe, expect, it, vi } from 'vitest';
import { dueAt, Scheduler, serverJobs } from '../../server/jobs.ts';
import { openDatabase } from '../../shared/folder/database.ts';
import { parseEnvironment } from '../../shared/platform/environment.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const NOW = Date.parse('2026-03-04T12:34:00Z');
const at = (time: string) => Date.parse(`2026-03-04T${time}Z`);

describe('a job is due', () => {
  const everyTen = { fromMinute: 2, retries: 1 } as const;

  it.each([
    ['at once if it has never run', undefined, NOW],
    ['at its own next minute', { startedAt: at('12:32:01'), failures: 0 }, at('12:42:00')],
    ['at its own minute after a run between two', { startedAt: at('12:33:30'), failures: 0 }, at('12:42:00')],
    [
      'at once when a minute of its own has passed',
      { startedAt: at('09:12:00'), failures: 0 },
      at('09:22:00'),
    ],
    ['a minute after a failure that is repeated', { startedAt: at('12:33:30'), failures: 1 }, at('12:34:30')],
    ['at its own minute after more failures', { startedAt: at('12:33:30'), failures: 2 }, at('12:42:00')],
    ['at once if its last run is in the future', { startedAt: NOW + DAY, failures: 0 }, NOW],
  ])('%s', (_when, last, expected) => {
    expect(dueAt(everyTen, 10, last, NOW)).toBe(expected);
  });

  it('a week after its last run, and earlier after failures, each time twice as late', () => {
    const weekly = { retries: 2 } as const;
    const due = (failures: number) =>
      (dueAt(weekly, 7 * 24 * 60, { startedAt: NOW, failures }, NOW) - NOW) / MINUTE;
    expect([0, 1, 2, 3, 4, 5, 12, 20, 60].map(due)).toEqual([10_080, 1, 1, 10, 20, 40, 5120, 10_080, 10_080]);
  });
});

describe('jobs of a server', () => {
  const database = openDatabase(':memory:');
  afterEach(() => {
    vi.useRealTimers();
    database.exec('DELETE FROM job_runs');
  });

  /** Days of a server, with restarts. */
  async function runs({
    minutes,
    restartEvery = Infinity,
    fails = () => false,
    isListed = true,
  }: {
    readonly minutes: number;
    readonly restartEvery?: number;
    readonly fails?: (name: string) => boolean;
    readonly isListed?: boolean;
  }) {
    vi.useFakeTimers({ now: at('12:00:30') });
    const started: Record<string, number[]> = {};
    const running = new Set<string>();
    const run = async (name: string) => {
      expect(running.has(name)).toBe(false);
      running.add(name);
      started[name] = [...(started[name] ?? []), (Date.now() - at('12:00:00')) / MINUTE];
      await new Promise((resolve) => setTimeout(resolve, 20_000));
      running.delete(name);
      if (fails(name)) throw new Error('it fails');
    };
    const start = () => {
      const options = { database, environment: parseEnvironment({}), keepsPrices: true, log: () => {}, run };
      const scheduler = new Scheduler({ ...options, threadData: { folder: '', simulation: undefined } });
      void scheduler.start(() => isListed);
      return scheduler;
    };
    let scheduler = start();
    for (let minute = 1; minute <= minutes; minute += 1) {
      await vi.advanceTimersByTimeAsync(MINUTE);
      if (minute % restartEvery !== 0) continue;
      const closing = scheduler.close();
      await vi.advanceTimersByTimeAsync(20_000);
      await closing;
      scheduler = start();
    }
    const closing = scheduler.close();
    await vi.advanceTimersByTimeAsync(20_000);
    await closing;
    return started;
  }

  it('all run at the first start, each at its minutes after that, and none twice at once', async () => {
    const started = await runs({ minutes: 60 });
    expect(Object.keys(started).sort()).toEqual(serverJobs.map(({ name }) => name).sort());
    const snapshots = started['marketdata/snapshot']?.map(Math.floor);
    expect(snapshots).toEqual([0, 2, 12, 22, 32, 42, 52]);
    expect(started['marketdata/registry']).toHaveLength(1);
    expect(started['marketdata/contracts']).toHaveLength(1);
  });

  it('of an empty folder are those of coins and prices, and then the one of markets, which reads what both have stored', async () => {
    const started = await runs({ minutes: 2, isListed: false });
    const first = ['registry', 'snapshot', 'markets'].map((name) => started[`marketdata/${name}`]?.[0] ?? 0);
    const [registry = 0, snapshot = 0, markets = 0] = first.map((minute) => Math.round(minute * 60));
    expect([registry, snapshot, markets]).toEqual([30, 50, 70]);
  });

  it('are neither repeated nor forgotten by restarts', async () => {
    const started = await runs({ minutes: 20 * 60, restartEvery: 7 });
    expect(started['marketdata/registry']).toHaveLength(1);
    expect(started['marketdata/contracts']).toHaveLength(1);
    const [, ...snapshots] = started['marketdata/snapshot'] ?? [];
    const gaps = snapshots.slice(1).map((minute, index) => minute - (snapshots[index] ?? 0));
    expect(gaps.length).toBeGreaterThan(115);
    expect(Math.min(...gaps)).toBeGreaterThan(8);
    expect(Math.max(...gaps)).toBeLessThan(12);
  });

  it('that fail are tried again within minutes, and then less and less often', async () => {
    const started = await runs({ minutes: 6 * 60, fails: (name) => name === 'marketdata/registry' });
    const [first = 0, ...others] = started['marketdata/registry'] ?? [];
    expect(others.map((minute) => Math.round(minute - first))).toEqual([1, 2, 12, 32, 72, 152, 312]);
  });
});
