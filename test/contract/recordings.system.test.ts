import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LocalService, startLocalService } from '../../local/service.ts';
import { hasRecordings, type Replay, recording, startReplay } from './recordings.ts';
import { type Answer, ageOf, dataOf, expectFailure, request } from './service.ts';

// Without the recordings there is nothing to replay; the simulated provider stands in everywhere else.
describe.runIf(hasRecordings)('recorded answers of the provider', () => {
  let replay: Replay;
  let service: LocalService;
  const get = (path: string): Promise<Answer> => request(service.url + path);

  beforeEach(async () => {
    replay = await startReplay();
    service = await startLocalService({
      quiet: true,
      // A plan that has all of it, so that what it refuses is the recorded provider's word.
      env: { COINPAPRIKA_BASE_URL: replay.url, COINPAPRIKA_PLAN: 'ultimate', UPSTREAM_TIMEOUT_MS: '2000' },
    });
  });
  afterEach(async () => {
    await service.close();
    await replay.close();
  });

  it('arrive unchanged as a ticker that no other source was asked about, stale by the time they were made at', async () => {
    replay.answers = { '/tickers/': { file: 'ticker_btc-bitcoin.200.json' } };

    const answer = await get('/api/marketdata/ticker/btc-bitcoin');

    const recorded = JSON.parse(recording('ticker_btc-bitcoin.200.json'));
    expect(dataOf(answer)).toEqual({ ...recorded, sources: null });
    expect(answer.headers).toMatchObject({ 'x-data-source': 'coinpaprika', 'x-data-quality': 'stale' });
    expect(answer.headers['x-data-time']).toBe(new Date(recorded.last_updated).toISOString());
  });

  it.each([
    ['btc-bitcoin', '2021-07-13', 31],
    ['eth-ethereum', '2021-11-01', 91],
  ])('arrive unchanged as candles of %s', async (id, start, count) => {
    replay.answers = {
      '/ohlcv/historical': { file: `ohlcv_historical_${id}.200.json`, headers: { age: '27' } },
    };

    const answer = await get(`/api/marketdata/ohlcv/${id}?start=${start}&limit=${count}`);

    const data = JSON.parse(recording(`ohlcv_historical_${id}.200.json`));
    // The last day was running when it was recorded, and is over now.
    data[count - 1].time_close = data[count - 1].time_close.replace(/T.*/, 'T23:59:59Z');
    expect(dataOf(answer)).toEqual({ coinId: id, interval: '24h', quote: 'usd', count, data });
    expect(ageOf(answer)).toBeGreaterThanOrEqual(27);
    expect(replay.asked).toHaveLength(1);
    const [, from = ''] = /start=(\d{4}-\d\d-\d\d)T00%3A00%3A00Z/.exec(replay.asked[0] ?? '') ?? [];
    expect(from <= start && from > '2021-01-01').toBe(true); // a piece that holds the window
  });

  it.each(['latest', 'today'])('arrive unchanged as the candle of one day (%s)', async (kind) => {
    const [candle] = JSON.parse(recording(`ohlcv_${kind}_btc-bitcoin.200.json`));
    replay.answers = { '/ohlcv/historical': { file: `ohlcv_${kind}_btc-bitcoin.200.json` } };

    const answer = await get(`/api/marketdata/ohlcv/btc-bitcoin?start=${candle.time_open}&limit=1`);

    const time_close = candle.time_close.replace(/T.*/, 'T23:59:59Z'); // the day is over now
    expect(dataOf(answer)).toMatchObject({ count: 1, data: [{ ...candle, time_close }] });
  });

  it('make a derived candle of a recorded price where candles are refused', async () => {
    replay.answers = {
      '/ohlcv/historical': { file: 'ohlcv_historical.402.json' },
      '/historical': { file: 'tickers_historical_1d_btc-bitcoin.200.json' },
    };

    const answer = await get('/api/marketdata/ohlcv/btc-bitcoin?start=2026-10-01&limit=1');

    const [{ timestamp, price, volume_24h, market_cap }] = JSON.parse(
      recording('tickers_historical_1d_btc-bitcoin.200.json'),
    );
    expect(dataOf(answer)).toMatchObject({
      data: [
        {
          time_open: timestamp,
          open: price,
          high: price,
          low: price,
          close: price,
          volume: volume_24h,
          market_cap,
        },
      ],
    });
    expect(answer.headers['x-data-quality']).toBe('derived');
  });

  it.each([
    ['unknown_id.404.json', 404, 'Unknown coin id: btc-bitcoin'],
    ['unknown_route.404.txt', 502, 'CoinPaprika answered 404'],
    ['invalid_parameters.400.json', 502, 'CoinPaprika answered 400: Invalid parameters'],
    ['rate_limit.429.json', 429, /^Rate limit exceeded: the provider's \(CoinPaprika\); /],
  ])('tell of an error: %s', async (file, status, error) => {
    replay.answers = { '/': { file } };

    expectFailure(await get('/api/marketdata/ticker/btc-bitcoin'), status, error);
    expectFailure(await get('/api/marketdata/ohlcv/btc-bitcoin'), status, error);
  });

  it('say from when on the plan has prices where it refuses both kinds of history', async () => {
    replay.answers = {
      '/ohlcv/historical': { file: 'ohlcv_historical.402.json' },
      '/historical': { file: 'tickers_historical.402.json' },
    };

    expectFailure(
      await get('/api/marketdata/ohlcv/btc-bitcoin?start=2024-01-01&limit=2'),
      400,
      /^The provider's plan has no prices for this interval so far back; allowed: from 2025-10-08T00:00:00Z on$/,
    );
  });
});
