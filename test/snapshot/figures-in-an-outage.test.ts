/** While the provider fails, prices come from exchanges, and everything else stays as it was last known. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LambdaHandler } from '../../shared/http/endpoint.ts';
import { HOUR_MS, MINUTE_MS } from '../../shared/platform/time.ts';
import { call } from '../pipeline/event.ts';
import { INTERVAL_MS, rowOf, type Truth, truthOf } from './lists.ts';
import { quotesOf, startTwoSides, type TwoSides } from './two-sides.ts';

const START = Date.UTC(2026, 10, 1, 12, 2);
const COINS = 40;

let sides: TwoSides;
beforeEach(async () => {
  sides = await startTwoSides(START);
});
afterEach(() => sides.close());

/** Every second coin is traded; in this world prices fall by 2 % in each of the first runs. */
const truthAt = (index: number, run: number): Truth => {
  const truth = truthOf(index, 0);
  const factor = 0.98 ** Math.min(run, 7);
  return { ...truth, price: truth.price * factor, factor };
};
const listAt = (run: number, time = START + run * INTERVAL_MS) =>
  Array.from({ length: COINS }, (_, index) => rowOf(index, truthAt(index, run), time));

async function quoteAt(run: number): Promise<void> {
  const quotes = Array.from({ length: COINS }, (_, index) => truthAt(index, run)).flatMap(
    ({ price, isTraded }, index) =>
      isTraded ? [[`coin-${index}`, quotesOf(price, price * 1.001)] as const] : [],
  );
  await sides.quote(START + run * INTERVAL_MS - MINUTE_MS, Object.fromEntries(quotes));
}

/** Both jobs of a run; the provider answers with this list, or fails. */
async function run(number: number, list: ReturnType<typeof listAt> | undefined): Promise<unknown> {
  await quoteAt(number);
  sides.provide(list);
  return sides.runAt(START + number * INTERVAL_MS).catch(String);
}

/** From a container that starts now. */
async function get(route: 'overview' | 'tickers' | 'ticker', query = '', id = '') {
  vi.resetModules();
  const handlers: Record<typeof route, () => Promise<{ readonly handler: LambdaHandler }>> = {
    overview: () => import('../../functions/marketdata/overview/handler.ts'),
    tickers: () => import('../../functions/marketdata/tickers/handler.ts'),
    ticker: () => import('../../functions/marketdata/ticker/handler.ts'),
  };
  const { handler } = await handlers[route]();
  const path = `/api/marketdata/${route}${id && `/${id}`}`;
  return call(handler, { path, query, ...(id && { pathParameters: { id } }) });
}
const idsBy = async (sort: string) => {
  const { body } = await get('tickers', `sort=${sort}&limit=100`);
  return (body as { data: { results: { ticker: { id: string } }[] } }).data.results.map(
    ({ ticker }) => ticker.id,
  );
};
const usdOf = (id: string) => sides.published().ticker(id)?.data.quotes.USD;

describe('an outage of half an hour', () => {
  it('moves no coin in a list and takes nothing from totals; figures say how old they are', async () => {
    await run(0, listAt(0));
    const [byRank, byVolume] = [await idsBy('rank'), await idsBy('volume')];
    for (const number of [1, 2, 3]) await run(number, undefined);

    expect(await idsBy('rank')).toEqual(byRank);
    expect(await idsBy('volume')).toEqual(byVolume);
    const { price, supply, volume } = truthAt(0, 3);
    const madeAt = new Date(START - MINUTE_MS).toISOString();
    expect(sides.published().ticker('coin-0')).toMatchObject({
      source: 'coinbase,kraken',
      data: { rank: 1, circulating_supply: supply, total_supply: supply * 1.1 },
    });
    expect(usdOf('coin-0')).toMatchObject({
      ...{
        price: expect.closeTo(price * 1.0005, 9),
        market_cap: expect.closeTo(price * 1.0005 * supply, -3),
      },
      ...{ volume_24h: expect.closeTo(truthAt(0, 0).volume, -3), figures_at: madeAt },
    });
    expect(volume).toBe(truthAt(0, 0).volume);
    expect((await get('ticker', '', 'coin-0')).headers).toMatchObject({ 'x-data-quality': 'exact' });

    const all = Array.from({ length: COINS }, (_, index) => index);
    const cap = all.reduce((sum, index) => {
      const own = truthAt(index, index % 2 === 0 ? 3 : 0);
      return sum + own.price * own.supply * (index % 2 === 0 ? 1.0005 : 1);
    }, 0);
    const overview = await get('overview');
    expect(overview).toMatchObject({
      headers: { 'x-data-quality': 'stale' },
      body: {
        data: { marketCap: { usd: expect.closeTo(cap, -6), coins: COINS }, volume24h: { coins: COINS } },
      },
    });
  });

  it('leaves no traces when the list is back', async () => {
    await run(0, listAt(0));
    for (const number of [1, 2, 3]) await run(number, undefined);
    expect(await run(4, listAt(4))).toMatchObject({ rows: COINS, carried: 0, held: [], figuresHeld: 0 });
    expect(usdOf('coin-0')).toMatchObject({ figures_at: null, price: truthAt(0, 4).price });
    expect((await get('overview')).headers).toMatchObject({ 'x-data-quality': 'exact' });
  });
});

describe('a feed that repeats itself with fresh headers', () => {
  it('is an outage after half an hour without news, and its data ends twelve hours after it was made', async () => {
    const frozen = listAt(0);
    await run(0, frozen);
    for (const number of [1, 2]) expect(await run(number, frozen)).toMatchObject({ rows: COINS });
    expect(await run(3, frozen)).toMatchObject({
      failover: expect.stringContaining('no news since 2026-11-01T12:01:00Z'),
    });
    expect(usdOf('coin-0')?.price).toBeCloseTo(truthAt(0, 3).price * 1.0005, 9);
    expect(sides.published().ticker('coin-1')).toMatchObject({
      data: { last_updated: frozen[1]?.last_updated },
    });
    expect((await get('ticker', '', 'coin-0')).headers).toMatchObject({ 'x-data-quality': 'exact' });

    for (const number of [4, 5, 6, 7]) await run(number, frozen);
    const overview = await get('overview');
    expect(overview).toMatchObject({
      headers: { 'x-data-quality': 'stale' },
      body: { data: { marketCap: { coins: COINS } } },
    });
    for (const hours of [12, 12.5]) await run(hours * 6, frozen);
    expect((await idsBy('rank')).length).toBe(COINS / 2);
    // Without a figure of the last twelve hours there is none.
    expect(usdOf('coin-0')).toMatchObject({ market_cap: null, volume_24h: null });
    expect((await get('overview')).body).toMatchObject({ data: { marketCap: { usd: null, coins: 0 } } });
  });

  it('may be a quarter of an hour old if it goes on', async () => {
    for (const number of [0, 1, 2, 3]) {
      const time = START + number * INTERVAL_MS - 20 * MINUTE_MS;
      expect(await run(number, listAt(number, time))).toMatchObject({ rows: COINS, carried: 0 });
    }
  });
});

describe('a clock', () => {
  it('that was ahead once leaves lists that are served, until the next one', async () => {
    await run(0, listAt(0));
    const later = START + 8 * HOUR_MS;
    await sides.quote(later - MINUTE_MS, {});
    // The machine believes that it is eight hours later; the list goes on.
    sides.provide(listAt(1));
    await sides.runAt(later);
    expect(sides.published().takenAt).toBeLessThan(START + HOUR_MS);
    vi.setSystemTime(START + 11 * MINUTE_MS);
    expect((await get('tickers')).status).toBe(200);
    expect(await run(2, listAt(2))).toMatchObject({ rows: COINS, carried: 0 });
  });

  it('that is set back by an hour makes prices stale, whose age is unknown, and no list unavailable', async () => {
    await run(0, listAt(0));
    vi.setSystemTime(START - HOUR_MS);
    expect(await get('tickers')).toMatchObject({
      status: 200,
      headers: { 'x-data-quality': 'stale', 'cache-control': expect.stringContaining('max-age=0') },
    });
    expect((await get('overview')).headers).toMatchObject({ 'x-data-quality': 'stale' });
    expect((await get('ticker', '', 'coin-0')).headers).toMatchObject({
      'x-data-quality': 'stale',
      'cache-control': expect.stringContaining('max-age=0'),
    });
  });
});
