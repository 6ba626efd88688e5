import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { route as ohlcvRoute } from '../../functions/marketdata/ohlcv/route.ts';
import { route as tickerRoute } from '../../functions/marketdata/ticker/route.ts';
import { failure } from '../pipeline/event.ts';
import { type Loopback, respond, startLoopback } from '../pipeline/loopback.ts';
import { underTest } from '../pipeline/under-test.ts';

/** Recorded answers of the provider lie beside the repository on some machines only. */
const folder = join(import.meta.dirname, '../../../shared/provider/samples');
const recording = (name: string) => readFileSync(join(folder, name), 'utf8');
const ID = 'btc-bitcoin';
const tickers = underTest(tickerRoute, () => import('../../functions/marketdata/ticker/handler.ts'));
const charts = underTest(ohlcvRoute, () => import('../../functions/marketdata/ohlcv/handler.ts'));

// Without the recordings there is nothing to replay; the simulated provider stands in everywhere else.
describe.runIf(existsSync(folder))('recorded answers of the provider', () => {
  let provider: Loopback;
  beforeEach(async () => {
    provider = await startLoopback();
    vi.stubEnv('COINPAPRIKA_BASE_URL', provider.url);
    // A plan that has all of it, so that what it refuses is the recorded provider's word.
    vi.stubEnv('COINPAPRIKA_PLAN', 'ultimate');
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await provider.close();
  });

  /** Answers with recordings from now on: the first whose part the path contains. Their status is in their names. */
  function replay(files: Readonly<Record<string, string>>, headers: Record<string, string> = {}): void {
    provider.answer((request, response) => {
      const [, file = ''] = Object.entries(files).find(([part]) => request.url?.includes(part)) ?? [];
      const [, status, type] = /\.(\d{3})\.(json|txt)$/.exec(file) ?? [];
      const contentType = type === 'json' ? 'application/json' : 'text/plain; charset=utf-8';
      respond(
        Number(status),
        { 'content-type': contentType, ...headers },
        recording(file),
      )(request, response);
    });
  }
  const ticker = () => tickers.ask({ pathParameters: { id: ID } });
  const candles = (query: string, id = ID) => charts.ask({ pathParameters: { id }, query });

  it('arrive unchanged as a ticker, stale by the time they were made at', async () => {
    replay({ '/tickers/': 'ticker_btc-bitcoin.200.json' });

    const recorded = JSON.parse(recording('ticker_btc-bitcoin.200.json'));
    expect(await ticker()).toMatchObject({
      status: 200,
      headers: {
        'x-data-source': 'coinpaprika',
        'x-data-quality': 'stale',
        'x-data-time': new Date(recorded.last_updated).toISOString(),
      },
      body: { success: true, data: { ...recorded, sources: null } },
    });
  });

  it.each([
    [ID, 'historical', 31],
    ['eth-ethereum', 'historical', 91],
    [ID, 'latest', 1],
    [ID, 'today', 1],
  ])('arrive unchanged as candles: %s, %s', async (id, kind, count) => {
    const file = `ohlcv_${kind}_${id}.200.json`;
    replay({ '/ohlcv/historical': file }, { age: '27' });

    const data = JSON.parse(recording(file));
    const answer = await candles(`start=${data[0].time_open}&limit=${count}`, id);

    // The last day was running when it was recorded, and is over now.
    data[count - 1].time_close = data[count - 1].time_close.replace(/T.*/, 'T23:59:59Z');
    expect(answer.body).toMatchObject({ success: true, data: { coinId: id, count, data } });
    expect(Date.now() - Date.parse(String(answer.headers['x-data-time']))).toBeGreaterThanOrEqual(27_000);
    expect(provider.requests).toHaveLength(1);
  });

  it('make a derived candle of a recorded price where candles are refused', async () => {
    const file = 'tickers_historical_1d_btc-bitcoin.200.json';
    replay({ '/ohlcv/historical': 'ohlcv_historical.402.json', '/historical': file });

    const answer = await candles('start=2026-10-01&limit=1');

    const [{ timestamp: time_open, price, volume_24h: volume, market_cap }] = JSON.parse(recording(file));
    const prices = { open: price, high: price, low: price, close: price };
    expect(answer).toMatchObject({
      headers: { 'x-data-quality': 'derived' },
      body: { data: { data: [{ time_open, ...prices, volume, market_cap }] } },
    });
  });

  it.each([
    ['unknown_id.404.json', 404, `Unknown coin id: ${ID}`],
    ['unknown_route.404.txt', 502, 'CoinPaprika answered 404'],
    ['invalid_parameters.400.json', 502, 'CoinPaprika answered 400: Invalid parameters'],
    [
      'rate_limit.429.json',
      429,
      expect.stringMatching(/^Rate limit exceeded: the provider's \(CoinPaprika\); /),
    ],
  ])('of an error are reported as such: %s', async (file, status, error) => {
    replay({ '/': file });

    for (const answer of [await ticker(), await candles('')])
      expect(answer).toMatchObject({ status, body: failure(error) });
  });

  it('say from when on the plan has prices where it refuses both kinds of history', async () => {
    replay({
      '/ohlcv/historical': 'ohlcv_historical.402.json',
      '/historical': 'tickers_historical.402.json',
    });

    expect(await candles('start=2024-01-01&limit=2')).toMatchObject({
      status: 400,
      body: failure(
        expect.stringMatching(
          /^The provider's plan has no prices for this interval so far back; allowed: from 2025-10-08T00:00:00Z on$/,
        ),
      ),
    });
  });
});
