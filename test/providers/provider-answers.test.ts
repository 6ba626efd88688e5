import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { route as ohlcvRoute } from '../../functions/marketdata/ohlcv/route.ts';
import { route as tickerRoute } from '../../functions/marketdata/ticker/route.ts';
import { failure } from '../pipeline/event.ts';
import { type Loopback, respond, startLoopback } from '../pipeline/loopback.ts';
import { underTest } from '../pipeline/under-test.ts';

/** The provider's answers in its own format, with figures of ours, through the routes that read them. */
const ID = 'btc-bitcoin';
const tickers = underTest(tickerRoute, () => import('../../functions/marketdata/ticker/handler.ts'));
const charts = underTest(ohlcvRoute, () => import('../../functions/marketdata/ohlcv/handler.ts'));
const ticker = () => tickers.ask({ pathParameters: { id: ID } });
const candles = (query: string) => charts.ask({ pathParameters: { id: ID }, query });

let provider: Loopback;
beforeEach(async () => {
  provider = await startLoopback();
  vi.stubEnv('COINPAPRIKA_BASE_URL', provider.url);
  // A plan without limits, so that every refusal is the provider's.
  vi.stubEnv('COINPAPRIKA_PLAN', 'ultimate');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await provider.close();
});

type Answer = readonly [status: number, body: unknown, headers?: Readonly<Record<string, string>>];
const refused = (what: string, before: string): Answer => [
  402,
  { error: `Getting ${what} data before ${before} +0000 UTC is not allowed in this plan. Check plans` },
];

/** Gives the first of these answers whose part the path contains. A text is `text/plain`. */
function answers(byPart: Readonly<Record<string, Answer>>): void {
  provider.answer((request, response) => {
    const found = Object.entries(byPart).find(([part]) => request.url?.includes(part));
    const [status, body, headers = {}] = found?.[1] ?? [500, ''];
    const [type, text] =
      typeof body === 'string'
        ? ['text/plain; charset=utf-8', body]
        : ['application/json', JSON.stringify(body)];
    respond(status, { 'content-type': type, ...headers }, text)(request, response);
  });
}

it('gives a ticker unchanged, and stale by its own time', async () => {
  const change = (period: string) => [`percent_change_${period}`, -1.25];
  const sent = {
    ...{ id: ID, name: 'Bitcoin', symbol: 'BTC', rank: 1, beta_value: 0.9 },
    ...{ circulating_supply: 19_000_000, total_supply: 19_000_000, max_supply: 21_000_000 },
    ...{ first_data_at: '2010-07-17T00:00:00Z', last_updated: '2022-05-01T12:30:00Z' },
    quotes: {
      USD: {
        ...{ price: 38_000.123456789, volume_24h: 31_000_000_000.5, volume_24h_change_24h: 12.5 },
        ...{ market_cap: 722_002_345_678, market_cap_change_24h: -1.25 },
        ...Object.fromEntries(['15m', '30m', '1h', '6h', '12h', '24h', '7d', '30d', '1y'].map(change)),
        ...{ ath_price: 68_000.5, ath_date: '2021-11-10T16:51:15Z', percent_from_price_ath: -44.12 },
      },
    },
  };
  answers({ '/tickers/': [200, sent] });

  expect(await ticker()).toMatchObject({
    status: 200,
    headers: {
      'x-data-source': 'coinpaprika',
      'x-data-quality': 'stale',
      'x-data-time': '2022-05-01T12:30:00.000Z',
    },
    body: { success: true, data: { ...sent, sources: null } },
  });
});

it('gives candles unchanged, as old as a cache on their way says', async () => {
  const sent = [1, 2, 3].map((day) => ({
    ...{ time_open: `2026-10-0${day}T00:00:00Z`, time_close: `2026-10-0${day}T23:59:59Z` },
    ...{ open: 100 + day, high: 104 + day, low: 99 + day, close: 101 + day },
    ...{ volume: 1_000_000 * day, market_cap: 2_000_000_000 * day },
  }));
  answers({ '/ohlcv/historical': [200, sent, { age: '27' }] });

  const answer = await candles('start=2026-10-01&limit=3');

  expect(answer.body).toMatchObject({ success: true, data: { coinId: ID, count: 3, data: sent } });
  expect(Date.now() - Date.parse(String(answer.headers['x-data-time']))).toBeGreaterThanOrEqual(27_000);
  expect(provider.requests).toHaveLength(1);
});

it('makes a derived candle of a daily price where candles are refused', async () => {
  const day = { timestamp: '2026-10-01T00:00:00Z', price: 104.5, volume_24h: 7000, market_cap: 9_000_000 };
  answers({
    '/ohlcv/historical': refused('historical OHLCV', '2026-11-25 03:59:32.385'),
    '/historical': [200, [day]],
  });

  const prices = { open: 104.5, high: 104.5, low: 104.5, close: 104.5 };
  expect(await candles('start=2026-10-01&limit=1')).toMatchObject({
    headers: { 'x-data-quality': 'derived' },
    body: { data: { data: [{ time_open: day.timestamp, ...prices, volume: 7000, market_cap: 9_000_000 }] } },
  });
});

it.each([
  ['an unknown id', [404, { error: 'id not found' }], 404, `Unknown coin id: ${ID}`],
  ['an unknown route', [404, '404 page not found'], 502, 'CoinPaprika answered 404'],
  ['its parameters', [400, { error: 'Invalid parameters' }], 502, 'CoinPaprika answered 400'],
  [
    'its limit',
    [429, { error: 'you have reached maximum request limit' }],
    429,
    expect.stringMatching(/^Rate limit exceeded: the provider's \(CoinPaprika\); /),
  ],
] as const)('reports an error about %s', async (_, answer, status, error) => {
  answers({ '/': answer });

  for (const { status: given, body } of [await ticker(), await candles('')])
    expect({ status: given, body }).toEqual({ status, body: failure(error) });
});

it('says how far the plan reaches back when it refuses both kinds of history', async () => {
  answers({
    '/ohlcv/historical': refused('historical OHLCV', '2026-11-25 03:59:32.385'),
    '/historical': refused('daily historical', '2025-10-07 13:25:47.673'),
  });

  expect(await candles('start=2024-01-01&limit=2')).toMatchObject({
    status: 400,
    body: failure(
      "The provider's plan has no prices for this interval so far back; allowed: from 2025-10-08T00:00:00Z on",
    ),
  });
});
