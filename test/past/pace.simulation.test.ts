import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Latest } from '../../functions/marketdata/jobs/past/latest.ts';
import { Progress } from '../../functions/marketdata/jobs/past/progress.ts';
import { storeFromProvider } from '../../functions/marketdata/jobs/past/provider.ts';
import type { Plan } from '../../shared/coordination/allowance.ts';
import { denied, MemoryBudget } from '../../shared/coordination/budget.ts';
import { DAY_MS } from '../../shared/platform/time.ts';

const MINUTE_MS = 60_000;
const start = Date.parse('2026-11-01T00:00:00Z');
/** The free plan with the stack's schedule: 645 requests a day, of which 145 are scheduled. */
const budget: Plan = { monthly: 20_000, scheduledDaily: 145, clientPercent: 10 };

/** The minutes of a day at which it runs. */
const every = (minutes: number) =>
  Array.from({ length: (24 * 60) / minutes }, (_, n) => (n + 1) * minutes - 10);

/**
 * The days until the past of so many coins is stored, with the real queue and budget. The store keeps the note alone,
 * because S3 would not make 1,000 runs in the time of a test, and what is in it plays no part here.
 */
async function daysFor(count: number, answersADay: number, runs: readonly number[]): Promise<number> {
  const coins = Array.from({ length: count }, (_, n) => `coin-${n}`);
  let note: unknown;
  const quota = new MemoryBudget(budget, () => Date.now());
  const candle = { opensAt: 0, open: 1, high: 1, low: 1, close: 1, volume: 1, market_cap: 1, samples: 0 };
  const store = {
    note: async <T>(_name: string, read: (content: unknown) => T) => {
      const none = { etag: undefined, bytes: undefined, setAside: undefined };
      return { ...none, content: note === undefined ? undefined : read(note) };
    },
    putNote: async (_name: string, content: unknown) => {
      note = content;
    },
    daily: async () => undefined,
    addToCoin: async () => true,
  };
  const fetchLatest = async (): Promise<Latest> => {
    const reserved = await quota.reserve('leftover');
    if (!reserved.allowed) throw denied(reserved);
    const to = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    const only = { ...candle, lastAt: 0, quality: 'exact' as const, source: 'simulated' };
    return { candles: [only], asked: { from: to - DAY_MS, to } };
  };
  for (let day = 0; ; day += 1) {
    let before = 0;
    for (const minute of runs) {
      vi.setSystemTime(start + day * DAY_MS + minute * MINUTE_MS);
      const dueOf = (daily: number) => partOf(daily, minute) - partOf(daily, before);
      for (let n = dueOf(budget.scheduledDaily); n > 0; n -= 1) await quota.reserve('scheduled');
      for (let n = dueOf(answersADay); n > 0; n -= 1) await quota.reserve('demand');
      before = minute;
      const progress = await Progress.read(store);
      await storeFromProvider({
        ...{ store, progress, fetchLatest, coins, isSampled: () => true, isServed: () => false },
        deadline: Date.now() + 100_000,
      });
      await progress.save();
      expect(quota.usage.today).toBeLessThanOrEqual(quota.usage.todayLimit);
      if (progress.notes.provider.size === count) return day + 1;
    }
  }
}

/** Of what is given out evenly over a day, in whole requests. */
function partOf(daily: number, minutes: number): number {
  return Math.floor((daily * minutes) / (24 * 60));
}

describe('the past', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  // While callers leave something over it is all the same when in the day it runs.
  it('of 1,500 coins is stored within six days, with the usual callers', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    expect(await daysFor(1_500, 100, every(240))).toBeLessThanOrEqual(6);
  });
});
