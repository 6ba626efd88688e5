import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { guardedTable } from '../../shared/coordination/guarded-table.ts';
import { SharedAnswers } from '../../shared/coordination/shared-answers.ts';
import type { SharedTable } from '../../shared/coordination/table.ts';
import { ApiError } from '../../shared/http/errors.ts';
import { errorCodec } from '../../shared/marketdata/kept-answers.ts';
import { PlanRefusal } from '../../shared/marketdata/provider.ts';
import type { Kept } from '../../shared/marketdata/provider-client.ts';
import { hindered, useTables } from './tables.ts';

const newTable = useTables();

const KEY = '/tickers/btc-bitcoin';
const MINUTE_MS = 60_000;
const LEASE_MS = 5_000;

let open: () => SharedTable;
let table: SharedTable;
/** The number of requests to the provider. */
let asked: number;
beforeEach(async () => {
  open = await newTable();
  table = open();
  asked = 0;
});

function instance(skewMs = 0, over = table) {
  const now = () => Date.now() + skewMs;
  const options = { provider: 'test', title: 'CoinPaprika', errors: errorCodec, leaseMs: LEASE_MS, now };
  const answers = new SharedAnswers({ table: over, ...options });
  const stale: unknown[] = [];
  const load = (ask: () => Promise<Kept<unknown>>, waitMs = 10_000, path = KEY) =>
    answers.load(KEY, {
      path,
      ask,
      deadline: now() + waitMs,
      onStale: async ({ data }) => !stale.push(data),
    });
  return { load, stale };
}

const answer = <T>(data: T, freshMs = MINUTE_MS, staleForMs = MINUTE_MS): Kept<T> => {
  const now = Date.now();
  const freshUntil = now + freshMs;
  return {
    data,
    source: 'test',
    madeAt: now,
    storedAt: now,
    freshUntil,
    staleUntil: freshUntil + staleForMs,
  };
};

/** A provider that takes its time and counts; each answer is another. */
function provider({ tookMs = 200, freshMs = MINUTE_MS, staleForMs = MINUTE_MS } = {}) {
  return async () => {
    asked += 1;
    const data = `answer ${asked}`;
    await sleep(tookMs);
    return answer(data, freshMs, staleForMs);
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
    expect(new Set(answers.map(({ data }) => data))).toEqual(new Set(['answer 1']));
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
    expect((await instance().load(provider())).data).toBe('answer 2');
  });

  it('are refused what was refused, and given another part of it', async () => {
    const refused = async () => {
      asked += 1;
      throw new PlanRefusal('not in this plan');
    };
    await expect(instance().load(refused)).rejects.toThrow('not in this plan');

    expect((await instance().load(provider(), 10_000, `${KEY}?part`)).data).toBe('answer 2');

    expect((await instance().load(refused)).data).toBe('answer 2');
  });
});

describe('a lease', () => {
  it('of an instance that died is taken over when it is over, by one instance', async () => {
    void instance()
      .load(never, 100)
      .catch(() => {}); // dead from now on
    await expect.poll(() => asked).toBe(1);
    const startedAt = performance.now();
    const heirs = Array.from({ length: 20 }, (_, index) => instance(((index % 5) - 2) * 1000));

    const answers = await Promise.all(heirs.map(({ load }) => load(provider())));

    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(LEASE_MS);
    expect(asked).toBe(2);
    expect(new Set(answers.map(({ data }) => data))).toEqual(new Set(['answer 2']));
  });

  it('is left alone while it lasts, whatever the clocks say', async () => {
    const slow = instance().load(provider({ tookMs: LEASE_MS - 1_500 }));
    await expect.poll(() => asked).toBe(1);

    const others = await Promise.all([2000, 0, -2000].map((skew) => instance(skew).load(provider())));

    expect(asked).toBe(1);
    expect(others.map(({ data }) => data)).toEqual(Array(3).fill((await slow).data));
  });

  it('that was lost does not overwrite what came later', async () => {
    const { promise, resolve } = Promise.withResolvers<Kept<string>>();
    const frozen = instance().load(() => promise, 100);
    await sleep(300);
    expect((await instance().load(provider())).data).toBe('answer 1');

    resolve(answer('old'));
    expect((await frozen).data).toBe('old');
    expect((await instance().load(provider())).data).toBe('answer 1');
  });

  it('keeps a request no longer than it has time', async () => {
    void instance()
      .load(never, 5000)
      .catch(() => {});
    await expect.poll(() => asked).toBe(1);
    const startedAt = performance.now();

    await expect(instance().load(provider(), 700)).rejects.toMatchObject({ statusCode: 504 });
    expect(performance.now() - startedAt).toBeLessThan(LEASE_MS);
  });
});

describe('an answer past its lifetime', () => {
  const shortLived = { freshMs: 50, tookMs: 0 };

  it('is asked for anew by one, and told at once to all that miss it', async () => {
    await instance().load(provider(shortLived));
    await sleep(100);

    const instances = Array.from({ length: 20 }, () => instance());
    const answers = await Promise.all(instances.map(({ load }) => load(provider({ tookMs: 1000 }))));

    expect(asked).toBe(2);
    expect(answers.map(({ data }) => data)).toEqual(Array(20).fill('answer 2'));
    expect(instances.map(({ stale }) => stale)).toEqual(Array(20).fill(['answer 1']));
  });

  it('is told before an outage is', async () => {
    await instance().load(provider(shortLived));
    await sleep(100);
    const { load, stale } = instance();

    const outage = load(async () => {
      throw ApiError.rateLimited('that of all', 60);
    });

    await expect(outage).rejects.toMatchObject({ statusCode: 429 });
    expect(stale).toEqual(['answer 1']);
    expect((await table.get(`test#answer#${KEY}`))?.body).toBeDefined();
  });

  it('is of no use any more after its time, although it can still be read', async () => {
    await instance().load(provider({ ...shortLived, staleForMs: 50 }));
    await sleep(200);
    expect(await table.get(`test#answer#${KEY}`)).toHaveProperty('body');
    const { load, stale } = instance();

    await load(provider());

    expect(stale).toEqual([]);
  });
});

describe('the table', () => {
  it('keeps answers of hundreds of kilobytes, and does without those that are larger than an item', async () => {
    const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(Math.min(bytes, 65_536)));
    const bytes = (size: number) =>
      Array.from({ length: size / 65_536 }, () => Buffer.from(random(65_536)).toString('base64')).join('');
    const of = (size: number) => async () => answer(bytes(size));

    const large = await instance().load(of(262_144));
    expect((await instance().load(never)).data).toBe(large.data);

    table = (await newTable())();
    const tooLarge = await instance().load(of(655_360));
    expect(tooLarge.data).toHaveLength(bytes(655_360).length);
    expect(await table.get(`test#answer#${KEY}`)).not.toHaveProperty('body');
    expect((await table.get(`test#answer#${KEY}`))?.lease).toBeUndefined();
  });

  it.each([
    ['down', async () => Promise.reject(new Error('connect ECONNREFUSED'))],
    ['slow', () => new Promise<never>(() => {})],
  ])('that is %s is done without, at once after the first time', async (_name, hinder) => {
    const guarded = guardedTable(async () => hindered(open(), hinder), { firstTimeoutMs: 2_000 });
    const { load } = instance(0, guarded);
    const startedAt = performance.now();

    expect((await load(provider({ tookMs: 0 }))).data).toBe('answer 1');
    expect((await load(provider({ tookMs: 0 }))).data).toBe('answer 2');
    expect(performance.now() - startedAt).toBeLessThan(4_000); // it is waited for once
  });

  it('that fails after the provider has answered costs the caller nothing', async () => {
    let works = true;
    const guarded = guardedTable(async () =>
      hindered(open(), async () => {
        if (!works) throw new Error('connect ECONNREFUSED');
      }),
    );

    const { data } = await instance(0, guarded).load(async () => {
      works = false;
      return provider()();
    });

    expect(data).toBe('answer 1');
  });
});
