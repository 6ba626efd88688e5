import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { throttle } from './pace.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

async function startsOf(pauses: readonly number[], limit: number): Promise<number[]> {
  const mayStart = throttle(limit);
  const starts: number[] = [];
  const begun: Promise<unknown>[] = [];
  for (const pause of pauses) {
    await vi.advanceTimersByTimeAsync(pause);
    begun.push(mayStart(60_000).then((may) => may && starts.push(performance.now())));
  }
  await vi.runAllTimersAsync();
  await Promise.all(begun);
  return starts;
}

describe('a throttle', () => {
  it('lets ten a second through at most, all of them, none later than it must', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 60 }), async (pauses) => {
        const began = performance.now();
        const starts = await startsOf(pauses, 10);

        expect(starts).toHaveLength(pauses.length);
        starts.forEach((start, index) => {
          const arrived = began + pauses.slice(0, index + 1).reduce((sum, pause) => sum + pause, 0);
          const tenthBefore = starts[index - 10];
          const due = tenthBefore === undefined ? arrived : Math.max(arrived, tenthBefore + 1_000);
          expect(start).toBeCloseTo(due, 5);
        });
      }),
      { numRuns: 50 },
    );
  });

  it('refuses at once if the turn would be too late, without taking it', async () => {
    const mayStart = throttle(1);
    await mayStart(0);

    expect(await mayStart(999)).toBe(false);
    expect(await mayStart(0)).toBe(false);
    const second = mayStart(1_000);
    await vi.advanceTimersByTimeAsync(1_000);

    expect(await second).toBe(true);
  });

  it('does not wait for a clock that was set back', async () => {
    const mayStart = throttle(1);
    await mayStart(0);
    await vi.advanceTimersByTimeAsync(1_000);

    vi.setSystemTime(Date.now() - 3_600_000);

    expect(await mayStart(0)).toBe(true);
  });
});
