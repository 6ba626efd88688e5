import { describe, expect, it, vi } from 'vitest';
import { objectNames } from '../../shared/marketdata/store/names.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/platform/time.ts';
import { putDays, storedCandle } from '../history/stored.ts';
import { withoutPace } from '../unhurried.ts';
import { addressOf, NOW, type TokenWorld, useTokenWorld } from './world.ts';

const A = `ethereum:${addressOf(1)}`;
const OTHER_A = `ethereum:${addressOf(9)}`;
const B = `ethereum:${addressOf(2)}`;
const STEP_MS = 10 * MINUTE_MS;
const midnight = NOW - (NOW % DAY_MS);

const world = useTokenWorld(['head-head', 'a-a', 'b-b']);

function begin(): TokenWorld {
  const one = world();
  one.putSnapshot(['head-head']);
  contract(1);
  one.quoted = { [A]: { price: 0.0001 }, [B]: { price: 1 } };
  return one;
}
/** Publishes a contract of a-a. */
function contract(index: number): void {
  world().putContracts({ ethereum: { [addressOf(index)]: 'a-a', [addressOf(2)]: 'b-b' } });
}
const priceOf = (id: string) => world().tail()[id]?.price;

/** Runs every ten minutes from here on; returns the published price of a-a after each of them. */
function runner(from = NOW) {
  let now = from;
  return {
    now: () => now,
    async run(count = 1): Promise<(number | undefined)[]> {
      const prices: (number | undefined)[] = [];
      for (let index = 0; index < count; index += 1) {
        await world().runAt(now);
        prices.push(priceOf('a-a'));
        now += STEP_MS;
      }
      return prices;
    },
    wait: (ms: number) => {
      now += ms;
    },
  };
}

describe('an unknown token', () => {
  it('has no price before three runs in a row brought about the same', async () => {
    const one = begin();
    const { run } = runner();
    expect(await run(4)).toEqual([undefined, undefined, 0.0001, 0.0001]);
    expect(one.samples('2026-09-18/0410-defillama')?.count).toBe(0);
    expect((await one.metrics()).TokensHeld).toBe(4);
  });

  it('has none while runs differ, or if one of them has none', async () => {
    const one = begin();
    const { run } = runner();
    const said: number[] = [0.0001, 0.0002, 0.0001, 0.0001];
    for (const price of said) {
      one.quoted[A] = { price };
      expect(await run()).toEqual([undefined]);
    }
    one.quoted[A] = { price: 0.0001, confidence: 0.1 };
    expect(await run()).toEqual([undefined]);
    one.quoted[A] = { price: 0.0001 };
    expect(await run(3)).toEqual([undefined, undefined, 0.0001]);
  });

  it('has its price at once if the provider agrees, and none if the provider’s is half of it', async () => {
    const one = begin();
    one.owned = { 'a-a': 0.00012, 'b-b': 0.5 };
    const { run } = runner();
    expect(await run()).toEqual([0.0001]);
    await run(5);
    expect(one.asked).toEqual(['/tickers/a-a', '/tickers/b-b']);
    expect(priceOf('b-b')).toBeUndefined();
  });

  it.each([0, DAY_MS - 1])(
    'has none for days if stored history contradicts it, whatever the time of that price (%d ms)',
    async (time) => {
      const one = begin();
      const lastAt = midnight - DAY_MS + time;
      putDays(one.s3, 'a-a', [storedCandle(midnight - DAY_MS, DAY_MS, 1, { lastAt })]);
      const { run, wait } = runner(midnight + time);
      for (let day = 0; day < 4; day += 1) {
        expect(await run()).toEqual([undefined]);
        wait(DAY_MS - STEP_MS);
      }
    },
  );

  it('counts a run once, for concurrent jobs and for a clock that jumps', async () => {
    const one = begin();
    await Promise.all([one.runAt(NOW), one.runAt(NOW), one.runAt(NOW)]);
    await one.runAt(NOW);
    expect(one.tail()).toEqual({});
    for (const now of [NOW - DAY_MS, NOW - DAY_MS + MINUTE_MS, NOW + 365 * DAY_MS, NOW]) {
      vi.resetModules(); // another container: this one keeps its pace by the clock
      withoutPace();
      await one.runAt(now);
      expect(one.tail()).toEqual({});
    }
    await one.runAt(NOW + STEP_MS);
    expect(Object.keys(one.tail())).toEqual(['a-a', 'b-b']);
  });
});

describe('a token price that tripled', () => {
  it('is held back, and the former one keeps its time, until three runs in a row agree', async () => {
    const one = begin();
    const { run, now } = runner();
    await run(3);
    const known = one.tail()['a-a'];
    one.quoted[A] = { price: 51.96 };

    expect(await run(2)).toEqual([0.0001, 0.0001]);
    expect(one.tail()['a-a']).toEqual(known);
    expect(one.tail()['b-b']).toMatchObject({ price: 1, takenAt: now() - STEP_MS });
    expect(await run(2)).toEqual([51.96, 51.96]);
  });

  it('is dropped if it was a mistake of one run', async () => {
    const one = begin();
    const { run } = runner();
    await run(3);
    for (const price of [51.96, 0.00011, 51.96, 60, 0.00012]) {
      one.quoted[A] = { price };
      await run();
      expect(priceOf('a-a')).toBeLessThan(0.0002);
    }
  });

  it('leaves no price after the former one has expired, until runs agree', async () => {
    const one = begin();
    const { run, wait } = runner();
    await run(3);
    const prices = [5, 50, 500, 5, 50, 500];
    for (const price of prices) {
      one.quoted[A] = { price };
      await run();
      wait(5 * HOUR_MS);
    }
    expect(priceOf('a-a')).toBeUndefined();
    one.quoted[A] = { price: 51.96 };
    expect(await run(3)).toEqual([undefined, undefined, 51.96]);
  });

  it('is published at once if the provider agrees', async () => {
    const one = begin();
    const { run } = runner();
    await run(3);
    one.owned = { 'a-a': 50 };
    one.quoted[A] = { price: 51.96 };
    expect(await run()).toEqual([51.96]);
  });

  it('is never published at twice the provider’s price', async () => {
    const one = begin();
    one.owned = { 'a-a': 0.0001 };
    const { run, wait } = runner();
    await run(3);
    one.quoted[A] = { price: 0.0002 };
    expect(await run(5)).toEqual(Array(5).fill(0.0001));
    wait(13 * HOUR_MS);
    expect(await run(2)).toEqual([undefined, undefined]);
    wait(20 * DAY_MS); // and asks again in between
    expect(await run(4)).toEqual(Array(4).fill(undefined));
    one.quoted[A] = { price: 0.000101 };
    expect(await run()).toEqual([0.000101]);
  });

  it('is withdrawn if the provider contradicts it', async () => {
    const one = begin();
    one.quoted[A] = { price: 51.96 };
    const { run } = runner();
    expect(await run(3)).toEqual([undefined, undefined, 51.96]);
    one.owned = { 'a-a': 0.0001 };
    expect(await run()).toEqual([undefined]);
  });
});

describe('a run that ends between two writes', () => {
  it.each([
    ['the tail is published, and the state of the price is not stored', '/sources/', 51.96],
    ['the state of the price is stored, and the tail is not published', '/snapshot/', 0.0001],
  ])('does no harm: %s', async (_what, lost, expected) => {
    const one = begin();
    const { run } = runner();
    await run(3);
    one.quoted[A] = { price: 51.96 };
    await run(2);
    const before = [...one.s3.objects].filter(([path]) => path.includes(lost));
    expect(await run()).toEqual([51.96]);
    for (const [path, bytes] of before) one.s3.objects.set(path, bytes);

    expect(await run(2)).toEqual([expected, expected]);
    expect(await run()).toEqual([51.96]);
  });
});

describe('a token whose contract has changed', () => {
  it('has no tripled price, in however many runs, before the provider agrees', async () => {
    const one = begin();
    const { run, wait } = runner();
    await run(3);
    contract(9);
    one.quoted[OTHER_A] = { price: 51.96 };

    expect(await run(5)).toEqual(Array(5).fill(0.0001));
    wait(DAY_MS);
    expect(await run(5)).toEqual(Array(5).fill(undefined));
    one.owned = { 'a-a': 52 };
    wait(8 * DAY_MS);
    expect(await run()).toEqual([51.96]);
    expect(await run()).toEqual([51.96]);
  });

  it.each([
    ['all notes', '/sources/', 0.0001],
    ['its tail', '/snapshot/', undefined],
  ])('has none either if %s is lost meanwhile', async (_what, lost, expected) => {
    const one = begin();
    const { run } = runner();
    await run(3);
    contract(9);
    one.quoted[OTHER_A] = { price: 51.96 };
    await run();
    for (const path of [...one.s3.objects.keys()])
      if (path.includes(lost) && !path.endsWith('/contracts') && !path.endsWith('/tickers'))
        one.s3.objects.delete(path);
    expect(await run(5)).toEqual(Array(5).fill(expected));
  });
});

it('prices are judged although the history cannot be read, and the run fails', async () => {
  const one = begin();
  const { run, now } = runner();
  await run(3);
  one.quoted[A] = { price: 0.00011 };
  one.s3.failing = `/bucket/history/${objectNames.series('24h', 'a-a', now())}`;
  vi.setSystemTime(now() + DAY_MS);
  await expect(one.runAt(now() + DAY_MS)).rejects.toThrow();
  expect(priceOf('a-a')).toBe(0.00011);
});
