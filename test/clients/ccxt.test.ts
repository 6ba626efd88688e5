/** The simulated exchanges as ccxt reads them, which knows the real ones and nothing of us. */

import ccxt, { type Exchange, type OHLCV } from 'ccxt';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { realLimits, type Simulated, startSimulated } from '../../local/simulated/index.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.UTC(2026, 10, 22, 10, 20, 30);
const TODAY = Date.UTC(2026, 10, 22);

let sources: Simulated;
let price: number;

/** Each with what it has that the others have not. */
const exchanges = {
  binance: {
    client: () => over(new ccxt.binance({ options: spotOnly }), `${sources.binance.url}/api/v3`),
    symbol: 'BTC/USDT',
    old: 1000,
    other: { symbol: 'DOGE/USDT', id: 'DOGEUSDT' },
  },
  coinbase: {
    client: () => over(new ccxt.coinbaseexchange(), sources.coinbase.url),
    symbol: 'BTC/USD',
    old: 300,
    other: { symbol: 'DOGE/USD', id: 'DOGE-USD' },
  },
  kraken: {
    client: () => over(new ccxt.kraken(), sources.kraken.url),
    symbol: 'BTC/USD',
    old: 720,
    other: { symbol: 'DOGE/USD', id: 'XDGUSD' },
  },
} as const;

const spotOnly = { fetchMarkets: { types: ['spot'] }, fetchMargins: false };

function over<E extends Exchange>(exchange: E, url: string): E {
  exchange.enableRateLimit = false;
  exchange.urls.api = { ...(exchange.urls.api as object), public: url };
  exchange.has.fetchCurrencies = false;
  return exchange;
}

const banOf = ({ message }: Error) => (message.includes('banned') ? 'banned' : 'told to wait');

beforeEach(async () => {
  sources = await startSimulated({ now: () => NOW });
  const answer = await fetch(`${sources.provider.url}/tickers/btc-bitcoin`);
  price = ((await answer.json()) as { quotes: { USD: { price: number } } }).quotes.USD.price;
});
afterEach(async () => {
  await sources.close();
});

describe.each(Object.keys(exchanges) as (keyof typeof exchanges)[])('ccxt reads the simulated %s', (name) => {
  const { client, symbol, old, other } = exchanges[name];

  it('and finds its markets, under the symbols that everybody has for them', async () => {
    const markets = await client().loadMarkets();
    expect(markets[symbol]).toMatchObject({ base: 'BTC', active: true, spot: true });
    expect(markets[other.symbol]).toMatchObject({ id: other.id, base: 'DOGE' });
    // For ccxt a market of Coinbase is active as long as it is listed.
    const closed = name === 'coinbase' ? ['delisted'] : ['delisted', 'halted'];
    const open = sources[name].markets.filter(({ state }) => !closed.includes(state));
    expect(
      Object.values(markets).filter((market) => market && 'active' in market && market.active),
    ).toHaveLength(open.length);
  });

  it.each([
    ['1d', DAY_MS],
    ['1h', HOUR_MS],
  ])('and its candles by %s: ascending, whole, the last one running', async (timeframe, stepMs) => {
    const rows = await client().fetchOHLCV(symbol, timeframe, undefined, 100);
    const last = Math.floor(NOW / stepMs) * stepMs;
    expect(rows.slice(-100).map(([time]) => time)).toEqual(
      Array.from({ length: 100 }, (_, index) => last - (99 - index) * stepMs),
    );
    for (const [, open = 0, high = 0, low = 0, close = 0, volume = 0] of rows) {
      expect(high).toBeGreaterThanOrEqual(Math.max(open, close));
      expect(low).toBeLessThanOrEqual(Math.min(open, close));
      expect([low > 0, volume > 0]).toEqual([true, true]);
    }
    expect(rows.at(-1)?.[4]).toBe((await client().fetchTicker(symbol)).last);
  });

  it('and as many of them as there are in one answer', async () => {
    const rows = await client().fetchOHLCV(symbol, '1d', TODAY - (old - 1) * DAY_MS, old);
    expect([rows.length, rows[0]?.[0], rows.at(-1)?.[0]]).toEqual([old, TODAY - (old - 1) * DAY_MS, TODAY]);
  });

  it('and prices that are those of the provider, within half a percent', async () => {
    const { last = 0, baseVolume = 0 } = await client().fetchTicker(symbol);
    expect(Math.abs(last / price - 1)).toBeLessThan(0.005);
    expect(baseVolume).toBeGreaterThan(0);
  });

  it('and days that are the fold of their hours', async () => {
    const day = (await client().fetchOHLCV(symbol, '1d', TODAY - DAY_MS, 1))[0];
    const hours = (await client().fetchOHLCV(symbol, '1h', TODAY - DAY_MS, 24)).slice(0, 24);
    const column = (index: number) => hours.map((row: OHLCV) => row[index] ?? 0);
    expect(day?.slice(0, 5)).toEqual([
      TODAY - DAY_MS,
      column(1)[0],
      Math.max(...column(2)),
      Math.min(...column(3)),
      column(4).at(-1),
    ]);
    expect(column(5).reduce((sum, volume) => sum + volume, 0)).toBeCloseTo(day?.[5] ?? 0, 4);
  });

  it('and knows what it means that there is no such market', async () => {
    const reader = client();
    await reader.loadMarkets();
    const id = name === 'coinbase' ? 'NO-USD' : 'NOUSD';
    const market = { ...reader.market(symbol), id, symbol: 'NO/USD' };
    reader.markets = { ...reader.markets, 'NO/USD': market };
    const expected = name === 'binance' ? ccxt.BadSymbol : ccxt.ExchangeError; // for ccxt theirs is any error
    await expect(reader.fetchTicker('NO/USD')).rejects.toThrow(expected);
  });

  it('and that it sent too many requests, or is banned', async () => {
    const reader = client();
    await reader.loadMarkets();
    sources[name].setFault('limit');
    await expect(reader.fetchTicker(symbol)).rejects.toThrow(ccxt.NetworkError);
    sources[name].setFault('status=503');
    await expect(reader.fetchTicker(symbol)).rejects.toThrow(ccxt.ExchangeNotAvailable);
    sources[name].setFault('hang');
    reader.timeout = 200;
    await expect(reader.fetchTicker(symbol)).rejects.toThrow(ccxt.RequestTimeout);
  });
});

it('ccxt reads the tickers of all markets at once, of those that have such a request', async () => {
  for (const name of ['binance', 'kraken'] as const) {
    const tickers = await exchanges[name].client().fetchTickers();
    const told = sources[name].markets.filter(({ state }) => state !== 'delisted');
    expect(Object.keys(tickers)).toHaveLength(told.length);
  }
});

it('ccxt has to wait, and is banned from Binance if it does not', async () => {
  const limited = await startSimulated({ now: () => NOW, limits: realLimits });
  try {
    const reader = over(new ccxt.binance({ options: spotOnly }), `${limited.binance.url}/api/v3`);
    const outcomes = new Set<string>();
    for (let count = 0; count < 90; count++) {
      const outcome = await reader.fetchTickers().then(
        () => 'answered',
        (error: unknown) => (error instanceof ccxt.DDoSProtection ? banOf(error) : 'failed'),
      );
      outcomes.add(outcome);
    }
    expect([...outcomes]).toEqual(['answered', 'told to wait', 'banned']);
  } finally {
    await limited.close();
  }
});
