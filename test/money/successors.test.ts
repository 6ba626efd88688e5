import { beforeEach, describe, expect, it } from 'vitest';
import { route as files } from '../../functions/export/api/route.ts';
import { route as convert } from '../../functions/marketdata/convert/route.ts';
import { route as price } from '../../functions/marketdata/price/route.ts';
import { route as ticker } from '../../functions/marketdata/ticker/route.ts';
import { route as valuation } from '../../functions/marketdata/valuation/route.ts';
import { DAY_MS } from '../../shared/platform/time.ts';
import { daysBefore, putDays } from '../history/stored.ts';
import { failure } from '../pipeline/event.ts';
import { underTest } from '../pipeline/under-test.ts';
import { NOW } from '../tokens/world.ts';
import { useMoneyWorld } from './world.ts';

const TODAY = NOW - (NOW % DAY_MS);
const POL = 'pol-polygon-ecosystem-token';

/** In this world a symbol is the first three letters of the id. */
const world = useMoneyWorld({
  active: ['matic-polygon', POL, 's-sonic', 'aave-new', 'mkr-maker', 'sky-sky'],
  inactive: ['ftm-fantom', 'lend-ethlend'],
});

beforeEach(() => {
  world().putPrices({
    'matic-polygon': 0.2,
    [POL]: 0.25,
    's-sonic': 0.5,
    'aave-new': 300,
    'mkr-maker': 1500,
  });
  world().putRates('2026-09-17');
});

const conversion = underTest(convert, () => import('../../functions/marketdata/convert/handler.ts'));
const value = underTest(valuation, () => import('../../functions/marketdata/valuation/handler.ts'));
const exported = underTest(files, () => import('../../functions/export/api/handler.ts'));
const tickers = underTest(ticker, () => import('../../functions/marketdata/ticker/handler.ts'));
const prices = underTest(price, () => import('../../functions/marketdata/price/handler.ts'));
const related = (id: string, symbol: string, ratio = 1) => ({ id, symbol, name: `Name of ${id}`, ratio });

describe('a conversion', () => {
  const from = (text: string) => ({ query: `amount=2&from=${text}&to=usd` });

  it('of a coin that continues as another is at its own price, and names the other', async () => {
    const { from: leg, result } = await conversion.dataOf(from('mat'));
    expect(result).toBe('0.4');
    expect(leg).toMatchObject({ id: 'matic-polygon', successor: related(POL, 'POL') });
    expect(leg).not.toHaveProperty('predecessor');
  });

  it('of a symbol that no active, ranked coin has is at the price of the one that continues it, which is marked', async () => {
    const { from: leg, result } = await conversion.dataOf(from('FTM'));
    expect(result).toBe('1');
    expect(leg).toMatchObject({ id: 's-sonic', predecessor: related('ftm-fantom', 'FTM') });
    expect((await conversion.dataOf({ query: 'amount=1&from=usd&to=ftm' })).to).toMatchObject({
      id: 's-sonic',
      predecessor: { id: 'ftm-fantom' },
    });
  });

  it('is refused if one unit did not become one unit, with the ratio', async () => {
    expect(await conversion.ask(from('len'))).toMatchObject({
      status: 404,
      body: failure(
        'LEN (lend-ethlend) continued as AAV (aave-new), 1 LEN for 0.01 AAV; give 0.01 times the amount of aave-new',
      ),
    });
  });

  it('of the id of a coin without a price names its successor', async () => {
    world().gone.add('lend-ethlend');
    expect(await conversion.ask(from('lend-ethlend'))).toMatchObject({
      status: 404,
      body: failure(
        'No price of lend-ethlend is known now; LEN (lend-ethlend) continued as AAV (aave-new), 1 LEN for 0.01 AAV',
      ),
    });
  });
});

it('a valuation takes symbols as a conversion does', async () => {
  const holdings = ['mat', 'ftm', 'len', 'nowhere'].map((symbol) => ({ symbol, amount: '2' }));
  const { positions, missing, total } = await value.dataOf({ body: JSON.stringify({ holdings }) });

  expect(total).toBe('1.4');
  expect(positions).toMatchObject([
    { id: 'matic-polygon', successor: related(POL, 'POL') },
    { id: 's-sonic', predecessor: related('ftm-fantom', 'FTM') },
  ]);
  expect(positions[1]).not.toHaveProperty('successor');
  expect(missing).toMatchObject([
    { reason: 'unknown', message: expect.stringContaining('1 LEN for 0.01 AAV') },
    { reason: 'unknown', message: 'Unknown symbol: nowhere; /api/marketdata/search finds coins' },
  ]);
});

it.each(['ledger', 'beancount'])(
  'an export as %s says in comments which coins continue as others',
  async (format) => {
    putDays(world().s3, 'mkr-maker', daysBefore(TODAY, 400), { from: 0, to: TODAY });
    const linesOf = async (list: string, ids: string) => {
      const { status, body } = await exported.send({
        path: `/export/${list}.${format}`,
        query: `ids=${ids}`,
      });
      expect(status).toBe(200);
      return body.split('\n').filter((line) => line.includes('continued'));
    };

    expect(await linesOf('prices', `matic-polygon,${POL},mkr-maker`)).toEqual([
      `; MAT (matic-polygon) continued as POL (${POL})`,
      '; MKR (mkr-maker) continued as SKY (sky-sky), 1 MKR for 24000 SKY',
    ]);
    expect(await linesOf('history', 'mkr-maker')).toHaveLength(1);
  },
);

it('a ticker that is not found names the successor', async () => {
  world().gone.add('ftm-fantom');
  expect(await tickers.ask({ pathParameters: { id: 'ftm-fantom' } })).toMatchObject({
    status: 404,
    body: failure('No price of ftm-fantom is known now; FTM (ftm-fantom) continued as S-S (s-sonic)'),
  });
});

describe('a price before a coin’s first day', () => {
  const at = async (id: string, days: number) => {
    const query = `at=${new Date(TODAY - days * DAY_MS).toISOString()}`;
    const { status, body } = await prices.ask({ pathParameters: { id }, query });
    return [status, (body as { error?: string }).error];
  };
  beforeEach(() => {
    for (const id of [POL, 'btc-bitcoin']) {
      putDays(world().s3, id, daysBefore(TODAY, 30), { from: 0, to: TODAY });
    }
  });

  it('names the coin that it was before', async () => {
    expect(await at(POL, 100)).toEqual([
      404,
      expect.stringMatching(
        /the nearest known after: 110\.?\d* at .*; before its first price it was MAT \(matic-polygon\)$/,
      ),
    ]);
    expect(await at(POL, 1000)).toEqual([404, expect.stringMatching(/it was MAT \(matic-polygon\)$/)]);
  });

  it('says nothing of the kind of another coin', async () => {
    expect(await at('btc-bitcoin', 100)).toEqual([404, expect.not.stringContaining('it was')]);
  });
});
