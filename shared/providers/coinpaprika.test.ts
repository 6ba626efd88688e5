import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { route as ohlcv } from '../../functions/marketdata/ohlcv/route.ts';
import { route as tickerRoute } from '../../functions/marketdata/ticker/route.ts';
import { jsonText, mutilated } from '../../test/providers/mutilated.ts';
import { compileResponse } from '../http/compile-schemas.ts';
import { ApiError } from '../http/errors.ts';
import { type Candle, derive, fold, type SourceCandle } from '../marketdata/candles.ts';
import { plausibleCandles, plausiblePrices } from '../marketdata/gate/series.ts';
import { PlanRefusal } from '../marketdata/provider.ts';
import { readTicker } from '../marketdata/ticker.ts';
import { windowOf } from '../marketdata/window.ts';
import type { HttpAnswer } from '../platform/transport.ts';
import { coinpaprika } from './coinpaprika.ts';
import { receivedFrom } from './responses.ts';

const query = {
  id: 'btc-bitcoin',
  quote: 'usd',
  window: windowOf({ interval: '24h', limit: 1 }, Date.now()),
} as const;
const { read: readCandles } = coinpaprika.candles(query);
const { read: readPrices } = coinpaprika.prices(query, query.window.from);
const { read: readUsage } = coinpaprika.usage();

const tickerProblems = compileResponse(tickerRoute.response);
const ohlcvProblems = compileResponse(ohlcv.response);

const usd = {
  price: 84032.52,
  volume_24h: 26595647560.5,
  volume_24h_change_24h: -3.1,
  market_cap: 1688380744586,
  ath_price: 126173,
  ath_date: '2025-10-06T18:57:00Z',
  percent_from_price_ath: -33.4,
};
const ticker = {
  id: 'btc-bitcoin',
  name: 'Bitcoin',
  symbol: 'BTC',
  rank: 1,
  total_supply: 20_000_000,
  max_supply: 21_000_000,
  beta_value: 0.9,
  first_data_at: '2010-07-17T00:00:00Z',
  last_updated: '2026-10-02T12:00:00Z',
  quotes: { USD: usd },
};
const candle = {
  time_open: '2026-01-01T00:00:00Z',
  time_close: '2026-01-01T23:59:59Z',
  open: 1,
  high: 3,
  low: 0.5,
  close: 2,
  volume: 10,
  market_cap: 100,
};
const point = { timestamp: '2026-01-01T00:00:00Z', price: 2, volume_24h: 10, market_cap: 100 };

const window = windowOf({ interval: '7d', limit: 10 }, Date.UTC(2026, 0, 3));

/** Runs a reader as the client does: what it cannot use is a 502, and nothing else is ever thrown. */
function read<T>(reader: (json: unknown) => T, json: unknown): T | undefined {
  const body = Buffer.from(jsonText(json));
  try {
    const answer = { status: 200, headers: { 'content-type': 'application/json' }, body };
    return receivedFrom(coinpaprika, { path: '/x', read: reader }, answer, 0, {}).data;
  } catch (error) {
    expect(error).toMatchObject({
      statusCode: 502,
      message: expect.stringMatching(/^CoinPaprika gave an (unusable|implausible) answer: ./),
    });
    return undefined;
  }
}

/** Charts do not show the volume of 24 hours. */
function served({ volume_24h: _, ...candle }: SourceCandle): Candle {
  return candle;
}

function afterJson(data: unknown): unknown {
  return JSON.parse(JSON.stringify(data));
}

describe('any JSON', () => {
  it('is a ticker of the documented shape or a 502', () => {
    let usable = 0;
    fc.assert(
      fc.property(fc.oneof(mutilated(ticker), fc.jsonValue()), (json) => {
        const data = read(readTicker, json);
        if (!data) return;
        usable += 1;
        expect(tickerProblems(afterJson(data))).toEqual([]);
      }),
      { numRuns: 1000 },
    );
    expect(usable).toBeGreaterThan(50);
  });

  it.each([
    ['candles', candle, (json: unknown) => plausibleCandles(readCandles(json), window)],
    [
      'prices',
      point,
      (json: unknown) => derive(plausiblePrices(readPrices(json), window), window).map(served),
    ],
  ])('is %s of the documented shape, ascending and without duplicates, or a 502', (_what, item, reader) => {
    let usable = 0;
    fc.assert(
      fc.property(fc.oneof(mutilated([item, { ...item }, item]), fc.jsonValue()), (json) => {
        const candles = read(reader, json);
        if (!candles) return;
        usable += 1;
        const times = candles.map(({ time_open }) => Date.parse(time_open));
        expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
        const made = candles.map((candle) => ({ ...candle, quality: 'exact', source: 'test' }) as const);
        for (const data of [candles, fold(made, window, () => true)]) {
          const whole = { coinId: 'x', interval: '24h', quote: 'usd', count: data.length, data };
          expect(ohlcvProblems(afterJson(whole))).toEqual([]);
        }
      }),
      { numRuns: 1000 },
    );
    expect(usable).toBeGreaterThan(20);
  });
});

describe('the ticker', () => {
  it('keeps the names of the provider, has null for what is absent, and nothing that is not documented', () => {
    const data = readTicker({
      ...ticker,
      secret: 1,
      sources: 2,
      quotes: { USD: { ...usd, more: 2 }, BTC: usd },
    });

    const changes = ['15m', '30m', '1h', '6h', '12h', '24h', '7d', '30d', '1y'];
    expect(data).toEqual({
      ...ticker,
      circulating_supply: null,
      quotes: {
        USD: {
          ...usd,
          market_cap_change_24h: null,
          figures_at: null,
          ...Object.fromEntries(changes.map((period) => [`percent_change_${period}`, null])),
        },
      },
      sources: null,
    });
  });

  it.each([
    [{ ...ticker, id: 5 }, 'id is not a text'],
    [{ ...ticker, quotes: undefined }, 'quotes is not an object'],
    [{ ...ticker, quotes: { EUR: usd } }, 'quotes.USD is not an object'],
    [{ ...ticker, quotes: { USD: { ...usd, price: '84032.52' } } }, 'price is not a number'],
    [{ ...ticker, last_updated: '2026-02-30T00:00:00Z' }, 'last_updated is not a time'],
    [{ ...ticker, last_updated: 'yesterday' }, 'last_updated is not a time'],
    [[ticker], 'the ticker is not an object'],
    [null, 'the ticker is not an object'],
  ])('names the field that is wrong', (json, message) => {
    expect(() => readTicker(json)).toThrow(new Error(message));
  });
});

describe('what is left of a plan', () => {
  const info = (requests_made: unknown, requests_left: unknown) => ({
    plan: 'starter',
    usage: { message: 'limited plan', current_month: { requests_made, requests_left } },
  });

  it('is the month’s count, and undefined of a plan without a limit', () => {
    expect(readUsage(info(18, 399_982))).toEqual({ made: 18, left: 399_982 });
    expect(readUsage(info(400_000, 0))).toEqual({ made: 400_000, left: 0 });
    expect(readUsage(info(-1, -1))).toBeUndefined();
  });

  it.each([
    [info('18', 3), 'requests_made is not a number'],
    [info(18, undefined), 'requests_made or requests_left is not a number'],
    [{ usage: {} }, 'current_month is not an object'],
    [[], 'the answer is not an object'],
  ])('names what is wrong: %o', (json, message) => {
    expect(() => readUsage(json)).toThrow(new Error(message));
  });
});

describe('candles and prices', () => {
  it('without a price are left out, and have null for a volume or a market cap that is absent', () => {
    const bare = { ...candle, volume: null, market_cap: undefined };
    const given = [{ ...candle, high: null }, bare, { ...candle, open: undefined }];

    expect(readCandles(given)).toEqual([{ ...candle, volume: null, market_cap: null }]);
    expect(readPrices([{ ...point, price: null }])).toEqual([]);
  });
});

const refusalOf = coinpaprika.refusal;

const answer = (status: number, body: string, type = 'application/json'): HttpAnswer => ({
  status,
  headers: type ? { 'content-type': type } : {},
  body: Buffer.from(body),
});

const error = (text: string) => JSON.stringify({ error: text });

const candlesRefused =
  'Getting historical OHLCV data before 2026-09-17 03:59:32.385856048 +0000 UTC is not allowed in this plan. ' +
  'Check plans on coinpaprika.com/api';
const pricesRefused =
  'Getting daily historical data before 2025-10-07 13:25:47.673661758 +0000 UTC is not allowed in this plan. ' +
  'Check plans on coinpaprika.com/api';

describe('a refusal of the plan', () => {
  it.each([
    ['402 for candles', 402, candlesRefused, Date.UTC(2026, 8, 17, 3, 59, 32)],
    ['402 for prices', 402, pricesRefused, Date.UTC(2025, 9, 7, 13, 25, 47)],
    ['400 of an older server', 400, candlesRefused, Date.UTC(2026, 8, 17, 3, 59, 32)],
    ['402 without a date', 402, 'Getting 1h data is not allowed in this plan.', undefined],
    ['402 with an impossible date', 402, 'before 2026-13-45 99:99:99 is not allowed in this plan', undefined],
  ])('is known with the moment from which the plan gives data: %s', (_what, status, text, since) => {
    const refusal = refusalOf(answer(status, error(text)), { coinId: 'btc-bitcoin' });

    expect(refusal).toBeInstanceOf(PlanRefusal);
    expect(refusal).toMatchObject({ statusCode: 502, since });
  });

  it('names the requested data', () => {
    const refusal = refusalOf(answer(402, error('not allowed in this plan')), { subject: 'this ticker' });

    expect(refusal.message).toBe("CoinPaprika refused: the provider's plan does not include this ticker");
  });
});

describe('a limit that is reached', () => {
  const rate = 'This plan has 25000 monthly requests limit, your requests rate is: 25001.152610. Check plans';

  it.each([
    ['a 402 with nothing', answer(402, '', '')],
    ['a 402 with another text than a plan’s boundary', answer(402, error('Payment Required'))],
    ['the text about the rate of requests', answer(402, error(rate))],
    ['the same text with another status', answer(400, error(rate))],
  ])('is a 429 that says when to come back: %s', (_what, refused) => {
    const refusal = refusalOf(refused, { coinId: 'btc-bitcoin' });

    expect(refusal).not.toBeInstanceOf(PlanRefusal);
    expect(refusal).toMatchObject({
      statusCode: 429,
      message: "Rate limit exceeded: the provider's (CoinPaprika); try again in 60 s",
      headers: { 'retry-after': '60' },
    });
  });
});

describe('any other refusal', () => {
  it('is a 404 that names the coin where the provider does not know the id', () => {
    const refusal = refusalOf(answer(404, error('id not found')), { coinId: 'no-coin' });

    expect(refusal).toEqual(new ApiError(404, 'Unknown coin id: no-coin'));
  });

  it.each([
    ['a 404 in plain text: an unknown route', answer(404, '404 page not found', 'text/plain'), '404'],
    ['a 400', answer(400, error('Invalid parameters')), '400'],
    ['a 403 of a firewall', answer(403, '<html>blocked</html>', 'text/html'), '403'],
    ['a 500 with nothing', answer(500, '', ''), '500'],
    ['an error that is no text', answer(500, '{"error":{"code":1}}'), '500'],
    ['an error that is null', answer(500, 'null'), '500'],
    ['an endless error', answer(500, error('x'.repeat(5000))), '500'],
  ])('is a 502 with the status alone: %s', (_what, refused, what) => {
    const refusal = refusalOf(refused, { coinId: 'btc-bitcoin' });

    expect(refusal).not.toBeInstanceOf(PlanRefusal);
    expect(refusal).toEqual(new ApiError(502, `CoinPaprika answered ${what}`));
  });

  it('of the key is a 502 that does not repeat it', () => {
    const refusal = refusalOf(answer(401, error('wrong key a-key')), { coinId: 'btc-bitcoin' });

    expect(refusal).toEqual(new ApiError(502, 'CoinPaprika refuses the key of this service (401)'));
  });
});

describe('the markets of an exchange', () => {
  const { path, read: readMarkets } = coinpaprika.exchangeMarkets('kraken');
  // As in the description of the API.
  const row = {
    pair: 'XBT/USDT',
    base_currency_id: 'btc-bitcoin',
    base_currency_name: 'Bitcoin',
    quote_currency_id: 'usdt-tether',
    quote_currency_name: 'Tether',
    category: 'Spot',
    outlier: false,
    reported_volume_24h_share: 30.29,
    quotes: { USD: { price: 6000, volume_24h: 1e6 } },
    last_updated: '2018-11-14T07:20:41Z',
  };
  const bitcoin = { base: 'XBT', quote: 'USDT', coinId: 'btc-bitcoin' };

  it('are listed with the coin of each base', () => {
    expect(path).toBe('/exchanges/kraken/markets');
    expect(readMarkets([row, { ...row, pair: ' eth / usd ', base_currency_id: 'eth-ethereum' }])).toEqual([
      bitcoin,
      { base: 'ETH', quote: 'USD', coinId: 'eth-ethereum' },
    ]);
  });

  it.each([
    ['an outlier', { outlier: true }],
    ['no spot market', { category: 'Perpetual' }],
    ['without a coin', { base_currency_id: '' }],
    ['with a coin of another type', { base_currency_id: 7 }],
    ['without a pair', { pair: undefined }],
    ['with one symbol', { pair: 'BTCUSDT' }],
    ['with three symbols', { pair: 'A/B/C' }],
    ['with an empty symbol', { pair: '/USDT' }],
  ])('leave out one that is %s', (_what, given) => {
    expect(readMarkets([row, { ...row, ...given }, row])).toEqual([bitcoin, bitcoin]);
  });

  it('are refused if most rows are unreadable, or if it is no list', () => {
    const bad = { ...row, pair: null };
    expect(readMarkets([row, bad])).toEqual([bitcoin]);
    expect(() => readMarkets([row, bad, bad])).toThrow('2 of 3 markets are unreadable');
    expect(() => readMarkets({ markets: [row] })).toThrow('the answer is not a list');
    expect(readMarkets([])).toEqual([]);
  });

  it('are texts, or a 502', () => {
    let usable = 0;
    fc.assert(
      fc.property(fc.oneof(mutilated([row, { ...row }, row]), fc.jsonValue()), (json) => {
        for (const { base, quote, coinId } of read(readMarkets, json) ?? []) {
          usable += 1;
          for (const text of [base, quote, coinId]) expect(text).toMatch(/./s);
        }
      }),
      { numRuns: 1000 },
    );
    expect(usable).toBeGreaterThan(50);
  });
});
