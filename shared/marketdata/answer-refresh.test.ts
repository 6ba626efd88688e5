import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  asking,
  askingWith,
  at,
  FRESH_MS,
  fail,
  type Load,
  loaded,
  START,
  seen,
  succeed,
} from '../../test/marketdata/asking.ts';
import { ApiError } from '../http/errors.ts';
import type { Kept } from './provider-client.ts';

const outage = new ApiError(502, 'CoinPaprika answered 503');

beforeEach(() => {
  vi.useFakeTimers({ now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('equal requests', () => {
  it('that come while one is loading share it', async () => {
    const ask = asking();
    const load = vi.fn(async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      return loaded('a');
    });

    const answers = Promise.all(Array.from({ length: 100 }, () => ask('key', load)));
    await vi.runAllTimersAsync();

    expect((await answers).map(seen)).toEqual(Array(100).fill(['a', false]));
    expect(load).toHaveBeenCalledOnce();
  });

  it('share its failure too, without a call for each', async () => {
    const ask = asking();
    const load = fail(outage);

    const answers = await Promise.allSettled([1, 2, 3].map(() => ask('key', load)));

    expect(answers).toEqual(Array(3).fill({ status: 'rejected', reason: outage }));
    expect(load).toHaveBeenCalledOnce();
  });
});

describe('a refresh', () => {
  /** A load that settles when the test says so. */
  function controlled() {
    const { promise, resolve, reject } = Promise.withResolvers<Kept<string>>();
    return { load: vi.fn(() => promise), resolve, reject };
  }

  async function staleAfterWait(ask: ReturnType<typeof asking>, load: Load) {
    const answer = ask('key', load);
    await vi.advanceTimersByTimeAsync(300);
    return answer;
  }

  it('is waited for 300 ms, and then the stale entry is the answer', async () => {
    const ask = await askingWith('a');
    at(FRESH_MS);
    const { load } = controlled();
    const settled = vi.fn();

    const answer = ask('key', load).then((value) => {
      settled();
      return value;
    });
    await vi.advanceTimersByTimeAsync(299);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);

    expect(seen(await answer)).toEqual(['a', true]);
  });

  it('that comes in time is the answer', async () => {
    const ask = await askingWith('a');
    at(FRESH_MS);
    const { load, resolve } = controlled();

    const answer = ask('key', load);
    await vi.advanceTimersByTimeAsync(299);
    resolve(loaded('b'));

    expect(seen(await answer)).toEqual(['b', false]);
  });

  it('that was left behind is joined by the next request, and its value kept', async () => {
    const ask = await askingWith('a');
    at(FRESH_MS);
    const { load, resolve } = controlled();
    await staleAfterWait(ask, load);
    const another = succeed('never');

    const next = ask('key', another);
    resolve(loaded('b'));

    expect(seen(await next)).toEqual(['b', false]);
    expect(seen(await ask('key', another))).toEqual(['b', false]);
    expect(another).not.toHaveBeenCalled();
  });

  it('that was left behind and died is begun anew by the next request, without an error', async () => {
    const ask = await askingWith('a');
    at(FRESH_MS);
    const { load, reject } = controlled();
    await staleAfterWait(ask, load);

    const next = ask('key', succeed('b'));
    reject(outage);

    expect(seen(await next)).toEqual(['b', false]);
  });

  it('that was left behind is begun anew once for all that had joined it', async () => {
    const ask = await askingWith('a');
    at(FRESH_MS);
    const { load, reject } = controlled();
    await staleAfterWait(ask, load);
    const again = succeed('b');

    const next = Promise.all([1, 2, 3].map(() => ask('key', again)));
    reject(outage);

    expect((await next).map(seen)).toEqual(Array(3).fill(['b', false]));
    expect(again).toHaveBeenCalledOnce();
  });

  it('that was left behind for longer than a load may take is not waited for', async () => {
    const ask = await askingWith('a');
    at(FRESH_MS);
    const { load, resolve } = controlled();
    await staleAfterWait(ask, load);

    at(FRESH_MS + 300_000);
    expect(seen(await ask('key', succeed('c')))).toEqual(['c', false]);
    resolve(loaded('late'));
    await vi.advanceTimersByTimeAsync(0);

    expect(seen(await ask('key', succeed('d')))).toEqual(['c', false]);
  });

  it('that fails with nobody waiting harms nobody', async () => {
    const ask = await askingWith('a');
    at(FRESH_MS);
    const { load, reject } = controlled();
    await staleAfterWait(ask, load);

    reject(outage); // vitest fails on an unhandled rejection
    await vi.advanceTimersByTimeAsync(0);

    expect(seen(await ask('key', succeed('b')))).toEqual(['b', false]);
  });
});
