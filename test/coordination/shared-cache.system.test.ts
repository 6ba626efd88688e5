import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { guardedTable } from '../../shared/coordination/guarded-table.ts';
import type { SharedTable } from '../../shared/coordination/table.ts';
import { ApiError } from '../../shared/http/errors.ts';
import type { Loaded } from '../../shared/providers/client/cache.ts';
import { SharedCache } from '../../shared/providers/client/shared-cache.ts';
import { errorCodec } from '../../shared/providers/coinpaprika/error-codec.ts';
import { hindered, newTable, recorder } from './fleet.ts';

const KEY = '/tickers/btc-bitcoin';
const MINUTE_MS = 60_000;

let open: () => SharedTable;
let table: SharedTable;
/** How often the provider was asked. */
let asked: number;
beforeEach(async () => {
  open = await newTable();
  table = open();
  asked = 0;
});

function instance(skewMs = 0, over = table) {
  const { events, observe } = recorder();
  const now = () => Date.now() + skewMs;
  const cache = new SharedCache({ table: over, errors: errorCodec, staleWaitMs: 300, now, observe });
  const load = (ask: () => Promise<Loaded<unknown>>, waitMs = 10_000) =>
    cache.load(KEY, { ask, deadline: now() + waitMs });
  const outcomes = () => events.flatMap((event) => (event.kind === 'shared-cache' ? event.outcome : []));
  return { load, outcomes };
}

/** A provider that takes its time and counts; each answer is another. */
function provider({ tookMs = 200, freshMs = MINUTE_MS, staleForMs = MINUTE_MS } = {}) {
  return async () => {
    asked += 1;
    const value = `answer ${asked}`;
    await sleep(tookMs);
    return { value, freshUntil: Date.now() + freshMs, staleForMs };
  };
}

const never = () => {
  asked += 1;
  return new Promise<never>(() => {});
};

describe('many instances that miss the same key', () => {
  it.each([
    ['the same time', () => 0],
    ['clocks two seconds apart either way', (index: number) => ((index % 5) - 2) * 1000],
  ])('ask upstream once for 200 with %s', async (_name, skewOf) => {
    const instances = Array.from({ length: 200 }, (_, index) => instance(skewOf(index)));

    const answers = await Promise.all(instances.map(({ load }) => load(provider(), 15_000)));

    expect(asked).toBe(1);
    expect(new Set(answers.map(({ value }) => value))).toEqual(new Set(['answer 1']));
  });

  it('are all told that there is no such coin, for one request', async () => {
    const unknown = async () => {
      asked += 1;
      await sleep(100);
      throw ApiError.unknownCoin('no-coin');
    };

    const answers = await Promise.allSettled(Array.from({ length: 50 }, () => instance().load(unknown)));

    expect(asked).toBe(1);
    for (const answer of answers) {
      expect(answer).toMatchObject({
        status: 'rejected',
        reason: { statusCode: 404, message: 'Unknown coin id: no-coin' },
      });
    }
    await expect(instance().load(unknown)).rejects.toThrow('Unknown coin id: no-coin');
    expect(asked).toBe(1);
  });

  it('share a failure for a moment instead of each paying for one', async () => {
    const outage = async () => {
      asked += 1;
      await sleep(100);
      throw new ApiError(502, 'CoinPaprika answered 500');
    };

    const answers = await Promise.allSettled(Array.from({ length: 50 }, () => instance().load(outage)));

    expect(asked).toBe(1);
    expect(answers.every(({ status }) => status === 'rejected')).toBe(true);
    await sleep(3100);
    expect((await instance().load(provider())).value).toBe('answer 2');
  });
});

describe('a lease', () => {
  it('of an instance that died is taken over within three seconds, by one instance', async () => {
    void instance()
      .load(never, 100)
      .catch(() => {}); // shows no sign of life after 100 ms
    await expect.poll(() => asked).toBe(1);
    const startedAt = performance.now();
    const heirs = Array.from({ length: 20 }, (_, index) => instance(((index % 5) - 2) * 1000));

    const answers = await Promise.all(heirs.map(({ load }) => load(provider())));

    expect(performance.now() - startedAt).toBeLessThan(5000);
    expect(asked).toBe(2);
    expect(new Set(answers.map(({ value }) => value))).toEqual(new Set(['answer 2']));
    expect(heirs.flatMap(({ outcomes }) => outcomes()).filter((outcome) => outcome === 'takeover')).toEqual([
      'takeover',
    ]);
  });

  it('of an instance that is only slow is left alone', async () => {
    const slow = instance().load(provider({ tookMs: 4500 }));
    await expect.poll(() => asked).toBe(1);

    const others = await Promise.all([2000, 0, -2000].map((skew) => instance(skew).load(provider())));

    expect(asked).toBe(1);
    expect(others.map(({ value }) => value)).toEqual(Array(3).fill((await slow).value));
  });

  it('that was lost does not overwrite what came later', async () => {
    const { promise, resolve } = Promise.withResolvers<Loaded<string>>();
    const frozen = instance().load(() => promise, 100);
    await sleep(300);
    expect((await instance().load(provider())).value).toBe('answer 1');

    resolve({ value: 'old', freshUntil: Date.now() + MINUTE_MS, staleForMs: 0 });
    expect((await frozen).value).toBe('old');
    expect((await instance().load(provider())).value).toBe('answer 1');
  });

  it('keeps a request no longer than it has time', async () => {
    void instance()
      .load(never, 5000)
      .catch(() => {});
    await expect.poll(() => asked).toBe(1);
    const startedAt = performance.now();

    await expect(instance().load(provider(), 700)).rejects.toMatchObject({ statusCode: 504 });
    expect(performance.now() - startedAt).toBeLessThan(1500);
  });
});

describe('an answer past its lifetime', () => {
  const shortLived = { freshMs: 50, tookMs: 0 };

  it('is asked for anew by one, while the others take it as stale after a moment', async () => {
    await instance().load(provider(shortLived));
    await sleep(100);

    const instances = Array.from({ length: 20 }, () => instance());
    const answers = await Promise.all(instances.map(({ load }) => load(provider({ tookMs: 1000 }))));

    expect(asked).toBe(2);
    const values = answers.map(({ value, stale = false }) => `${value} ${stale}`);
    expect(values.filter((value) => value === 'answer 2 false')).toHaveLength(1);
    expect(values.filter((value) => value === 'answer 1 true')).toHaveLength(19);
  });

  it('stands in for an outage', async () => {
    await instance().load(provider(shortLived));
    await sleep(100);
    const { load, outcomes } = instance();

    const answer = await load(async () => {
      throw ApiError.rateLimited(60);
    });

    expect(answer).toMatchObject({ value: 'answer 1', stale: true });
    expect(outcomes()).toEqual(['stale']);
  });

  it('gives way to the news that there is no such coin', async () => {
    await instance().load(provider(shortLived));
    await sleep(100);

    const gone = instance().load(async () => {
      throw ApiError.unknownCoin('btc-bitcoin');
    });

    await expect(gone).rejects.toThrow('Unknown coin id');
  });

  it('is of no use any more after its time, although it can still be read', async () => {
    await instance().load(provider({ ...shortLived, staleForMs: 50 }));
    await sleep(200);
    expect(await table.get(`answer#1#${KEY}`)).toHaveProperty('body');

    const outage = instance().load(async () => {
      throw new ApiError(502, 'CoinPaprika is unreachable');
    });

    await expect(outage).rejects.toThrow('unreachable');
  });

  it('is given by the one who asks, too, where the provider takes too long', async () => {
    await instance().load(provider(shortLived));
    await sleep(100);
    const startedAt = performance.now();

    expect(await instance().load(never, 5000)).toMatchObject({ value: 'answer 1', stale: true });
    expect(performance.now() - startedAt).toBeLessThan(3000);
  });
});

describe('the table', () => {
  it('keeps answers of hundreds of kilobytes, and does without those that are larger than an item', async () => {
    const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(Math.min(bytes, 65_536)));
    const bytes = (size: number) =>
      Array.from({ length: size / 65_536 }, () => Buffer.from(random(65_536)).toString('base64')).join('');
    const of = (size: number) => async () => ({
      value: bytes(size),
      freshUntil: Date.now() + MINUTE_MS,
      staleForMs: 0,
    });

    const { load, outcomes } = instance();
    const large = await load(of(262_144));
    expect((await instance().load(never)).value).toBe(large.value);

    open = await newTable();
    table = open();
    const other = instance(0, table);
    await other.load(of(655_360));
    expect(other.outcomes()).toEqual(['too-large', 'asked']);
    expect(outcomes()).toEqual(['asked']);
    expect((await table.get(`answer#1#${KEY}`))?.lease).toBeUndefined();
  });

  it.each([
    ['down', async () => Promise.reject(new Error('connect ECONNREFUSED'))],
    ['slow', async () => sleep(5000)],
  ])('that is %s is done without, at once after the first time', async (_name, hinder) => {
    const guarded = guardedTable(async () => hindered(open(), hinder), { firstTimeoutMs: 200 });
    const { load } = instance(0, guarded);
    const startedAt = performance.now();

    expect((await load(provider({ tookMs: 0 }))).value).toBe('answer 1');
    expect((await load(provider({ tookMs: 0 }))).value).toBe('answer 2');
    expect(performance.now() - startedAt).toBeLessThan(600);
  });

  it('that fails after the provider has answered costs the caller nothing', async () => {
    let works = true;
    const guarded = guardedTable(async () =>
      hindered(open(), async () => {
        if (!works) throw new Error('connect ECONNREFUSED');
      }),
    );

    const answer = await instance(0, guarded).load(async () => {
      works = false;
      return provider()();
    });

    expect(answer.value).toBe('answer 1');
  });
});
