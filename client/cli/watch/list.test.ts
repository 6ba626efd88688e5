import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { type Stubs, stubApi, tickerOf } from '../../../test/client/stub-api.ts';
import { sessionTickers } from '../../commands/tickers.ts';
import type { Config } from '../config/config.ts';
import { createSession } from '../session.ts';
import { listOf } from './list.ts';

const headers = { 'cache-control': 'max-age=600' };
const origin = { quality: 'exact', source: 'coinpaprika', dataTime: '2026-01-31T12:00:00Z' } as const;

/** A list of these settings, and the requests to the service. */
function listWith(config: Config, stubs: Stubs = {}) {
  const home = mkdtempSync(join(inject('runFolder'), 'list-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  mkdirSync(join(home, '.config/marketdata'), { recursive: true });
  const write = (next: Config) =>
    writeFileSync(join(home, '.config/marketdata/config.json'), JSON.stringify(next));
  write(config);
  const env = { HOME: home };
  const { api, calls } = stubApi(
    {
      tickers: ({ ids = [] }) => ({
        count: ids.length,
        results: ids.map((id) => ({ id, ticker: tickerOf({ id }), ...origin })),
      }),
      sparklines: ({ ids = [] }) => ({
        ...{ stepSeconds: 14_400, from: origin.dataTime, to: origin.dataTime },
        coins: ids.map((id) => ({ id, prices: [1, 2], quality: 'exact', source: 'coinpaprika' })),
      }),
      ...stubs,
    },
    headers,
  );
  const none = { baseUrl: '', apiKey: undefined, watch: undefined, open: false };
  const session = createSession({ ...none, format: 'table', config }, env);
  const context = { ...session.contextOf(), api, tickers: sessionTickers(Date.now) };
  const fetch = listOf(undefined, { ...session, contextOf: () => context }, env);
  const count = (route: string) => calls.filter((call) => call.startsWith(`${route} `)).length;
  return { fetch, count, write };
}

const ids = Array.from({ length: 150 }, (_, at) => `coin-${at}`);

test('the weeks of more than a hundred coins are fetched once in their lifetime', async () => {
  const { fetch, count, write } = listWith({ watchlist: ids });
  expect(await fetch()).toMatchObject({ rows: { 149: { id: 'coin-149', week: [1, 2] } } });
  await fetch();
  expect([count('tickers'), count('sparklines')]).toEqual([4, 2]);
  write({ watchlist: [...ids, 'coin-new'] });
  expect(await fetch()).toMatchObject({ rows: { 150: { week: [1, 2] } } });
  expect(count('sparklines')).toBe(4);
});

test('the list works without weeks', async () => {
  const noWeeks: Stubs['sparklines'] = () => {
    throw new Error('no');
  };
  const { fetch } = listWith({ watchlist: ['a-coin'] }, { sparklines: noWeeks });
  expect(await fetch()).toMatchObject({ kind: 'list', rows: [{ id: 'a-coin', week: [] }] });
});

test('a row has the direction in which its shown price moved since the previous response', async () => {
  const prices = [1, 1, 2, 2.00001, 1];
  const { fetch } = listWith(
    { watchlist: ['a-coin'] },
    {
      tickers: () => ({
        count: 1,
        results: [{ id: 'a-coin', ticker: tickerOf({ id: 'a-coin' }, { price: prices.shift() }), ...origin }],
      }),
    },
  );
  const moved = [];
  for (let times = 0; times < 5; times += 1) {
    const list = await fetch();
    moved.push(list.kind === 'list' ? list.rows[0]?.moved : list);
  }
  expect(moved).toEqual([undefined, undefined, 'up', undefined, 'down']);
});
