import { beforeEach, describe, expect, it, vi } from 'vitest';
import { withLease } from '../../shared/coordination/lease.ts';
import { ApiError } from '../../shared/http/errors.ts';
import { type SharedTable, TableUnavailable } from '../../shared/platform/table.ts';
import { hindered, useTables } from './tables.ts';

const newTable = useTables();
const LEASE_MS = 3_000;

let open: () => SharedTable;
/** What was done, as an object of the store that all instances read. */
let stored: string | undefined;
beforeEach(async () => {
  open = await newTable();
  stored = undefined;
});

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const never = () => new Promise<void>(() => {});

/** One instance that wants the thing; `work` asks for it. */
function instance(work: () => Promise<string>, table = open(), withinMs = 10_000): Promise<string> {
  const options = { table, key: 'test#lease', deadline: Date.now() + withinMs, title: 'The Provider' };
  return withLease(
    options,
    async () => stored,
    async () => {
      stored = await work();
      return stored;
    },
  );
}

describe('a lease', () => {
  it('lets one of 40 instances do the work, and the others find what it stored', async () => {
    const ask = vi.fn(async () => {
      await sleep(300);
      return 'answer';
    });
    const answers = await Promise.all(Array.from({ length: 40 }, () => instance(ask)));
    expect(ask).toHaveBeenCalledTimes(1);
    expect(new Set(answers)).toEqual(new Set(['answer']));
  });

  it('is renewed by a slow holder, so that the work is not done twice', async () => {
    const ask = vi.fn(async () => {
      await sleep(LEASE_MS + 1_500);
      return 'late';
    });
    expect(await Promise.all([instance(ask), instance(ask)])).toEqual(['late', 'late']);
    expect(ask).toHaveBeenCalledTimes(1);
  });

  it('of a holder that died costs the others three seconds', async () => {
    let calls = 0;
    // The first call takes the lease; no other arrives.
    const dying = hindered(open(), async () => {
      calls += 1;
      if (calls > 1) await never();
    });
    void instance(async () => {
      await never();
      return '';
    }, dying);
    await expect.poll(() => open().get('test#lease')).toMatchObject({ holder: expect.any(String) });

    const startedAt = performance.now();
    expect(await instance(async () => 'answer')).toBe('answer');
    const waitedMs = performance.now() - startedAt;
    expect(waitedMs).toBeGreaterThan(LEASE_MS - 500);
    expect(waitedMs).toBeLessThan(2 * LEASE_MS);
  });

  it('belongs to its holder although the response to its write was lost', async () => {
    const table = open();
    const ask = vi.fn(async () => 'answer');
    const repeating: SharedTable = {
      get: (key) => table.get(key),
      async update(key, change) {
        await table.update(key, change);
        return table.update(key, change);
      },
    };
    const startedAt = performance.now();
    expect(await instance(ask, repeating)).toBe('answer');
    expect(performance.now() - startedAt).toBeLessThan(LEASE_MS);
    expect(ask).toHaveBeenCalledTimes(1);
  });

  it('passes an outage to callers that waited or come within three seconds, and then lets one try', async () => {
    const ask = vi.fn(async (): Promise<string> => {
      await sleep(200);
      throw new ApiError(502, 'The Provider answered 500');
    });
    const waiting = await Promise.allSettled(Array.from({ length: 10 }, () => instance(ask)));
    const later = await Promise.allSettled([instance(ask)]);
    for (const result of [...waiting, ...later])
      expect(result).toMatchObject({ status: 'rejected', reason: { statusCode: 502 } });
    expect(ask).toHaveBeenCalledTimes(1);

    await sleep(LEASE_MS + 100);
    expect(await instance(async () => 'answer')).toBe('answer');
  });

  it('does not pass on an error that only concerns one caller', async () => {
    const begun = Promise.withResolvers<void>();
    const refused = instance(async () => {
      begun.resolve();
      await sleep(200);
      throw new ApiError(404, 'No such coin');
    });
    await begun.promise;
    const other = instance(async () => 'answer');
    await expect(refused).rejects.toMatchObject({ statusCode: 404 });
    expect(await other).toBe('answer');
  });

  it('is released by an instance that finds a refusal in the store, so that the next one finds it at once', async () => {
    await instance(async () => 'answer');
    const refusing = () => {
      const options = {
        table: open(),
        key: 'test#lease',
        deadline: Date.now() + 10_000,
        title: 'The Provider',
      };
      return withLease(
        options,
        () => Promise.reject(new ApiError(404, 'No such coin')),
        async () => 'paid',
      );
    };
    const startedAt = performance.now();
    for (let instances = 0; instances < 5; instances += 1)
      await expect(refusing()).rejects.toMatchObject({ statusCode: 404 });
    expect(performance.now() - startedAt).toBeLessThan(LEASE_MS);
  });

  it('that does not end in time is a 504', async () => {
    const holder = instance(async () => {
      await sleep(1_000);
      return 'answer';
    });
    await expect.poll(() => open().get('test#lease')).toMatchObject({ holder: expect.any(String) });
    await expect(instance(async () => 'other', open(), 300)).rejects.toMatchObject({
      statusCode: 504,
      message: 'The Provider timed out: no answer in time',
    });
    expect(await holder).toBe('answer');
  });

  it('that is unavailable does not stop an instance', async () => {
    const failing = hindered(open(), async () => {
      throw new TableUnavailable('No table');
    });
    expect(await instance(async () => 'answer', failing)).toBe('answer');
  });
});
