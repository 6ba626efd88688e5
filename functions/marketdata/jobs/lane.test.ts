import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../../shared/http/errors.ts';
import { UnusableAnswer } from '../../../shared/marketdata/provider.ts';
import { Lane } from './lane.ts';

const NOW = Date.UTC(2026, 10, 22);
const DEADLINE = NOW + 60_000;
const down = () => new ApiError(502, 'down');
const items = Array.from({ length: 10 }, (_, index) => index);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Makes one request for each item; those in `failures` fail. */
async function runOf(failures: Readonly<Record<number, Error>>, { atATime = 1, deadline = DEADLINE } = {}) {
  const lane = new Lane({ atATime, answerMs: 10_000 });
  const made: number[] = [];
  const stopped = await lane.each(items, deadline, (item) =>
    lane.fetch(async () => {
      made.push(item);
      await Promise.resolve();
      if (failures[item]) throw failures[item];
    }, deadline),
  );
  return { lane, made, stopped };
}

describe('a source in one run', () => {
  it('gets no more requests after a 429 or three failures in a row, with the reason', async () => {
    const limited = await runOf({ 1: new ApiError(429, 'enough') });
    expect([limited.made, limited.stopped]).toEqual([[0, 1], 'enough']);
    const { lane, made, stopped } = await runOf({ 0: down(), 2: down(), 3: down(), 4: down() });
    expect(made).toEqual([0, 1, 2, 3, 4]);
    expect([stopped, lane.stopped, lane.failure?.message]).toEqual(['down', 'down', 'down']);
    await expect(lane.fetch(async () => 'an answer', DEADLINE)).rejects.toMatchObject({
      statusCode: 502,
      message: 'down',
    });
  });

  it('continues after unusable responses and unknown items', async () => {
    const wrong = new UnusableAnswer('wrong');
    const unknown = ApiError.notFound('unknown');
    const failures = {
      0: down(),
      1: down(),
      2: wrong,
      3: down(),
      4: down(),
      5: unknown,
      6: down(),
      9: wrong,
    };
    const { lane, made, stopped } = await runOf(failures);
    expect(made).toEqual(items);
    expect(stopped).toBeUndefined();
    expect(lane.failure).toBe(wrong);
  });

  it('gets no request without time for a response', async () => {
    const { lane, made, stopped } = await runOf({}, { deadline: NOW + 9_999 });
    expect([made, stopped]).toEqual([[], 'the time is over']);
    await expect(lane.fetch(async () => 'an answer', NOW + 9_999)).rejects.toMatchObject({ statusCode: 504 });
    // It says nothing of the source: there may be more time for something else.
    expect(await lane.fetch(async (until) => until, NOW + 10_000)).toBe(NOW + 10_000);
  });

  it('gets a fixed number at a time from all callers together', async () => {
    const lane = new Lane({ atATime: 2, answerMs: 10_000 });
    let [underWay, most] = [0, 0];
    const request = async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise(setImmediate);
      underWay -= 1;
    };
    const work = () => lane.fetch(request, DEADLINE);
    await Promise.all([lane.each(items, DEADLINE, work), lane.each(items, DEADLINE, work), work(), work()]);
    expect(most).toBe(2);
  });

  it('stops after a failure of the work, which is thrown once no work is in progress', async () => {
    const lane = new Lane({ atATime: 2, answerMs: 10_000 });
    const done: number[] = [];
    const running = lane.each(items, DEADLINE, async (item) => {
      if (item === 0) throw new Error('the store failed');
      await new Promise(setImmediate);
      done.push(item);
    });
    await expect(running).rejects.toThrow('the store failed');
    expect(done).toEqual([1]);
  });
});
