import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { compileResponse } from '../../shared/http/compile-schemas.ts';
import { openSamples } from '../../shared/marketdata/store/samples.ts';
import { hoursIn } from '../../shared/marketdata/store/snapshot-hours.ts';
import { HOUR_MS, MINUTE_MS } from '../../shared/platform/time.ts';
import { call } from '../pipeline/event.ts';
import { quotesOf, startTwoSides, type TwoSides, tickerAt } from './two-sides.ts';

const START = Date.UTC(2026, 10, 1, 12);

describe('the second opinion', () => {
  let sides: TwoSides;
  beforeEach(async () => {
    sides = await startTwoSides(START);
  });
  afterEach(() => sides.close());

  const listAt = (time: number, price = 100) => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'];
    return ids.map((id) => tickerAt(id, id === 'a' ? price : 100, time));
  };
  async function ask(id: string) {
    const { handler } = await import('../../functions/marketdata/ticker/handler.ts');
    return call(handler, { path: `/api/marketdata/ticker/${id}`, pathParameters: { id } });
  }

  it('is published with each mapped coin, and is in the ticker', async () => {
    sides.provide(listAt(START));
    await sides.quote(START - 2 * MINUTE_MS, { a: quotesOf(100, 101, 103), gone: quotesOf(1) });
    await sides.runAt(START);

    const answer = await ask('a');
    const prices = [
      { exchange: 'coinbase', price: 100 },
      { exchange: 'kraken', price: 101 },
      { exchange: 'binance', price: 103 },
    ];
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'x-data-quality': 'exact', 'x-data-source': 'coinpaprika' },
      body: { data: { sources: { agreeing: 2, of: 3, spreadPercent: 2.9703, prices } } },
    });
    expect((await ask('b')).body).toMatchObject({ data: { sources: null } });
    const { route } = await import('../../functions/marketdata/ticker/route.ts');
    const { data } = answer.body as { data: unknown }; // an envelope, as just seen
    expect(compileResponse(route.response)(data)).toEqual([]);
    expect(sides.published().ticker('gone')).toBeUndefined();
  });

  it('marks a price as disputed that two markets contradict, and names both prices', async () => {
    sides.provide(listAt(START));
    await sides.quote(START, { a: quotesOf(120, 122), b: quotesOf(120), c: quotesOf(100, 100, 150) });

    expect(await sides.runAt(START)).toMatchObject({
      disputed: 1,
      disputes: ['a: 100 USD; 121 at coinbase, kraken'],
    });
    expect(await sides.metrics()).toMatchObject({ TickersDisputed: 1, SnapshotPublished: 1 });
    expect(await ask('a')).toMatchObject({
      headers: { 'x-data-quality': 'disputed', 'x-data-source': 'coinpaprika' },
      body: { data: { quotes: { USD: { price: 100 } }, sources: { agreeing: 0, of: 2 } } },
    });
    for (const id of ['b', 'c']) expect((await ask(id)).headers).toMatchObject({ 'x-data-quality': 'exact' });
  });

  it('keeps a disputed price out of hours and the running candle, and marked in the samples', async () => {
    const { priceNow } = await import('../../shared/marketdata/serve/price-now.ts');
    const { environment } = await import('../../shared/platform/environment.ts');
    for (const [index, price] of [100, 300, 101].entries()) {
      const time = START + index * 10 * MINUTE_MS;
      sides.provide(listAt(time, price));
      await sides.quote(time, { a: quotesOf(100, 100) });
      await sides.runAt(time);
      const options = { snapshot: sides.published(), maxAge: HOUR_MS };
      const now = await priceNow(environment(), 'a', options);
      expect(now?.ticker.quotes.USD.price).toBe(price === 300 ? undefined : price);
    }

    expect(hoursIn(sides.published(), 'a')).toEqual([
      expect.objectContaining({ open: 100, high: 101, low: 100, close: 101, samples: 2, quality: 'derived' }),
    ]);
    expect(hoursIn(sides.published(), 'b')).toEqual([
      expect.objectContaining({ samples: 3, quality: 'sampled' }),
    ]);
    const second = sides.s3.objects.get('/bucket/history/samples.v4/2026-11-01/1210') ?? Buffer.of();
    expect(openSamples(second).of('a')).toMatchObject({ price: 300, isUnconfirmed: true });
    expect(openSamples(second).of('b')).toMatchObject({ isUnconfirmed: false });
  });

  it('stays a dispute while no market speaks, until one agrees or the price returns', async () => {
    const qualityAt = async (run: number, price: number, ...markets: number[]) => {
      const time = START + run * 10 * MINUTE_MS;
      sides.provide(listAt(time, price));
      await sides.quote(time, markets.length > 0 ? { a: quotesOf(...markets) } : {});
      await sides.runAt(time);
      return sides.published().ticker('a')?.quality ?? 'exact';
    };
    expect(await qualityAt(0, 100, 100, 101)).toBe('exact');
    expect(await qualityAt(1, 150, 100, 101)).toBe('disputed');
    for (const run of [2, 3, 4, 5, 6]) expect(await qualityAt(run, 150)).toBe('disputed');
    expect(await qualityAt(7, 104)).toBe('exact');
    expect(await qualityAt(8, 150, 100, 100)).toBe('disputed');
    expect(await qualityAt(9, 150)).toBe('disputed');
    expect(await qualityAt(10, 151, 149)).toBe('exact');
    expect(await qualityAt(11, 152)).toBe('exact');
  });

  it('that is disputed is in totals with the last price that nobody contradicted', async () => {
    const { overviewOf } = await import('../../shared/marketdata/serve/overview.ts');
    const capped = (time: number, price: number) =>
      listAt(time, price).map((row) => ({
        ...row,
        quotes: { USD: { ...row.quotes.USD, market_cap: 10 * Number(row.quotes.USD.price) } },
      }));
    for (const [run, price] of [100, 300].entries()) {
      sides.provide(capped(START + run * 600_000, price));
      await sides.quote(START + run * 600_000, { a: quotesOf(100, 100) });
      await sides.runAt(START + run * 600_000);
    }
    const { figures, origin } = overviewOf(sides.published());
    expect(figures.marketCap).toEqual({ usd: 12_000, coins: 12 });
    expect(origin.quality).toBe('disputed');
  });

  it.each([
    ['older than two intervals', () => sides.quote(START - 20 * MINUTE_MS - 1, { a: quotesOf(120, 120) })],
    ['of the future', () => sides.quote(START + 5 * MINUTE_MS, { a: quotesOf(120, 120) })],
    ['damaged', async () => void sides.s3.objects.set('/bucket/sources/quotes.v2', Buffer.from('{'))],
    [
      'unreadable',
      async () => {
        sides.s3.failing = '/bucket/sources/quotes.v2';
      },
    ],
    ['of no bucket', async () => void vi.stubEnv('SOURCES_BUCKET', undefined)],
    ['missing', async () => {}],
  ])('is the only missing part if quotes are %s', async (_what, prepare) => {
    sides.provide(listAt(START));
    await prepare();

    expect(await sides.runAt(START)).toMatchObject({ rows: 12, disputed: 0 });
    expect(sides.published().ticker('a')).toMatchObject({ data: { sources: null } });
    expect(sides.published().ticker('a')?.quality).toBeUndefined();
  });
});
