import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createFeed } from './feed.ts';
import type { Loaded, LoadFailure } from './load.ts';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

function loadedUntil(freshUntil: number): Loaded {
  const none = { weeks: undefined, conversion: undefined, worths: new Map() };
  return { kind: 'loaded', coins: [], listed: 0, isDefault: false, freshUntil, ...none };
}

const failure: LoadFailure = {
  kind: 'failed',
  failure: { kind: 'failure', reason: 'unavailable', lines: [], isUnreachable: true },
};

/** A feed whose answers come at once, with the seconds at which they were asked for. */
function feedOf(answer: (asked: number) => Loaded | LoadFailure) {
  const asked: number[] = [];
  const feed = createFeed(
    async () => {
      asked.push(Date.now() / 1000);
      return answer(asked.length);
    },
    () => {},
    Date.now,
  );
  onTestFinished(feed.close);
  return { feed, asked };
}

test('prices are asked for when their lifetime ends', async () => {
  const { asked } = feedOf(() => loadedUntil(Date.now() + 60_000));
  await vi.advanceTimersByTimeAsync(125_000);
  expect(asked).toEqual([0, 60, 120]);
});

test('however short their lifetime is, not more often than every 15 seconds', async () => {
  const { asked } = feedOf(() => loadedUntil(0));
  await vi.advanceTimersByTimeAsync(46_000);
  expect(asked).toEqual([0, 15, 30, 45]);
});

test('after failures ever more rarely, up to five minutes, and the old prices stay', async () => {
  const { feed, asked } = feedOf((time) => (time === 1 ? loadedUntil(15_000) : failure));
  await vi.advanceTimersByTimeAsync(1_100_000);
  expect(asked).toEqual([0, 15, 30, 60, 120, 240, 480, 780, 1080]);
  expect(feed.state()).toMatchObject({ loaded: { kind: 'loaded' }, failure: { reason: 'unavailable' } });
});

test('as long as the service says', async () => {
  const limited: LoadFailure = { ...failure, failure: { ...failure.failure, retryAfterSeconds: 100 } };
  const { asked } = feedOf((time) => (time === 1 ? limited : failure));
  await vi.advanceTimersByTimeAsync(131_000);
  expect(asked).toEqual([0, 100, 130]);
});

test('an answer ends the failures', async () => {
  const { feed, asked } = feedOf((time) => (time < 3 ? failure : loadedUntil(Date.now() + 60_000)));
  await vi.advanceTimersByTimeAsync(106_000);
  expect(asked).toEqual([0, 15, 45, 105]);
  expect(feed.state().failure).toBeUndefined();
});

test('a machine that slept asks as soon as it wakes', async () => {
  const { asked } = feedOf(() => loadedUntil(Date.now() + 60_000));
  await vi.advanceTimersByTimeAsync(5000);
  vi.setSystemTime(3_600_000);
  await vi.advanceTimersByTimeAsync(1000);
  expect(asked).toEqual([0, 3601]);
});

test('what is asked for anew is given up, and its answer forgotten', async () => {
  const answers: ((answer: Loaded) => void)[] = [];
  const signals: AbortSignal[] = [];
  const feed = createFeed(
    (_former, signal) => {
      signals.push(signal);
      return new Promise((resolve) => answers.push(resolve));
    },
    () => {},
    Date.now,
  );
  onTestFinished(feed.close);
  feed.refresh();
  answers[1]?.(loadedUntil(2));
  await vi.advanceTimersByTimeAsync(0);
  answers[0]?.(loadedUntil(1));
  await vi.advanceTimersByTimeAsync(0);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  expect(feed.state().loaded?.freshUntil).toBe(2);
});
