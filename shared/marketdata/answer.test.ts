import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  asking,
  askingWith,
  at,
  FRESH_MS,
  fail,
  STALE_MS,
  START,
  seen,
  succeed,
} from '../../test/marketdata/asking.ts';
import { ApiError } from '../http/errors.ts';
import { bytesInMemory } from '../platform/byte-cache.ts';
import { PlanRefusal } from './provider.ts';

const outage = new ApiError(502, 'CoinPaprika answered 503');
const notFound = ApiError.notFound('Unknown coin id: x');

beforeEach(() => {
  vi.useFakeTimers({ now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('an entry', () => {
  it('is loaded once, and comes from the cache until its time is over', async () => {
    const ask = asking();
    const load = succeed('a');

    const first = await ask('key', load);
    at(FRESH_MS - 1);
    const second = await ask('key', load);
    at(FRESH_MS);
    const third = await ask('key', succeed('b'));

    expect(first).toMatchObject({ data: 'a', freshUntil: START + FRESH_MS, stale: false });
    expect(seen(second)).toEqual(['a', false]);
    expect(seen(third)).toEqual(['b', false]);
    expect(load).toHaveBeenCalledOnce();
  });

  it('belongs to its key alone', async () => {
    const ask = await askingWith('a');

    expect(seen(await ask('other', succeed('b')))).toEqual(['b', false]);
    expect(seen(await ask('key', fail(outage)))).toEqual(['a', false]);
  });

  it('stands in, stale, for a provider that fails, until its bound', async () => {
    const ask = await askingWith('a');

    at(FRESH_MS + STALE_MS - 1);
    expect(seen(await ask('key', fail(outage)))).toEqual(['a', true]);
    at(FRESH_MS + STALE_MS);
    await expect(ask('key', fail(outage))).rejects.toBe(outage);
  });

  it.each([429, 502, 503, 504])('stands in for a %i', async (status) => {
    const ask = await askingWith('a');
    at(FRESH_MS);

    expect(seen(await ask('key', fail(new ApiError(status, 'x'))))).toEqual(['a', true]);
  });

  it.each([
    ['a 404', notFound],
    ['a refusal of the plan', new PlanRefusal('no')],
    ['a mistake of ours', new TypeError('x is undefined')],
    ['a wrong configuration', ApiError.serverConfiguration('x')],
  ])('does not stand in for %s', async (_what, error) => {
    const ask = await askingWith('a');
    at(FRESH_MS);

    await expect(ask('key', fail(error))).rejects.toBe(error);
  });

  it('is not asked for again within a second of a failure', async () => {
    const ask = await askingWith('a');
    at(FRESH_MS);
    await ask('key', fail(outage));
    const load = succeed('b');

    at(FRESH_MS + 999);
    expect(seen(await ask('key', load))).toEqual(['a', true]);
    at(FRESH_MS + 1_000);
    expect(seen(await ask('key', load))).toEqual(['b', false]);
    expect(load).toHaveBeenCalledOnce();
  });

  it('is never replaced by an error', async () => {
    const ask = await askingWith('a');
    at(FRESH_MS);
    await ask('key', fail(outage));
    await ask('key', fail(notFound)).catch(() => {});

    at(FRESH_MS + 120_000);

    expect(seen(await ask('key', fail(outage)))).toEqual(['a', true]);
  });

  it('of before the clock ran backwards is loaded anew, and can still stand in', async () => {
    const ask = await askingWith('a');

    at(-3_600_000);

    expect(seen(await ask('key', fail(outage)))).toEqual(['a', true]);
    at(-3_600_000 + 1_000);
    expect(seen(await ask('key', succeed('b')))).toEqual(['b', false]);
  });
});

describe('a 404', () => {
  it('is remembered for a minute', async () => {
    const ask = asking();
    const load = fail(notFound);

    await expect(ask('key', load)).rejects.toBe(notFound);
    at(59_999);
    await expect(ask('key', load)).rejects.toBe(notFound);
    expect(load).toHaveBeenCalledOnce();
    at(60_000);
    expect(seen(await ask('key', succeed('a')))).toEqual(['a', false]);
  });

  it('of before the clock ran backwards is asked for again', async () => {
    const ask = asking();
    await ask('key', fail(notFound)).catch(() => {});

    at(-3_600_000);

    expect(seen(await ask('key', succeed('a')))).toEqual(['a', false]);
  });

  it('is the only error that is remembered', async () => {
    const ask = asking();
    for (const error of [outage, ApiError.rateLimited('yours', 1), new Error('x')]) {
      await expect(ask('key', fail(error))).rejects.toBe(error);
    }

    expect(seen(await ask('key', succeed('a')))).toEqual(['a', false]);
  });
});

describe('the memory of the cache', () => {
  it('is bounded, and what was used longest ago goes first', async () => {
    const room = bytesInMemory('a') + bytesInMemory(await succeed('a')());
    const ask = asking(3.5 * room);
    for (const key of ['a', 'b', 'c']) await ask(key, succeed(key));
    await ask('a', fail(outage));

    await ask('d', succeed('d'));

    const reload = fail(outage);
    for (const key of ['a', 'c', 'd']) expect((await ask(key, reload)).data).toBe(key);
    await expect(ask('b', reload)).rejects.toBe(outage);
  });

  it('is bounded for 404s too', async () => {
    const ask = asking(3.5 * 16 * (500 + notFound.message.length + bytesInMemory('a')));
    const load = fail(notFound);
    for (const key of ['a', 'b', 'c', 'd']) await ask(key, load).catch(() => {});

    for (const key of ['b', 'c', 'd']) await ask(key, load).catch(() => {});
    expect(load).toHaveBeenCalledTimes(4);
    await ask('a', load).catch(() => {});
    expect(load).toHaveBeenCalledTimes(5);
  });
});
