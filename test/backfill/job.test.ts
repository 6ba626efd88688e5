import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DAY_MS } from '../../shared/marketdata/store/reader.ts';
import { NOON, runJob, startWorld, TODAY, type World } from './world.ts';

let world: World;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOON });
  world = await startWorld({ unknown: ['never-heard-of'] });
});
afterEach(async () => {
  vi.useRealTimers();
  await world.close();
});

async function metrics() {
  const { takeMetrics } = await import('../../shared/platform/metrics.ts');
  return JSON.parse(takeMetrics('n') ?? '{}');
}

describe('a run of the backfill', () => {
  it('stores a year of every active coin, with who made it, and up to the last closed day', async () => {
    expect(await runJob()).toEqual({ stored: 4, nothing: 1, found: 0, failed: 0, left: 0 });

    const series = world.daily('coin-1');
    expect(series?.asked).toEqual({ from: TODAY - 364 * DAY_MS, to: TODAY });
    expect(series?.candles).toHaveLength(364);
    expect(series?.candles.at(-1)).toMatchObject({
      opensAt: TODAY - DAY_MS,
      lastAt: TODAY,
      quality: 'derived',
      samples: 0,
      source: 'simulated',
    });
    expect(await metrics()).toMatchObject({ HistoryCoinsLeft: [0] });
  });

  it('asks nobody a second time for what is stored', async () => {
    await runJob();
    const before = world.provider.calls.total;

    expect(await runJob()).toEqual({ stored: 0, nothing: 0, found: 0, failed: 0, left: 0 });
    expect(world.provider.calls.total).toBe(before);
  });
});
