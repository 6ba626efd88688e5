import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../http/errors.ts';
import { PlanRefusal } from '../coinpaprika/answers.ts';
import { type Cached, type Loaded, UpstreamCache } from './cache.ts';

const START = Date.UTC(2026, 0, 1);
const FRESH_MS = 60_000;
const STALE_MS = 3_600_000;
const outage = new ApiError(502, 'CoinPaprika answered 503');
const notFound = ApiError.notFound('Unknown coin id: x');

beforeEach(() => {
  vi.useFakeTimers({ now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

const cacheOf = (maxEntries = 10) =>
  new UpstreamCache({ maxEntries, staleWaitMs: 300, loadTimeoutMs: 8_000 });

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

describe('an entry', () => {
  it('is loaded once, and comes from the cache until its time is over', async () => {
    const cache = cacheOf();
    const load = succeed('a');

    const first = await cache.get('key', load);
    at(FRESH_MS - 1);
    const second = await cache.get('key', load);
    at(FRESH_MS);
    const third = await cache.get('key', succeed('b'));

    expect(first).toMatchObject({ value: 'a', freshUntil: START + FRESH_MS, stale: false });
    expect(seen(second)).toEqual(['a', false]);
    expect(seen(third)).toEqual(['b', false]);
    expect(load).toHaveBeenCalledOnce();
  });

  it('belongs to its key alone', async () => {
    const cache = await cacheWith('a');

    expect(seen(await cache.get('other', succeed('b')))).toEqual(['b', false]);
    expect(seen(await cache.get('key', fail(outage)))).toEqual(['a', false]);
  });

  it('stands in, stale, for a provider that fails, until its bound', async () => {
    const cache = await cacheWith('a');

    at(FRESH_MS + STALE_MS - 1);
    expect(seen(await cache.get('key', fail(outage)))).toEqual(['a', true]);
    at(FRESH_MS + STALE_MS);
    await expect(cache.get('key', fail(outage))).rejects.toBe(outage);
  });

  it.each([429, 502, 503, 504])('stands in for a %i', async (status) => {
    const cache = await cacheWith('a');
    at(FRESH_MS);

    expect(seen(await cache.get('key', fail(new ApiError(status, 'x'))))).toEqual(['a', true]);
  });

  it.each([
    ['a 404', notFound],
    ['a refusal of the plan', new PlanRefusal(undefined)],
    ['a mistake of ours', new TypeError('x is undefined')],
    ['a wrong configuration', ApiError.serverConfiguration('x')],
  ])('does not stand in for %s', async (_what, error) => {
    const cache = await cacheWith('a');
    at(FRESH_MS);

    await expect(cache.get('key', fail(error))).rejects.toBe(error);
  });

  it('is never replaced by an error', async () => {
    const cache = await cacheWith('a');
    at(FRESH_MS);
    await cache.get('key', fail(outage));
    await cache.get('key', fail(notFound)).catch(() => {});

    at(FRESH_MS + 120_000);

    expect(seen(await cache.get('key', fail(outage)))).toEqual(['a', true]);
  });

  it('of before the clock ran backwards is loaded anew, and can still stand in', async () => {
    const cache = await cacheWith('a');

    at(-3_600_000);

    expect(seen(await cache.get('key', fail(outage)))).toEqual(['a', true]);
    expect(seen(await cache.get('key', succeed('b')))).toEqual(['b', false]);
  });
});

describe('a 404', () => {
  it('is remembered for a minute', async () => {
    const cache = cacheOf();
    const load = fail(notFound);

    await expect(cache.get('key', load)).rejects.toBe(notFound);
    at(59_999);
    await expect(cache.get('key', load)).rejects.toBe(notFound);
    expect(load).toHaveBeenCalledOnce();
    at(60_000);
    expect(seen(await cache.get('key', succeed('a')))).toEqual(['a', false]);
  });

  it('of before the clock ran backwards is asked for again', async () => {
    const cache = cacheOf();
    await cache.get('key', fail(notFound)).catch(() => {});

    at(-3_600_000);

    expect(seen(await cache.get('key', succeed('a')))).toEqual(['a', false]);
  });

  it('is the only error that is remembered', async () => {
    const cache = cacheOf();
    for (const error of [outage, ApiError.rateLimited(1), new Error('x')]) {
      await expect(cache.get('key', fail(error))).rejects.toBe(error);
    }

    expect(seen(await cache.get('key', succeed('a')))).toEqual(['a', false]);
  });
});

describe('the memory of the cache', () => {
  it('is bounded, and what was used longest ago goes first', async () => {
    const cache = cacheOf(3);
    for (const key of ['a', 'b', 'c']) await cache.get(key, succeed(key));
    await cache.get('a', fail(outage));

    await cache.get('d', succeed('d'));

    const reload = fail(outage);
    for (const key of ['a', 'c', 'd']) expect((await cache.get(key, reload)).value).toBe(key);
    await expect(cache.get('b', reload)).rejects.toBe(outage);
  });

  it('is bounded for 404s too', async () => {
    const cache = cacheOf(3);
    const load = fail(notFound);
    for (const key of ['a', 'b', 'c', 'd']) await cache.get(key, load).catch(() => {});

    for (const key of ['b', 'c', 'd']) await cache.get(key, load).catch(() => {});
    expect(load).toHaveBeenCalledTimes(4);
    await cache.get('a', load).catch(() => {});
    expect(load).toHaveBeenCalledTimes(5);
  });
});
