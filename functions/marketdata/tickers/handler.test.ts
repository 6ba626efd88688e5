import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { publicFor } from '../../../shared/http/cache-control.ts';
import type { DataOf } from '../../../shared/http/route.ts';
import {
  coinOf,
  type Figures,
  HOUR_MS,
  MADE_AT,
  MINUTE_MS,
  NOW,
  rowOf,
  SNAPSHOT,
  TAIL,
  useBatchWorld,
} from '../../../test/batch/world.ts';
import { commonHeaders, failure, refusalHeaders } from '../../../test/pipeline/event.ts';
import { underTest } from '../../../test/pipeline/under-test.ts';
import { route } from './route.ts';

const world = useBatchWorld();
const odd = [
  'toto-totoro-inu-?',
  '战旗-战旗',
  '-doggotothemoon',
  'xch-chia-',
  'mobilecoin',
  'a&b=c#d%41+e',
  'ü "\\',
];
const shared = Array.from({ length: 65 }, (_, index) =>
  coinOf(`cat-${index}`, { symbol: 'CAT', rank: 100 + ((index + 40) % 65) }),
);
const coins = [
  coinOf('btc-bitcoin', { symbol: 'BTC' }),
  coinOf('eth-ethereum', { symbol: 'ETH', rank: 2 }),
  coinOf('zbcn-zebec', { symbol: 'ZBCN ', rank: 3 }),
  coinOf('usd-plus', { symbol: 'USD+', rank: 4 }),
  coinOf('tail-coin', { symbol: 'TAIL', rank: 5 }),
  coinOf('other-tail', { symbol: 'OTAIL', rank: 6 }),
  coinOf('priceless', { symbol: 'NONE', rank: 7 }),
  coinOf('nowhere', { symbol: 'NOWHERE', rank: 8 }),
  coinOf('gone', { symbol: 'GONE', rank: 9, is_active: false }),
  ...odd.map((id) => coinOf(id)),
  ...shared,
];
const rows = ['btc-bitcoin', 'eth-ethereum', 'zbcn-zebec', 'usd-plus', 'cat-25', ...odd].map((id, index) =>
  rowOf(id, { price: index + 1 }),
);

beforeEach(async () => {
  await world().putRegistry(coins);
  world().putSnapshot([...rows, rowOf('priceless', { price: null })]);
});
afterEach(() => expect(world().asked).toEqual([]));

const served = underTest(route, () => import('./handler.ts'));
const listed = (items: readonly string[]) => items.map(encodeURIComponent).join(',');
const ask = (query: string) => served.ask({ query });
async function data(query: string): Promise<Data> {
  const data = await served.dataOf({ query });
  expect(data.count).toBe(data.results.length);
  return data;
}
type Data = DataOf<typeof route>;
const pricesOf = ({ results }: Data) =>
  results.map((result) => ('ticker' in result ? result.ticker?.quotes.USD.price : result.error));

describe('tickers by ids', () => {
  it('come in the requested order, repeated ones too, with source, quality and time', async () => {
    const { status, headers, body } = await ask('ids=eth-ethereum,btc-bitcoin,eth-ethereum');

    const dataTime = new Date(MADE_AT).toISOString();
    const item = (id: string, price: number) => {
      return { id, ticker: rowOf(id, { price }), quality: 'exact', source: 'coinpaprika', dataTime };
    };
    const [first, second] = [item('eth-ethereum', 2), item('btc-bitcoin', 1)];
    expect({ status, headers, body }).toEqual({
      status: 200,
      headers: {
        ...commonHeaders(100),
        'x-data-source': 'coinpaprika',
        'x-data-quality': 'exact',
        'x-data-time': dataTime,
        'cache-control': publicFor(600),
      },
      body: { success: true, data: { count: 3, results: [first, second, first] } },
    });
  });

  it('have an error with the next step in the place of an unknown coin or a missing ticker', async () => {
    const { results } = await data('ids=no-coin,btc-bitcoin,nowhere,gone');

    const next = (id: string) =>
      `No ticker of ${id} is available; GET /api/marketdata/ticker/${id} fetches it`;
    expect(results).toEqual([
      { id: 'no-coin', error: 'Unknown coin id: no-coin' },
      expect.objectContaining({ id: 'btc-bitcoin', quality: 'exact' }),
      { id: 'nowhere', error: next('nowhere') },
      { id: 'gone', error: next('gone') },
    ]);
  });

  it('without any result have no source and are not cached', async () => {
    const { status, headers } = await ask('ids=no-coin');
    expect([status, headers]).toEqual([200, { ...commonHeaders(100), 'cache-control': publicFor(0) }]);
  });
});

describe('tickers by symbols', () => {
  it('follow the registry’s rule and repeat the requested symbol', async () => {
    const { results } = await data(
      `symbols=btc,${listed(['ZBCN', ' zbcn ', 'USD+', 'Cat', 'NOSUCH', 'nowhere'])}`,
    );

    expect(
      results.map((item) => ({
        asked: item.asked,
        id: item.id,
        error: 'error' in item ? item.error : undefined,
      })),
    ).toEqual([
      { asked: 'btc', id: 'btc-bitcoin' },
      { asked: 'ZBCN', id: 'zbcn-zebec' },
      { asked: ' zbcn ', id: 'zbcn-zebec' },
      { asked: 'USD+', id: 'usd-plus' },
      { asked: 'Cat', id: 'cat-25' },
      { asked: 'NOSUCH', error: 'Unknown symbol: NOSUCH' },
      {
        asked: 'nowhere',
        id: 'nowhere',
        error: 'No ticker of nowhere is available; GET /api/marketdata/ticker/nowhere fetches it',
      },
    ]);
  });
});

describe('without a registry', () => {
  beforeEach(async () => {
    await world().putRegistry(undefined);
  });

  it('ids of the snapshot are served', async () => {
    const { results } = await data('ids=btc-bitcoin,no-coin');
    expect(results).toMatchObject([
      { id: 'btc-bitcoin', quality: 'exact' },
      {
        id: 'no-coin',
        error: 'No ticker of no-coin is available; GET /api/marketdata/ticker/no-coin fetches it',
      },
    ]);
  });

  it('symbols are a 503', async () => {
    expect(await ask('symbols=BTC')).toEqual({
      status: 503,
      headers: { ...refusalHeaders(100), 'retry-after': '10' },
      body: failure('The coin registry is not available; try again later'),
    });
  });
});

describe('coins of the tail', () => {
  it('come with those of the snapshot, from one read of the tail', async () => {
    world().putTail({ 'tail-coin': 7, 'other-tail': 8 });
    const { headers, body } = await ask('ids=tail-coin,btc-bitcoin,other-tail,tail-coin');

    expect(pricesOf((body as { data: Data }).data)).toEqual([7, 1, 8, 7]);
    expect(headers).toMatchObject({
      'x-data-source': 'defillama,coinpaprika',
      'x-data-quality': 'exact',
      'x-data-time': new Date(NOW - 2 * MINUTE_MS).toISOString(),
      'cache-control': publicFor(540),
    });
    expect(world().s3.requests.filter((request) => request === `GET ${TAIL}`)).toHaveLength(1);
  });

  it('have the price of the snapshot if they are in both', async () => {
    world().putTail({ 'btc-bitcoin': 7 });
    const { headers, body } = await ask('ids=btc-bitcoin');
    expect(pricesOf((body as { data: Data }).data)).toEqual([1]);
    expect(headers).toMatchObject({ 'x-data-source': 'coinpaprika' });
  });
});

describe('the weakest quality of a response', () => {
  it('is in its headers: a disputed price', async () => {
    world().putSnapshot(rows, { disputed: new Set(['eth-ethereum']) });
    const { headers, body } = await ask('ids=btc-bitcoin,eth-ethereum');
    expect(headers).toMatchObject({ 'x-data-quality': 'disputed', 'cache-control': publicFor(600) });
    expect(body).toMatchObject({ data: { results: [{ quality: 'exact' }, { quality: 'disputed' }] } });
    expect((await ask('ids=btc-bitcoin')).headers).toMatchObject({ 'x-data-quality': 'exact' });
  });

  it('is that of a row carried over from an earlier snapshot', async () => {
    const takenAt = NOW - HOUR_MS;
    const others = [{ ticker: rowOf('eth-ethereum', {}, takenAt), takenAt, source: 'kraken' }];
    world().putSnapshot([rowOf('btc-bitcoin')], { others });
    const { headers, body } = await ask('ids=btc-bitcoin,eth-ethereum');
    expect(headers).toMatchObject({
      'x-data-source': 'coinpaprika,kraken',
      'x-data-quality': 'stale',
      'x-data-time': new Date(takenAt).toISOString(),
      'cache-control': publicFor(0),
    });
    expect(body).toMatchObject({ data: { results: [{ quality: 'exact' }, { quality: 'stale' }] } });
  });

  it('is stale for twelve hours when the next snapshots are missing', async () => {
    vi.setSystemTime(NOW + 20 * MINUTE_MS);
    expect((await ask('ids=btc-bitcoin')).headers).toMatchObject({ 'x-data-quality': 'stale' });
    vi.setSystemTime(NOW + 20 * MINUTE_MS + 12 * HOUR_MS);
    expect(pricesOf(await data('ids=btc-bitcoin'))).toEqual([expect.stringContaining('No ticker of')]);
    expect(await ask('')).toMatchObject({ status: 503 });
  });
});

describe('the list', () => {
  const figures: Record<string, Figures> = {
    a: { rank: 3, volume: 10, change: -5 },
    b: { rank: 1, volume: null, change: 20 },
    c: { rank: 2, volume: 30, change: null },
    d: { volume: 10, change: 0 },
    e: { rank: 2, volume: 30, change: 0 },
    f: { volume: 0, change: 1e300 },
  };
  const put = (all: Record<string, Figures>, takenAt = NOW) => {
    const tickers = Object.entries(all).map(([id, own]) => rowOf(id, own));
    world().putSnapshot(tickers, { takenAt });
  };
  const idsOf = ({ results }: Data) => results.map(({ id }) => id).join('');
  beforeEach(async () => {
    put(figures);
  });

  it.each([
    ['', 'bceadf'],
    ['sort=rank', 'bceadf'],
    ['sort=volume', 'ceadfb'],
    ['sort=change_24h', 'fbedac'],
  ])('has unknown values last, and ties in the order of ranks and then ids: %s', async (query, expected) => {
    const all = await data(query);
    expect([idsOf(all), all.nextCursor]).toEqual([expected, null]);
  });

  it.each(['rank', 'volume', 'change_24h'])('comes in pages without repetition, by %s', async (sort) => {
    expect(await walk(`sort=${sort}&limit=2`)).toBe(idsOf(await data(`sort=${sort}`)));
    expect(await walk(`sort=${sort}&limit=1`)).toBe(idsOf(await data(`sort=${sort}`)));
  });

  it('skips and repeats no coin with unchanged figures while the snapshot changes', async () => {
    const first = await data('sort=volume&limit=2');
    expect(idsOf(first)).toBe('ce');
    // The cursor's own coin falls a little, one coin is added before it, one after it, and one is gone.
    const { d: _gone, ...others } = figures;
    const changed = { e: { rank: 2, volume: 29 }, n: { volume: 99 }, m: { volume: 5 } };
    put({ ...others, ...changed }, NOW + 10 * MINUTE_MS);
    vi.setSystemTime(NOW + 10 * MINUTE_MS + 20_000);
    await expect.poll(async () => idsOf(await data('sort=volume'))).toBe('nceamfb');

    expect(await walk('sort=volume&limit=2', first.nextCursor)).toBe('amfb');
  });

  /** All ids from a cursor on. */
  async function walk(query: string, from?: string | null): Promise<string> {
    let [ids, cursor] = ['', from];
    do {
      const page = await data(cursor ? `${query}&cursor=${cursor}` : query);
      ids += idsOf(page);
      cursor = page.nextCursor;
    } while (cursor);
    return ids;
  }

  it('is a 503 with the next step without a snapshot', async () => {
    world().s3.objects.delete(SNAPSHOT);
    served.renew();
    expect(await ask('sort=volume')).toEqual({
      status: 503,
      headers: { ...refusalHeaders(100), 'retry-after': '10' },
      body: failure(
        'No list of tickers is available; try again soon, or fetch single coins from /api/marketdata/ticker/{id}',
      ),
    });
  });

  it('accepts only its own cursors', async () => {
    const { nextCursor } = await data('limit=1');
    const isOf = (sort: string) =>
      `Invalid parameter cursor: "${nextCursor}"; allowed: one that sort=${sort} gave`;
    expect((await ask(`sort=volume&cursor=${nextCursor}`)).body).toEqual(failure(isOf('volume')));
    for (const text of ['x', '{}', '[]', '["rank","1",1,"a"]', '["rank",1,1]', '["rank",1,null,7]']) {
      const cursor = Buffer.from(text).toString('base64url');
      expect(await ask(`cursor=${cursor}`)).toMatchObject({
        status: 400,
        body: failure(`Invalid parameter cursor: "${cursor}"; allowed: nextCursor of the page before`),
      });
    }
  });
});

describe('a refusal', () => {
  const many = Array(101).fill('btc-bitcoin').join(',');

  it.each([
    [
      'both',
      'ids=a&symbols=B',
      'Invalid parameter symbols: given together with ids; allowed: one of the two',
    ],
    ['101 ids', `ids=${many}`, 'Invalid parameter ids: 101 items; allowed: 1 to 100, separated by commas'],
    [
      'an id that is empty',
      'ids=a,,b',
      'Invalid parameter ids, number 2: ""; allowed: a coin id such as btc-bitcoin',
    ],
    [
      'a symbol that is blank',
      'symbols=BTC,%20',
      'Invalid parameter symbols, number 2: " "; allowed: a symbol such as BTC',
    ],
  ])('is a 400: %s', async (_what, query, text) => {
    expect(await ask(query)).toMatchObject({ status: 400, body: failure(text) });
  });
});
