/** Our routes in CoinGecko's shapes as two clients read them that were written for CoinGecko and know nothing of us. */
import { Agent } from 'node:http';
import Coingecko from '@coingecko/coingecko-typescript';
import { CoinGeckoClient } from 'coingecko-api-v3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type LocalService, startLocalService } from '../../local/service.ts';

const KEY = 'clients-key-0123456789';
const USDT = '0xdac17f958d2ee523a2206206994597c13d831ec7';
const DAY_SECONDS = 86_400;
const WAITS = { timeout: 90_000, interval: 500 };

let service: LocalService;
beforeAll(async () => {
  service = await startLocalService({
    ...{ quiet: true, provider: { mode: 'simulated' }, store: { history: true } },
    env: { NODE_ENV: 'production', CLIENT_API_KEY: KEY },
  });
  // What contracts and weeks are read from is there when the jobs have run once.
  const stored = () => [...(service.store?.s3.objects.keys() ?? [])].join();
  await vi.waitFor(() => expect(stored()).toMatch(/contracts.*week|week.*contracts/), WAITS);
}, 120_000);
afterAll(() => service.close());

const ourTicker = async (id: string) => {
  const headers = { 'x-api-key': KEY };
  const response = await fetch(`${service.url}/api/marketdata/ticker/${id}`, { headers });
  const { data } = (await response.json()) as { data: { quotes: { USD: { price: number } } } };
  return data.quotes.USD;
};

const isAscending = (rows: readonly (readonly unknown[])[] | undefined) =>
  rows?.every(([time], index) => index === 0 || Number(time) > Number(rows[index - 1]?.[0]));

describe('@coingecko/coingecko-typescript', () => {
  let client: Coingecko;
  beforeAll(() => {
    client = new Coingecko({ baseURL: `${service.url}/coingecko/api/v3`, demoAPIKey: KEY, proAPIKey: null });
  });

  it('reads prices, and they are those of our own route', async () => {
    const prices = await client.simple.price.get({
      ...{ ids: 'bitcoin,ethereum', vs_currencies: 'usd,eur' },
      ...{ include_market_cap: true, include_24hr_change: true, include_last_updated_at: true },
    });
    const { price } = await ourTicker('btc-bitcoin');
    expect(prices).toMatchObject({
      bitcoin: { usd: Number(price.toFixed(2)), eur: expect.any(Number), usd_market_cap: expect.any(Number) },
      ethereum: { usd: expect.any(Number), last_updated_at: expect.any(Number) },
    });
    const exact = { symbols: 'btc', vs_currencies: 'usd', precision: 'full' } as const;
    expect(await client.simple.price.get(exact)).toEqual({ bitcoin: { usd: price } });
    const currencies = await client.simple.supportedVsCurrencies.get();
    expect(currencies).toEqual(expect.arrayContaining(['usd', 'eur', 'btc', 'sats']));
  });

  it('reads a token by its contract', async () => {
    const query = { contract_addresses: USDT, vs_currencies: 'usd' };
    const prices = await client.simple.tokenPrice.getID('ethereum', query);
    expect(prices).toEqual({ [USDT]: { usd: expect.closeTo(1, 1) } });
    const coin = await client.coins.contract.get(USDT, { id: 'ethereum' });
    expect(coin).toMatchObject({ id: 'tether', symbol: 'usdt', asset_platform_id: 'ethereum' });
    const chart = await client.coins.contract.marketChart.get(USDT, {
      ...{ id: 'ethereum', vs_currency: 'usd', days: '7' },
    });
    expect(chart.prices?.length).toBeGreaterThan(150);
  });

  it('reads the market, page by page, with a week for each coin', async () => {
    const query = { vs_currency: 'eur', per_page: 20, sparkline: true, price_change_percentage: '1h,7d' };
    const [first, second] = await Promise.all([
      client.coins.markets.get({ ...query, page: 1 }),
      client.coins.markets.get({ ...query, page: 2 }),
    ]);
    expect(first.map(({ id }) => id).slice(0, 2)).toEqual(['bitcoin', 'ethereum']);
    const ids = [...first, ...second].map(({ id }) => id);
    expect([ids.length, new Set(ids).size]).toEqual([40, 40]);
    expect(first[0]).toMatchObject({
      ...{ symbol: 'btc', name: 'Bitcoin', market_cap_rank: 1, atl: null, roi: null },
      current_price: expect.any(Number),
      price_change_percentage_7d_in_currency: expect.any(Number),
      sparkline_in_7d: { price: expect.arrayContaining([expect.any(Number)]) },
    });
  });

  it('reads a coin, its days, its candles and one day of its past', async () => {
    const coin = await client.coins.getID('bitcoin', { sparkline: true });
    expect(coin).toMatchObject({
      id: 'bitcoin',
      market_data: { current_price: { usd: expect.any(Number) } },
    });
    const chart = await client.coins.marketChart.get('bitcoin', { vs_currency: 'usd', days: '30' });
    expect(chart.prices?.length).toBeGreaterThan(700);
    expect(chart.market_caps?.length).toBe(chart.prices?.length);
    expect(isAscending(chart.prices)).toBe(true);
    const to = Math.floor(Date.now() / 1000);
    const range = await client.coins.marketChart.getRange('bitcoin', {
      ...{ vs_currency: 'eur', from: String(to - 200 * DAY_SECONDS), to: String(to) },
    });
    expect(range.prices?.length).toBeGreaterThan(195);
    const candles = await client.coins.ohlc.get('bitcoin', { vs_currency: 'usd', days: '7' });
    expect(candles.length).toBeGreaterThan(40);
    expect(isAscending(candles)).toBe(true);
    const past = await client.coins.history.get('bitcoin', { date: '2026-11-01' });
    expect(past).toMatchObject({
      id: 'bitcoin',
      market_data: { current_price: { usd: expect.any(Number) } },
    });
  });

  it('reads lists, searches, the whole market, and its own key', async () => {
    expect(await client.ping.get()).toEqual({ gecko_says: expect.any(String) });
    const coins = await client.coins.list.get({ include_platform: true });
    expect(coins.find(({ id }) => id === 'tether')?.platforms).toMatchObject({ ethereum: USDT });
    const found = await client.search.get({ query: 'bitcoin' });
    expect(found.coins?.[0]).toMatchObject({ id: 'bitcoin', symbol: 'BTC' });
    expect(await client.search.trending.get()).toMatchObject({ coins: [] });
    const { data } = await client.global.get();
    expect(data).toMatchObject({ active_cryptocurrencies: expect.any(Number) });
    expect(data?.market_cap_percentage?.btc).toBeGreaterThan(1);
    const platforms = await client.assetPlatforms.get();
    expect(platforms.map(({ id }) => id)).toEqual(expect.arrayContaining(['ethereum']));
    expect(await client.key.get()).toMatchObject({ rate_limit_request_per_minute: expect.any(Number) });
  });

  it('may be used by a web page of an origin that the stage knows', async () => {
    const sent: string[] = [];
    const watched: typeof fetch = (url, init) => {
      sent.push(...new Headers(init?.headers).keys());
      return fetch(url, init);
    };
    const options = { baseURL: `${service.url}/coingecko/api/v3`, demoAPIKey: KEY, proAPIKey: null };
    await new Coingecko({ ...options, fetch: watched, timeout: 5_000 }).ping.get();
    const own = sent.filter((name) => !['accept', 'user-agent'].includes(name)); // which any page may send
    expect(own).toContain('x-stainless-lang');
    const response = await fetch(`${service.url}/coingecko/api/v3/ping`, {
      method: 'OPTIONS',
      headers: {
        ...{ origin: 'http://localhost:3000', 'access-control-request-method': 'GET' },
        'access-control-request-headers': own.join(),
      },
    });
    const allowed = response.headers.get('access-control-allow-headers')?.split(',');
    expect([response.status, own.filter((name) => !allowed?.includes(name))]).toEqual([204, []]);
  });

  it('meets the failures that it has classes for', async () => {
    await expect(client.coins.getID('no-such-coin')).rejects.toMatchObject({
      ...{ constructor: Coingecko.NotFoundError, error: { error: 'coin not found' } },
    });
    await expect(client.coins.markets.get({ vs_currency: 'xxx' })).rejects.toMatchObject({
      ...{ constructor: Coingecko.BadRequestError, error: { error: 'invalid vs_currency' } },
    });
    await expect(client.exchanges.get()).rejects.toBeInstanceOf(Coingecko.NotFoundError);
    const stranger = new Coingecko({
      ...{ baseURL: `${service.url}/coingecko/api/v3`, demoAPIKey: 'wrong', proAPIKey: null },
    });
    await expect(stranger.ping.get()).rejects.toBeInstanceOf(Coingecko.AuthenticationError);
  });
});

describe('coingecko-api-v3', () => {
  let client: CoinGeckoClient;
  beforeAll(() => {
    const { hostname, port } = new URL(service.url);
    const plain = { agent: new Agent(), protocol: 'http:', host: hostname, port };
    client = new CoinGeckoClient({ extraHTTPSOptions: plain }, KEY);
    client.baseURL = `${service.url}/coingecko/api/v3`;
  });

  it('reads prices, the market, and a coin', async () => {
    expect(await client.ping()).toEqual({ gecko_says: expect.any(String) });
    const { price } = await ourTicker('btc-bitcoin');
    const prices = await client.simplePrice({ ids: 'bitcoin', vs_currencies: 'usd,btc' });
    expect(prices).toEqual({ bitcoin: { usd: Number(price.toFixed(2)), btc: 1 } });
    const tokens = await client.simpleTokenPrice({
      ...{ id: 'ethereum', contract_addresses: USDT, vs_currencies: 'usd' },
    });
    expect(tokens).toEqual({ [USDT]: { usd: expect.closeTo(1, 1) } });
    expect(await client.simpleSupportedCurrencies()).toContain('eur');
    const rows = await client.coinMarket({ vs_currency: 'usd', ids: 'bitcoin,ethereum' });
    expect(rows.map(({ id }) => id)).toEqual(['bitcoin', 'ethereum']);
    expect(await client.coinId({ id: 'bitcoin' })).toMatchObject({ id: 'bitcoin', name: 'Bitcoin' });
    expect((await client.coinList({ include_platform: false })).length).toBeGreaterThan(50);
  });

  it('reads the past of a coin and of a contract', async () => {
    const chart = await client.coinIdMarketChart({ id: 'bitcoin', vs_currency: 'usd', days: 7 });
    expect(chart.prices.length).toBeGreaterThan(150);
    const to = Math.floor(Date.now() / 1000);
    const range = { vs_currency: 'usd', from: to - 7 * DAY_SECONDS, to };
    expect((await client.coinIdMarketChartRange({ id: 'bitcoin', ...range })).prices.length).toBeGreaterThan(
      150,
    );
    expect(isAscending(await client.coinIdOHLC({ id: 'bitcoin', vs_currency: 'usd', days: 30 }))).toBe(true);
    expect(await client.coinIdHistory({ id: 'bitcoin', date: '01-11-2026' })).toMatchObject({
      id: 'bitcoin',
    });
    const token = { id: 'ethereum', contract_address: USDT } as const;
    expect(await client.contract(token)).toMatchObject({ id: 'tether' });
    const days = await client.contractMarketChart({ ...token, vs_currency: 'usd', days: 7 });
    expect(days.prices.length).toBeGreaterThan(150);
  });

  it('reads searches, the whole market and platforms', async () => {
    expect((await client.search({ query: 'ether' })).coins?.map(({ id }) => id)).toContain('ethereum');
    expect(await client.trending()).toMatchObject({ coins: [] });
    expect((await client.global()).data.active_cryptocurrencies).toBeGreaterThan(1000);
  });
});
