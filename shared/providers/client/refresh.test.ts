import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../http/errors.ts';
import { type Cached, type Loaded, UpstreamCache } from './cache.ts';

const START = Date.UTC(2026, 0, 1);
const FRESH_MS = 60_000;
const STALE_MS = 3_600_000;
const outage = new ApiError(502, 'CoinPaprika answered 503');

beforeEach(() => {
  vi.useFakeTimers({ now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

const cacheOf = () => new UpstreamCache({ maxEntries: 10, staleWaitMs: 300, loadTimeoutMs: 8_000 });

const loaded = (value: string): Loaded<string> => ({
  value,
  freshUntil: Date.now() + FRESH_MS,
  staleForMs: STALE_MS,
});

const succeed = (value: string) => vi.fn(async () => loaded(value));
const fail = (error: unknown) => vi.fn(async (): Promise<Loaded<string>> => Promise.reject(error));
const at = (ms: number) => vi.setSystemTime(START + ms);
const seen = ({ value, stale }: Cached<string>) => [value, stale];

async function cacheWith(value: string) {
  const cache = cacheOf();
  await cache.get('key', succeed(value));
  return cache;
}

describe('equal requests', () => {
  it('that come while one is loading share it', async () => {
    const cache = cacheOf();
    const load = vi.fn(async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      return loaded('a');
    });

    const answers = Promise.all(Array.from({ length: 100 }, () => cache.get('key', load)));
    await vi.runAllTimersAsync();

    expect((await answers).map(seen)).toEqual(Array(100).fill(['a', false]));
    expect(load).toHaveBeenCalledOnce();
  });

  it('share its failure too, without a call for each', async () => {
    const cache = cacheOf();
    const load = fail(outage);

    const answers = await Promise.allSettled([1, 2, 3].map(() => cache.get('key', load)));

    expect(answers).toEqual(Array(3).fill({ status: 'rejected', reason: outage }));
    expect(load).toHaveBeenCalledOnce();
  });
});

describe('a refresh', () => {
  /** A load that settles when the test says so. */
  function controlled() {
    const { promise, resolve, reject } = Promise.withResolvers<Loaded<string>>();
    return { load: vi.fn(() => promise), resolve, reject };
  }

  async function staleAfterWait(cache: UpstreamCache, load: () => Promise<Loaded<string>>) {
    const answer = cache.get('key', load);
    await vi.advanceTimersByTimeAsync(300);
    return answer;
  }

  it('is waited for 300 ms, and then the stale entry is the answer', async () => {
    const cache = await cacheWith('a');
    at(FRESH_MS);
    const { load } = controlled();
    const settled = vi.fn();

    const answer = cache.get('key', load).then((value) => {
      settled();
      return value;
    });
    await vi.advanceTimersByTimeAsync(299);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);

    expect(seen(await answer)).toEqual(['a', true]);
  });

  it('that comes in time is the answer', async () => {
    const cache = await cacheWith('a');
    at(FRESH_MS);
    const { load, resolve } = controlled();

    const answer = cache.get('key', load);
    await vi.advanceTimersByTimeAsync(299);
    resolve(loaded('b'));

    expect(seen(await answer)).toEqual(['b', false]);
  });

  it('that was left behind is joined by the next request, and its value kept', async () => {
    const cache = await cacheWith('a');
    at(FRESH_MS);
    const { load, resolve } = controlled();
    await staleAfterWait(cache, load);
    const another = succeed('never');

    const next = cache.get('key', another);
    resolve(loaded('b'));

    expect(seen(await next)).toEqual(['b', false]);
    expect(seen(await cache.get('key', another))).toEqual(['b', false]);
    expect(another).not.toHaveBeenCalled();
  });

  it('that was left behind and died is begun anew by the next request, without an error', async () => {
    const cache = await cacheWith('a');
    at(FRESH_MS);
    const { load, reject } = controlled();
    await staleAfterWait(cache, load);

    const next = cache.get('key', succeed('b'));
    reject(outage);

    expect(seen(await next)).toEqual(['b', false]);
  });

  it('that was left behind is begun anew once for all that had joined it', async () => {
    const cache = await cacheWith('a');
    at(FRESH_MS);
    const { load, reject } = controlled();
    await staleAfterWait(cache, load);
    const again = succeed('b');

    const next = Promise.all([1, 2, 3].map(() => cache.get('key', again)));
    reject(outage);

    expect((await next).map(seen)).toEqual(Array(3).fill(['b', false]));
    expect(again).toHaveBeenCalledOnce();
  });

  it('that was left behind for longer than a load may take is not waited for', async () => {
    const cache = await cacheWith('a');
    at(FRESH_MS);
    const { load, resolve } = controlled();
    await staleAfterWait(cache, load);

    at(FRESH_MS + 300_000);
    expect(seen(await cache.get('key', succeed('c')))).toEqual(['c', false]);
    resolve(loaded('late'));
    await vi.advanceTimersByTimeAsync(0);

    expect(seen(await cache.get('key', succeed('d')))).toEqual(['c', false]);
  });

  it('that fails with nobody waiting harms nobody', async () => {
    const cache = await cacheWith('a');
    at(FRESH_MS);
    const { load, reject } = controlled();
    await staleAfterWait(cache, load);

    reject(outage); // vitest fails on an unhandled rejection
    await vi.advanceTimersByTimeAsync(0);

    expect(seen(await cache.get('key', succeed('b')))).toEqual(['b', false]);
  });
});
