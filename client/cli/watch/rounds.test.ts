import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { FailureResult } from '../../commands/result.ts';
import type { ListResult } from './list.ts';
import { rounds } from './rounds.ts';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

function freshFor(ms: number): ListResult {
  return { kind: 'list', rows: [], isDefault: false, conversion: undefined, freshUntil: Date.now() + ms };
}

const failure: FailureResult = { kind: 'failure', reason: 'unavailable', lines: [], isUnreachable: true };

/** The seconds at which requests are made whose answers depend on how many there were. */
function started(answer: (times: number) => ListResult | FailureResult, seconds?: number) {
  const times: number[] = [];
  const failures: number[] = [];
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const fetch = async () => {
    times.push(Date.now() / 1000);
    return answer(times.length);
  };
  const done = (async () => {
    for await (const round of rounds(fetch, { seconds, signal: ending.signal }))
      failures.push(round.failures);
  })();
  return { times, failures, ending, done };
}

test('an answer is fetched again just after its lifetime ends', async () => {
  const { times } = started(() => freshFor(60_000));
  await vi.advanceTimersByTimeAsync(125_000);
  expect(times).toEqual([0, 62, 124]);
});

test('a shorter lifetime is fetched every five seconds, or at the requested interval', async () => {
  const [all, every30] = [started(() => freshFor(0)), started(() => freshFor(0), 30)];
  await vi.advanceTimersByTimeAsync(31_000);
  expect(all.times).toEqual([0, 5, 10, 15, 20, 25, 30]);
  expect(every30.times).toEqual([0, 30]);
});

test('after failures the interval doubles up to five minutes, until a fetch succeeds', async () => {
  const { times, failures } = started((count) => (count === 9 ? freshFor(3000) : failure));
  await vi.advanceTimersByTimeAsync(926_000);
  expect(times).toEqual([0, 5, 15, 35, 75, 155, 315, 615, 915, 920, 925]);
  expect(failures).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 2]);
});

test('after a 429 the next fetch waits for Retry-After', async () => {
  const limited: FailureResult = { ...failure, retryAfterSeconds: 100 };
  const { times } = started((count) => (count === 1 ? limited : failure));
  await vi.advanceTimersByTimeAsync(111_000);
  expect(times).toEqual([0, 100, 110]);
});

test('a machine that slept fetches as soon as it wakes', async () => {
  const { times } = started(() => freshFor(60_000));
  await vi.advanceTimersByTimeAsync(5000);
  vi.setSystemTime(3_600_000);
  await vi.advanceTimersByTimeAsync(1000);
  expect(times).toEqual([0, 3601]);
});

test('an aborted signal ends them, also in the middle of a wait', async () => {
  const { times, ending, done } = started(() => freshFor(60_000));
  await vi.advanceTimersByTimeAsync(1500);
  ending.abort();
  await done;
  expect(times).toEqual([0]);
});
