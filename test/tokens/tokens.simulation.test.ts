import { describe, expect, it } from 'vitest';
import { tailChanges } from '../../shared/marketdata/store/tail.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/platform/time.ts';
import { storedIn } from '../history/read.ts';
import { putDays, storedCandle } from '../history/stored.ts';
import { respondJson } from '../pipeline/loopback.ts';
import { addressOf, NOW, type TokenWorld, useTokenWorld } from './world.ts';

const midnight = NOW - (NOW % DAY_MS);
const A = `ethereum:${addressOf(1)}`;
const A_ON_BSC = `bsc:${addressOf(1)}`;
const B = `ethereum:${addressOf(2)}`;
const C = `ethereum:${addressOf(3)}`;

const world = useTokenWorld(['head-head', 'a-a', 'b-b', 'c-c', 'native-native'], ['gone-gone']);

function begin(quoted: TokenWorld['quoted']): TokenWorld {
  const one = world();
  one.putSnapshot(['head-head']);
  one.putContracts({
    ethereum: {
      [addressOf(1)]: 'a-a',
      [addressOf(2)]: 'b-b',
      [addressOf(3)]: 'c-c',
      [addressOf(4)]: 'head-head',
      [addressOf(5)]: 'gone-gone',
    },
    bsc: { [addressOf(1)]: 'a-a' },
  });
  one.quoted = quoted;
  return one;
}
const unchanged = Object.fromEntries(Object.keys(tailChanges).map((name) => [name, null]));

describe('the tail', () => {
  it('has the prices by contract of active coins that the snapshot does not list, and samples of them', async () => {
    const one = begin({ [A]: { price: 2 }, [B]: { price: 0.5, at: NOW - 2 * HOUR_MS } });

    expect(await one.thirdRunAt(NOW)).toMatchObject({ coins: 3, rows: 2, carried: 0, held: 0 });
    expect(one.source.requests[0]).toBe(`/prices/current/${A},${A_ON_BSC},${B},${C}?searchWidth=6h`);
    expect(one.tail()).toEqual({
      'a-a': { id: 'a-a', price: 2, at: NOW - MINUTE_MS, takenAt: NOW, changes: unchanged },
      'b-b': { id: 'b-b', price: 0.5, at: NOW - 2 * HOUR_MS, takenAt: NOW, changes: unchanged },
    });
    const samples = one.samples('2026-09-18/0410-defillama');
    // A price of two hours ago is that of an earlier slot.
    expect(samples).toMatchObject({ source: 'defillama', takenAt: NOW, intervalSeconds: 600 });
    expect(samples?.count).toBe(1);
    expect(samples?.of('a-a')).toMatchObject({
      id: 'a-a',
      price: 2,
      volume: null,
      market_cap: null,
      source: 'defillama',
    });
  });

  it('has changes as far as there are samples', async () => {
    const one = begin({ [A]: { price: 1 } });
    await one.thirdRunAt(NOW - HOUR_MS);
    one.quoted = { [A]: { price: 1.6 } };
    await one.runAt(NOW - 30 * MINUTE_MS);
    one.quoted = { [A]: { price: 2 } };
    await one.runAt(NOW);

    expect(one.tail()['a-a']?.changes).toEqual({
      ...unchanged,
      percent_change_30m: 25,
      percent_change_1h: 100,
    });
  });

  it('has no change of 15 minutes that is one of 20', async () => {
    const one = begin({ [A]: { price: 1 } });
    await one.thirdRunAt(NOW - 20 * MINUTE_MS);
    one.quoted = { [A]: { price: 1.1 } };
    await one.runAt(NOW);

    expect(one.tail()['a-a']?.changes).toEqual(unchanged);
  });

  it.each([
    ['with too little confidence', { [A]: { price: 2, confidence: 0.89 } }],
    ['of long ago', { [A]: { price: 2, at: NOW - 6 * HOUR_MS - 1000 } }],
    ['that differ between two chains', { [A]: { price: 2 }, [A_ON_BSC]: { price: 2.2 } }],
  ])('has no prices %s', async (_what, quoted) => {
    const one = begin({ ...quoted, [B]: { price: 1 } });
    await one.thirdRunAt(NOW);
    expect(Object.keys(one.tail())).toEqual(['b-b']);
  });

  it.each([
    ['a list for a token', [], 'RowsUnreadable'],
    ['a price of nothing', { price: 0, timestamp: NOW / 1000, confidence: 0.99 }, 'ImplausiblePrice'],
  ])('leaves out one coin, and counts it, if the source has %s', async (_what, wrong, counted) => {
    const one = begin({ [A]: { price: 2, days: 3 }, [B]: { price: 1 } });
    one.source.answer((request, response) => {
      const { coins } = one.answerTo(request.url ?? '') as { coins: object };
      respondJson({ coins: { ...coins, [B]: wrong } })(request, response);
    });
    expect(await one.thirdRunAt(NOW)).toMatchObject({ rows: 1 });
    expect(Object.keys(one.tail())).toEqual(['a-a']);
    expect((await one.metrics())[counted]).toBeGreaterThanOrEqual(3);
  });

  it('has the median of the agreeing contracts', async () => {
    const one = begin({ [A]: { price: 2 }, [A_ON_BSC]: { price: 2.04, at: NOW - HOUR_MS } });
    await one.thirdRunAt(NOW);
    expect(one.tail()['a-a']).toMatchObject({ price: 2.02, at: NOW - MINUTE_MS });
  });

  it('has no price of another coin’s contract, and counts it, until the provider agrees', async () => {
    const one = begin({ [A]: { price: 3.1 }, [B]: { price: 1 } });
    const days = (price: number, count: number) =>
      Array.from({ length: count }, (_, index) =>
        storedCandle(midnight - (count - index) * DAY_MS, DAY_MS, price, { high: price, close: price }),
      );
    putDays(one.s3, 'a-a', days(1, 3));
    expect(await one.thirdRunAt(NOW)).toMatchObject({ held: 1, rows: 1 });
    expect((await one.metrics()).TokensHeld).toBe(5);
    expect(Object.keys(one.tail())).toEqual(['b-b']);

    // It was refused for good reason, however old that is by now.
    expect(await one.runAt(NOW + 5 * DAY_MS)).toMatchObject({ held: 1 });
    putDays(one.s3, 'a-a', [...days(1, 3), storedCandle(midnight + 5 * DAY_MS, DAY_MS, 3)]);
    expect(await one.runAt(NOW + 6 * DAY_MS)).toMatchObject({ held: 0, rows: 2 });
  });

  it('fetches the price of a coin without history from the provider once', async () => {
    const one = begin({ [A]: { price: 3.1 }, [B]: { price: 1 } });
    one.owned = { 'a-a': 1, 'b-b': 1.2 };
    await one.runAt(NOW);
    expect(one.asked).toEqual(['/tickers/a-a']);

    expect(await one.runAt(NOW + 10 * MINUTE_MS)).toMatchObject({ held: 1, rows: 1 });
    expect(one.asked).toEqual(['/tickers/a-a', '/tickers/b-b']);
    expect(await one.runAt(NOW + 6 * DAY_MS)).toMatchObject({ held: 1 });
    expect(one.asked).toHaveLength(2);
    one.owned = { 'a-a': 3 };
    expect(await one.runAt(NOW + 8 * DAY_MS)).toMatchObject({ held: 0, rows: 2 });
    expect(one.asked.slice(2)).toEqual(['/tickers/a-a']);
  });

  it('keeps the last price of a coin without a usable one for half a day', async () => {
    const one = begin({ [A]: { price: 2 }, [B]: { price: 1 } });
    await one.thirdRunAt(NOW);
    one.quoted = { [B]: { price: 1 } };

    expect(await one.runAt(NOW + 10 * MINUTE_MS)).toMatchObject({ rows: 2, carried: 1 });
    expect(one.tail()['a-a']).toMatchObject({ price: 2, takenAt: NOW });
    await one.runAt(NOW + 12 * HOUR_MS + 19 * MINUTE_MS);
    expect(Object.keys(one.tail())).toEqual(['a-a', 'b-b']);
    await one.runAt(NOW + 12 * HOUR_MS + 20 * MINUTE_MS);
    expect(Object.keys(one.tail())).toEqual(['b-b']);
  });

  it('drops a coin that the snapshot lists', async () => {
    const one = begin({ [A]: { price: 2 }, [B]: { price: 1 } });
    await one.thirdRunAt(NOW);
    one.putSnapshot(['head-head', 'a-a']);
    await one.runAt(NOW + 10 * MINUTE_MS);
    expect(Object.keys(one.tail())).toEqual(['b-b']);
  });

  it('stays unchanged if all prices jump at once, or the source fails', async () => {
    const one = begin({ [A]: { price: 2 }, [B]: { price: 1 } });
    await one.thirdRunAt(NOW);
    const before = one.tail();
    one.quoted = { [A]: { price: 200 }, [B]: { price: 100 } };
    await expect(one.runAt(NOW + 10 * MINUTE_MS)).rejects.toThrow('a tenth of all token prices jumped');
    one.source.answer(respondJson({}, 500));
    await expect(one.runAt(NOW + 20 * MINUTE_MS)).rejects.toThrow('DefiLlama answered 500');
    one.source.answer(respondJson({ coins: { [A]: { price: '2', timestamp: 1, confidence: 1 } } }));
    await expect(one.runAt(NOW + 30 * MINUTE_MS)).rejects.toThrow('price is not a number');
    expect(one.tail()).toEqual(before);
    expect(one.samples('2026-09-18/0420-defillama')).toBeUndefined();
  });
});

it('the tail is published again after a pause in which all prices moved, each once runs agree on it', async () => {
  const one = begin({ [A]: { price: 2 }, [B]: { price: 1 } });
  await one.thirdRunAt(NOW - 2 * HOUR_MS);
  one.quoted = { [A]: { price: 200 }, [B]: { price: 100 } };
  await one.thirdRunAt(NOW);
  expect(Object.values(one.tail()).map(({ price }) => price)).toEqual([200, 100]);
});

describe('the past of a coin of the tail', () => {
  const daysOf = async (id: string) =>
    (await storedIn('bucket').daily(id)) ?? { candles: [], coverage: undefined };
  const charts = () => world().source.requests.filter((path) => path.startsWith('/chart/'));

  it('is fetched once, ten tokens a request, and stored as derived days up to yesterday', async () => {
    const one = begin({ [A]: { price: 2, days: 3 }, [B]: { price: 1, days: 400 } });
    await one.thirdRunAt(NOW);
    expect(await one.runPast()).toEqual({ stored: 2, nothing: 0 });
    await one.runPast();

    expect(charts()).toEqual([
      expect.stringMatching(`^/chart/${A},${A_ON_BSC},${B}\\?start=\\d+&span=365&period=1d`),
    ]);
    const { candles, coverage } = await daysOf('a-a');
    expect(coverage).toEqual({ from: midnight - 365 * DAY_MS, to: midnight });
    expect(candles).toEqual(
      [2.04, 2.02, 2].map((close, index) =>
        expect.objectContaining({
          opensAt: midnight - (3 - index) * DAY_MS,
          close,
          open: [2.04, 2.04, 2.02][index],
          quality: 'derived',
          source: 'defillama',
          volume: null,
          samples: 0,
        }),
      ),
    );
    expect((await daysOf('b-b')).candles).toHaveLength(365);
  });

  it('is not fetched if a provider was called, nor stored if it ends far from the price', async () => {
    const one = begin({ [A]: { price: 2, days: 3 }, [B]: { price: 1, days: 3 } });
    putDays(one.s3, 'a-a', [], { from: midnight - 365 * DAY_MS, to: midnight });
    one.source.answer((request, response) => {
      const isChart = request.url?.startsWith('/chart/');
      const prices = [{ timestamp: midnight / 1000, price: 4 }];
      const coin = isChart
        ? { confidence: 0.99, prices }
        : { price: 1, timestamp: Date.now() / 1000, confidence: 0.99 };
      respondJson({ coins: { [B]: coin, ...(!isChart && { [A]: coin }) } })(request, response);
    });

    await one.thirdRunAt(NOW);
    expect(await one.runPast()).toEqual({ stored: 0, nothing: 1 });
    expect(charts()).toEqual([expect.stringContaining(`/chart/${B}?`)]);
    expect((await daysOf('b-b')).candles).toEqual([]);
  });

  it('is that of the contract whose history ends near the published price', async () => {
    const one = begin({ [A]: { price: 2 } });
    await one.thirdRunAt(NOW);
    one.quoted = { [A]: { price: 2, days: 3 }, [A_ON_BSC]: { price: 90, days: 300 } };
    expect(await one.runPast()).toEqual({ stored: 1, nothing: 0 });
    expect((await daysOf('a-a')).candles.map(({ close }) => close)).toEqual([2.04, 2.02, 2]);
  });
});
