import { expect, onTestFinished, test } from 'vitest';
import { startForTest as startProvider } from '../provider/provider.testing.ts';
import { get, NOW, startForTest } from './exchanges.testing.ts';
import { settings, sourceNames, startSimulatedExchanges } from './index.ts';

test('all tell the provider’s prices of this moment, within half a percent', async () => {
  const provider = await startProvider({ now: () => NOW });
  const sources = await startSimulatedExchanges({ world: provider.world });
  onTestFinished(() => sources.close());
  expect(Object.keys(sources.environment)).toEqual(Object.values(settings));
  const ticker = await get<{ quotes: { USD: { price: number } } }>(provider, '/tickers/btc-bitcoin');
  const coinbase = await get<{ price: string }>(sources.coinbase, '/products/BTC-USD/ticker');
  const kraken = await get<{ result: { XXBTZUSD: { c: [string] } } }>(
    sources.kraken,
    '/0/public/Ticker?pair=XBTUSD',
  );
  const binance = await get<{ price: string }>(sources.binance, '/api/v3/ticker/price?symbol=BTCUSDT');
  const told = [coinbase.json.price, kraken.json.result.XXBTZUSD.c[0], binance.json.price].map(Number);
  for (const price of told) expect(price / ticker.json.quotes.USD.price).toBeCloseTo(1, 2);
  expect(new Set(told).size).toBe(3);
});

test.each(sourceNames)(
  '%s says that it is simulated, unless it is to be taken for the real one',
  async (name) => {
    const path = name === 'defillama' ? '/prices/current/bsc:0x1' : '/products';
    const told = async (genuine: boolean) => {
      const { url } = await startForTest(name, { genuine });
      return (await fetch(url + path)).headers.get('x-data-source');
    };
    expect([await told(false), await told(true)]).toEqual(['simulated', null]);
  },
);

test.each(sourceNames)('%s fails on demand, as the provider does, and counts its calls', async (name) => {
  const source = await startForTest(name, { fault: 'status=503x1@/x' });
  const status = async () => (await fetch(`${source.url}/x`)).status;
  expect([await status(), (await status()) === 503]).toEqual([503, false]);
  source.setFault('drop');
  await expect(status()).rejects.toThrow('fetch failed');
  const control = await fetch(`${source.url}/__fault`, { method: 'POST', body: 'latency=1ms' });
  expect([control.status, (await status()) === 503]).toEqual([204, false]);
  expect(source.calls.byPath).toEqual({ '/x': 4 });
  expect(() => source.setFault('lie=white')).toThrow(/lie=\w+\|\w+\|/);
});

test('the same seed gives the same market, and another one another', async () => {
  const candles = async (seed: number) =>
    (await get(await startForTest('binance', { seed }), '/api/v3/klines?symbol=ETHUSDT&interval=1h&limit=5'))
      .json;
  expect(await candles(1)).toEqual(await candles(1));
  expect(await candles(2)).not.toEqual(await candles(1));
});

test('a fault whose text is bad starts nothing', async () => {
  await expect(startSimulatedExchanges({ faults: { kraken: 'explode' } })).rejects.toThrow(
    'Bad fault "explode"',
  );
});
