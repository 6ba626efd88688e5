/** What other people's programs get while exchanges replace the provider's list. */
import { expect, it } from 'vitest';
import { route as coingecko } from '../../functions/coingecko/api/route.ts';
import { route as files } from '../../functions/export/api/route.ts';
import { failoverOf } from '../../functions/marketdata/jobs/snapshot/market-prices.ts';
import { FAILOVER, openSnapshot } from '../../shared/marketdata/store/snapshot.ts';
import { encodeSnapshot } from '../../shared/marketdata/store/snapshot-writer.ts';
import { HOUR_MS, MINUTE_MS } from '../../shared/platform/time.ts';
import { useMoneyWorld } from '../money/world.ts';
import { underTest } from '../pipeline/under-test.ts';
import { NOW } from '../tokens/world.ts';
import { tickerOf } from './tickers.ts';
import { quotesOf } from './two-sides.ts';

const world = useMoneyWorld();
const LISTED = NOW - 2 * HOUR_MS;
const gecko = underTest(coingecko, () => import('../../functions/coingecko/api/handler.ts'));
const file = underTest(files, () => import('../../functions/export/api/handler.ts'));

/** Bitcoin and Ethereum are traded; the third coin is not. */
const figures = {
  'btc-bitcoin': [60_000, 2e7, 1],
  'eth-ethereum': [2_500, 1.2e8, 2],
  'cat-0': [1, 5e6, 3],
} as const;

function putFailover(): void {
  const tickers = Object.entries(figures).map(([id, [price, supply, rank]]) => {
    const ticker = tickerOf(id, price, LISTED - MINUTE_MS);
    const usd = { market_cap: price * supply, volume_24h: price * supply * 0.02, percent_change_24h: 1 };
    return { ...ticker, rank, total_supply: supply, quotes: { USD: { ...ticker.quotes.USD, ...usd } } };
  });
  const given = { intervalSeconds: 600, source: 'coinpaprika' };
  const list = openSnapshot(encodeSnapshot({ ...given, tickers, takenAt: LISTED }));
  const coins = new Map([
    ['btc-bitcoin', quotesOf(66_000, 66_000)],
    ['eth-ethereum', quotesOf(2_600, 2_600)],
  ]);
  const takenAt = NOW - MINUTE_MS;
  const { priced, carried } = failoverOf({ list, published: list }, { takenAt, coins }, takenAt);
  const bytes = encodeSnapshot({ ...given, source: FAILOVER, takenAt, others: [...priced, ...carried] });
  world().s3.objects.set('/bucket/snapshot/tickers.v4', Buffer.from(bytes));
}

it('CoinGecko’s lists keep their order and their figures, and its totals count every coin', async () => {
  putFailover();
  const ask = async (path: string, query = '') =>
    JSON.parse((await gecko.send({ path: `/coingecko/api/v3/${path}`, query })).body);
  const markets = await ask('coins/markets', 'vs_currency=usd');
  expect(
    markets.map(({ id, market_cap, total_volume, market_cap_rank }: Record<string, unknown>) => [
      ...[id, market_cap, total_volume, market_cap_rank],
    ]),
  ).toEqual([
    ['bitcoin', 66_000 * 2e7, 60_000 * 2e7 * 0.02, 1],
    ['ethereum', 2_600 * 1.2e8, 2_500 * 1.2e8 * 0.02, 2],
    ['cat_0', 5e6, 5e6 * 0.02, 3],
  ]);
  const { data } = await ask('global');
  expect(data.total_market_cap.usd).toBeCloseTo(66_000 * 2e7 + 2_600 * 1.2e8 + 5e6, -3);
  const price = await ask('simple/price', 'ids=bitcoin,cat_0&vs_currencies=usd&include_market_cap=true');
  expect(price).toMatchObject({ bitcoin: { usd: 66_000, usd_market_cap: 66_000 * 2e7 }, cat_0: { usd: 1 } });
});

it('files have the exchanges’ prices, and the last known ones of coins without markets', async () => {
  putFailover();
  const { body, headers } = await file.send({
    path: '/export/prices.csv',
    query: 'ids=btc-bitcoin,cat-0',
  });
  expect(body).toMatch(/btc-bitcoin.*66000/);
  expect(body).toMatch(/cat-0.*,1,/);
  expect(headers).toMatchObject({ 'x-data-quality': 'stale' });
});
