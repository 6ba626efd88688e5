/** Each write that is applied on a connection which then dies, so that the table's client repeats it: at once, or late. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TableBudget } from '../../shared/coordination/budget.ts';
import { withLease } from '../../shared/coordination/lease.ts';
import { SourceLimits } from '../../shared/coordination/source-limits.ts';
import { ApiError } from '../../shared/http/errors.ts';
import { numberIn, type SharedTable, TableUnavailable, textIn } from '../../shared/platform/table.ts';
import { type CuttingProxy, startCuttingProxy, warmed } from './cutting-proxy.ts';
import { hindered, type OpenTable, useTables } from './tables.ts';

const newTable = useTables();
const LEASE_MS = 3_000;

let open: OpenTable;
let proxy: CuttingProxy;
/** Behind the proxy. */
let unlucky: SharedTable;
beforeEach(async () => {
  open = await newTable();
  proxy = await startCuttingProxy(open.server);
  unlucky = await warmed(open(proxy.url));
});
afterEach(async () => {
  vi.useRealTimers();
  await proxy.close();
});

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
/** Moves the wall clock; timers and the stopwatch go on. */
const pass = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });

describe('a lease', () => {
  const KEY = 'test#lease';
  let stored: string | undefined;
  beforeEach(() => {
    stored = undefined;
  });

  /** An instance that wants the thing. */
  function instance(
    table: SharedTable,
    work: (assertHeld: () => void) => Promise<string>,
    deadline = Date.now() + 60_000,
  ): Promise<string> {
    return withLease(
      { table, key: KEY, deadline, title: 'The Provider' },
      async () => stored,
      async (assertHeld) => {
        stored = await work(assertHeld);
        return stored;
      },
    );
  }
  const row = () => open().get(KEY);

  it.each([
    ['taken', 0],
    ['released', 1],
  ])('that is %s twice is held once and free afterwards', async (_, after) => {
    const work = vi.fn(async () => 'answer');
    const cut = proxy.cutWrite({ after });
    const startedAt = performance.now();
    expect(await instance(unlucky, work)).toBe('answer');
    await cut;

    expect(proxy.writes).toBe(3);
    expect(performance.now() - startedAt).toBeLessThan(LEASE_MS);
    expect(work).toHaveBeenCalledTimes(1);
    expect(await row()).toMatchObject({ doneAt: expect.any(Number) });
    expect(textIn(await row(), 'holder')).toBeUndefined();
  });

  it('that is renewed twice stays with its holder', async () => {
    const cut = proxy.cutWrite({ after: 1 });
    const work = vi.fn(async (assertHeld: () => void) => {
      await cut;
      await sleep(LEASE_MS);
      assertHeld();
      return 'answer';
    });
    const first = instance(unlucky, work);
    await expect.poll(row).toMatchObject({ holder: expect.any(String) });
    expect(await Promise.all([first, instance(open(), work)])).toEqual(['answer', 'answer']);
    expect(work).toHaveBeenCalledTimes(1);
  });

  describe('whose holder was frozen and lost it', () => {
    /** Another instance takes the lease over while the first one is frozen. */
    async function takeOver(work: () => Promise<string>): Promise<unknown> {
      pass(10_000);
      return instance(open(), work).catch((error: unknown) => error);
    }

    it('is not taken by the late repetition: the holder finds what the other one stored', async () => {
      const work = vi.fn(async () => 'paid twice');
      void proxy.cutWrite({ meanwhile: () => takeOver(async () => 'answer') });
      expect(await instance(unlucky, work)).toBe('answer');
      expect(work).not.toHaveBeenCalled();
    });

    it('is not taken by the late repetition while the other one works', async () => {
      const begun = Promise.withResolvers<void>();
      const work = vi.fn(async () => 'paid twice');
      let other: Promise<unknown> | undefined;
      const meanwhile = async () => {
        other = takeOver(async () => {
          begun.resolve();
          await sleep(500);
          return 'answer';
        });
        await begun.promise;
      };
      void proxy.cutWrite({ meanwhile });
      expect(await instance(unlucky, work)).toBe('answer');
      expect(await other).toBe('answer');
      expect(work).not.toHaveBeenCalled();
    });

    it('is taken anew, and not for a time that is over, if the other one found nothing', async () => {
      void proxy.cutWrite({
        meanwhile: () =>
          takeOver(async () => {
            throw new ApiError(404, 'No such coin');
          }),
      });
      let until = 0;
      await instance(unlucky, async () => {
        until = numberIn(await row(), 'until') ?? 0;
        return 'answer';
      });
      expect(until).toBeGreaterThan(Date.now() + LEASE_MS - 1_000);
    });

    it.each([
      ['extended', 1],
      ['released', 2],
    ])('is not %s by the late repetition', async (_, after) => {
      const end = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<void>();
      let other: Promise<unknown> | undefined;
      const cut = proxy.cutWrite({
        after,
        meanwhile: async () => {
          stored = undefined; // so that the other one has to work
          other = takeOver(async () => {
            begun.resolve();
            await end.promise;
            return 'answer';
          });
          await begun.promise;
        },
      });
      const first = instance(unlucky, async () => {
        await sleep(1_500);
        return 'slow';
      });
      await cut;
      const taken = await row();
      await first;
      await expect.poll(() => proxy.writes).toBeGreaterThan(after + 1);
      expect(await row()).toMatchObject({ holder: taken?.holder });
      expect(numberIn(await row(), 'until')).toBeGreaterThanOrEqual(numberIn(taken, 'until') ?? 0);
      end.resolve();
      expect(await other).toBe('answer');
    });

    it('is not worked on without a lease if the table fails after the freeze', async () => {
      const work = vi.fn(async () => 'paid twice');
      let calls = 0;
      const thawing = hindered(open(), async () => {
        calls += 1;
        if (calls > 1) return;
        await takeOver(async () => 'answer');
        throw new TableUnavailable('no answer within 200 ms');
      });
      expect(await instance(thawing, work)).toBe('answer');
      expect(work).not.toHaveBeenCalled();
    });

    it('lets the holder not pay: it takes the lease again, and finds the result', async () => {
      const paid = vi.fn();
      let isFrozen = true;
      const result = await instance(unlucky, async (assertHeld) => {
        if (isFrozen) {
          isFrozen = false;
          await takeOver(async () => 'answer');
        }
        assertHeld();
        paid();
        return 'paid twice';
      });
      expect(result).toBe('answer');
      expect(paid).not.toHaveBeenCalled();
    });
  });
});

describe('the limits of a source', () => {
  const KEY = 'test#limits';
  const source = {
    name: 'test',
    title: 'The Provider',
    limits: { requestsPerSecond: 10, per: 'instance' },
  } as const;
  const paced = { ...source, limits: { requestsPerSecond: 10, per: 'service' } } as const;
  let now: number;
  beforeEach(() => {
    now = 1_000_000;
  });
  const limits = (table: SharedTable, of: typeof source | typeof paced = source) =>
    new SourceLimits(of, table, () => now);
  const row = () => open().get(KEY);
  const fail = async (of: SourceLimits, paths = 3) => {
    for (let n = 0; n < paths; n += 1) await of.noteTrouble(`/tickers/coin-${n}`);
  };
  const isRefused = (checking: Promise<void>) =>
    checking.then(
      () => false,
      () => true,
    );

  it('give the turn to try after a pause to the instance that took it twice, and to no other', async () => {
    const first = limits(unlucky);
    await fail(first);
    now += 30_000;
    const cut = proxy.cutWrite();
    expect(await isRefused(first.check())).toBe(false);
    await cut;
    expect(await isRefused(limits(open()).check())).toBe(true);
  });

  it('give no turn to an instance whose write arrives again after another one’s turn has come', async () => {
    const first = limits(unlucky);
    await fail(first);
    now += 30_000;
    const others: boolean[] = [];
    void proxy.cutWrite({
      meanwhile: async () => {
        now += 30_000;
        others.push(await isRefused(limits(open()).check()));
      },
    });
    expect(await isRefused(first.check())).toBe(true);
    expect(others).toEqual([false]);
  });

  it('keep a pause that is demanded twice as it is', async () => {
    const cut = proxy.cutWrite();
    await limits(unlucky).noteLimit(60_000);
    await cut;
    expect(await row()).toMatchObject({ until: now + 60_000, pausedUntil: now + 60_000, limited: 1 });
  });

  it('count a failure that is noted twice once', async () => {
    const cut = proxy.cutWrite();
    await fail(limits(unlucky), 2);
    await cut;
    expect(await row()).not.toHaveProperty('until');
  });

  it('end a pause with a success that is noted twice, but not one that began meanwhile', async () => {
    const first = limits(unlucky);
    await fail(first);
    now += 30_000;
    await first.check();
    const cut = proxy.cutWrite();
    await first.noteSuccess(now);
    await cut;
    expect(await row()).not.toHaveProperty('until');

    await fail(first);
    now += 30_000;
    await first.check();
    void proxy.cutWrite({ meanwhile: () => limits(open()).noteLimit(3_600_000) });
    await first.noteSuccess(now);
    expect(await row()).toMatchObject({ until: now + 3_600_000 });
  });

  it('reserve the time of one block for a reservation that is made twice', async () => {
    const first = limits(unlucky, paced);
    const cut = proxy.cutWrite();
    expect(await first.mayStart(10_000)).toBe(true);
    await cut;
    expect(await row()).toMatchObject({ paceUntil: now + 1_000 });
  });

  it('reserve another block, after those of others, if the repetition comes after them', async () => {
    const first = limits(unlucky, paced);
    let others = 0;
    void proxy.cutWrite({
      meanwhile: async () => {
        now += 10_000;
        await limits(open(), paced).mayStart(10_000);
        others = numberIn(await row(), 'paceUntil') ?? 0;
      },
    });
    // Its turn is later than it can wait for, and it does not start in another's time.
    expect(await first.mayStart(500)).toBe(false);
    expect(numberIn(await row(), 'paceUntil')).toBeGreaterThanOrEqual(others);
  });
});

it('a write is not repeated after its time limit, when its process was frozen', async () => {
  const cut = proxy.cutWrite({ meanwhile: async () => pass(30_000) });
  await expect(unlucky.update('row', { set: { at: 1 } })).rejects.toMatchObject({
    kind: 'timeout',
  });
  await cut;
  expect(proxy.writes).toBe(1);
});

describe('a budget', () => {
  const plan = { monthly: 3_100, scheduledDaily: 0, clientPercent: 10 };
  const now = Date.parse('2026-11-21T23:50:00Z');
  const KEY = 'test#quota#2026-11';
  const budget = (table: SharedTable, of = plan) =>
    new TableBudget({ provider: 'test', table, plan: of, now: () => now });
  const row = () => open().get(KEY);

  it('counts a request twice at most, and never spends more than it has', async () => {
    const first = budget(unlucky);
    const cut = proxy.cutWrite();
    expect(await first.reserve()).toEqual({ allowed: true });
    await cut;
    expect(await row()).toMatchObject({ spent: 2, d21: 2 });

    let granted = 1;
    for (; granted < 200; granted += 1) {
      void proxy.cutWrite().catch(() => {});
      if (!(await first.reserve()).allowed) break;
    }
    expect(granted).toBeLessThanOrEqual(100);
    expect(await row()).toMatchObject({ spent: 100, d21: 100 });
  });

  it('counts a client’s request twice at most, and returns it twice at most', async () => {
    const first = budget(unlucky);
    const cut = proxy.cutWrite();
    expect(await first.reserve('demand', 'page')).toEqual({ allowed: true });
    await cut;
    let more = 0;
    while ((await first.reserve('demand', 'page')).allowed) more += 1;
    expect(more).toBe(8);
    expect(await row()).toMatchObject({ spent: 9 });
  });

  it('takes the provider’s count once', async () => {
    const first = budget(unlucky);
    await first.reserve();
    const cut = proxy.cutWrite();
    await first.reconcile(500);
    await cut;
    expect(await row()).toMatchObject({ spent: 2_600, elsewhere: 2_599 });
    expect(first.usage).toMatchObject({ month: 2_600 });
  });
});
