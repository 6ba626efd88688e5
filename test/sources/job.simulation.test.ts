import { afterEach, describe, expect, it, vi } from 'vitest';
import { defaultCoins } from '../../local/simulated/market.ts';
import { call } from '../pipeline/event.ts';
import { startBetween, startLiar } from './liar.ts';
import { startWorld, type World } from './world.ts';

const HOUR_MS = 3_600_000;
const LISTINGS = '/bucket/sources/listings.v1';
/** As few coins as show that nothing happens to the others. */
const FEW = { listed: 20, coins: defaultCoins.slice(0, 40) };

let world: World;
async function start(options: Parameters<typeof startWorld>[0] = {}): Promise<World> {
  world = await startWorld(options);
  return world;
}
afterEach(() => world.close());

async function metrics() {
  const { takeMetrics } = await import('../../shared/platform/metrics.ts');
  return JSON.parse(takeMetrics('n') ?? '{}');
}
const of = (exchange: string, map: Record<string, string>) =>
  Object.fromEntries(Object.entries(map).filter(([market]) => market.startsWith(`${exchange} `)));

describe('the job of the markets', () => {
  it('finds the coins of all markets in the first run, and falls into no trap', async () => {
    const { runs, map, truth, store } = await start();
    const result = await runs(1);
    expect(result).toMatchObject({ dropped: [] });
    expect(result).not.toHaveProperty('note');
    expect(await map()).toEqual(truth());
    const quotes = await store.quotes();
    expect(quotes?.takenAt).toBe(Date.now());
    expect(quotes?.coins.size).toBe(new Set(Object.values(truth())).size);
    expect(quotes?.coins.get('btc-bitcoin')?.map(({ exchange }) => exchange)).toEqual([
      'coinbase',
      'kraken',
      'binance',
    ]);
    expect((await metrics()).MarketsMapped.at(-1)).toBe(Object.keys(truth()).length);
  });

  it('maps nothing without the provider’s list, all with it, and keeps that when it is damaged or gone', async () => {
    const { runs, list, map, truth, provider, s3 } = await start(FEW);
    provider.setFault('status=404@/exchanges/');
    await list();
    const note = 'No market was added: the provider’s lists of markets are missing';
    expect(await runs(1)).toMatchObject({ coins: 0, note });
    provider.setFault(null);
    await list();
    await runs(1);
    expect(await map()).toEqual(truth());

    const { [LISTINGS]: stored } = Object.fromEntries(s3.objects);
    for (const damage of [
      () => s3.objects.set(LISTINGS, Buffer.from('{')),
      () => s3.objects.delete(LISTINGS),
    ]) {
      damage();
      expect(await runs(2)).toMatchObject({ note, dropped: [] });
      expect(await map()).toEqual(truth());
    }
    if (stored) s3.objects.set(LISTINGS, stored);
    expect(await runs(1)).not.toHaveProperty('note');
  });

  it('drops a market at the next list when it is halted, and has it back when it is open again', async () => {
    const { runs, map, truth, sources } = await start(FEW);
    await runs(1);
    const market = sources.kraken.markets.find(({ base, quote }) => base === 'BTC' && quote === 'USD');
    if (!market) throw new Error('Kraken has no BTC/USD');
    market.state = 'halted';
    vi.setSystemTime(Date.now() + HOUR_MS);
    await runs(1);
    expect(await map()).toEqual(truth()); // another quote takes its place
    market.state = 'open';
    vi.setSystemTime(Date.now() + HOUR_MS);
    await runs(1);
    expect(await map()).toEqual(truth());
  });

  it('prefers exchanges in the order of the setting, and forgets one that is taken out of it', async () => {
    const { runs, map, store } = await start(FEW);
    vi.stubEnv('CANDLE_SOURCES', 'binance,coinbase');
    await runs(1);
    const markets = (await store.map())?.coins.get('btc-bitcoin');
    expect(markets?.map(({ exchange }) => exchange)).toEqual(['binance', 'coinbase']);
    expect(of('kraken', await map())).toEqual({});
  });

  it('continues to publish prices while the provider is silent, for longer than a day', async () => {
    const { runs, map, truth, provider, store } = await start(FEW);
    await runs(1);
    provider.setFault('status=500');
    vi.setSystemTime(Date.now() + 26 * HOUR_MS);
    await runs(2);
    expect(await map()).toEqual(truth());
    const quotes = await store.quotes();
    expect([quotes?.takenAt, quotes?.coins.size]).toEqual([Date.now(), 20]);
  });
});

describe('a provider that lies about a coin for an hour', () => {
  const qualityOf = async (id: string) => {
    const { openSnapshot } = await import('../../shared/marketdata/store/snapshot.ts');
    const bytes = world.s3.objects.get('/bucket/snapshot/tickers.v4');
    return bytes && openSnapshot(bytes).ticker(id)?.quality;
  };

  it('takes no market from it, and is disputed all the while', async () => {
    const { runs, map, truth, provider } = await start(FEW);
    const factors = await startLiar(provider.url);
    await runs(1);
    factors.set('btc-bitcoin', 0.6);
    for (let run = 0; run < 6; run++) {
      await runs(1);
      expect(await map()).toEqual(truth());
      expect(await qualityOf('btc-bitcoin')).toBe('disputed');
    }
    factors.clear();
    await runs(1);
    expect(await qualityOf('btc-bitcoin')).toBeUndefined();
    expect(await map()).toEqual(truth());
  });
});

describe('an exchange', () => {
  it.each(['status=451', 'drop', 'garbage', 'lie=scaled'])(
    'that fails from the first (%s) changes nothing for the others',
    async (fault) => {
      const { runs, map, truth, sources } = await start(FEW);
      sources.kraken.setFault(fault);
      const result = await runs(1);
      const [found, right] = [await map(), truth()];
      expect(of('coinbase', found)).toEqual(of('coinbase', right));
      expect(of('binance', found)).toEqual(of('binance', right));
      expect(of('kraken', found)).toEqual({});
      if (!fault.startsWith('lie')) expect(result).toHaveProperty('exchanges.kraken.problem');
    },
  );

  it('that fails later on keeps its markets, and says nothing', async () => {
    const { runs, map, truth, sources, store } = await start(FEW);
    await runs(1);
    sources.kraken.setFault('status=451');
    vi.setSystemTime(Date.now() + HOUR_MS);
    await runs(1);
    expect(await map()).toEqual(truth());
    const said = [...((await store.quotes())?.coins.values() ?? [])].flat();
    expect(new Set(said.map(({ exchange }) => exchange))).toEqual(new Set(['coinbase', 'binance']));

    sources.kraken.setFault(null);
    vi.setSystemTime(Date.now() + 3 * HOUR_MS);
    expect(await runs(1)).not.toHaveProperty('exchanges.kraken.problem');
    expect(await map()).toEqual(truth());
  });

  it('that lies about all prices loses its markets after three runs, and no other does', async () => {
    const { runs, map, truth, sources } = await start(FEW);
    await runs(1);
    sources.binance.setFault('lie=scaled');
    await runs(2);
    expect(await map()).toEqual(truth());
    expect(await runs(1)).toMatchObject({
      dropped: expect.arrayContaining([expect.stringContaining('(far)')]),
    });
    expect(of('binance', await map())).toEqual({});
    expect(of('coinbase', await map())).toEqual(of('coinbase', truth()));

    sources.binance.setFault(null);
    await runs(1);
    expect(await map()).toEqual(truth());
  });
});

async function ticker(id: string) {
  const { handler } = await import('../../functions/marketdata/ticker/handler.ts');
  return call(handler, { path: `/api/marketdata/ticker/${id}`, pathParameters: { id } });
}

describe('a price of an exchange while the provider is silent', () => {
  const MINUTE_MS = 60_000;

  /** Two runs of an outage: the second one publishes what that exchange alone said in the first. */
  async function tickerBy(exchange: string) {
    vi.stubEnv('CANDLE_SOURCES', exchange);
    await world.runs(1);
    world.provider.setFault('status=500');
    await world.runs(2);
    return ticker('btc-bitcoin');
  }
  /** Binance dates prices so many minutes too late, once `isWrong`. */
  async function startShifted(minutes: number) {
    const shifted = { isWrong: false };
    await startBetween('BINANCE_BASE_URL', world.sources.binance.url, (json, path) => {
      if (!shifted.isWrong || !path.includes('ticker/24hr')) return;
      const tickers = json as { closeTime: number }[]; // that is what this path gives
      for (const one of tickers) one.closeTime += minutes * MINUTE_MS;
    });
    return shifted;
  }

  it('is as old as it says itself', async () => {
    await start(FEW);
    (await startShifted(-3)).isWrong = true;
    const { headers } = await tickerBy('binance');
    expect(headers).toMatchObject({ 'x-data-source': 'binance', 'x-data-quality': 'exact' });
    expect(Date.parse(String(headers['x-data-time']))).toBe(Date.now() - 3 * MINUTE_MS);
  });

  it.each([
    ['of two days ago', -2 * 24 * 60],
    ['of half an hour ago', -31],
    ['of five minutes ago', -5],
    ['of the future', 5],
  ])('counts for nothing if it is %s by its own word', async (_what, minutes) => {
    const { provider, runs } = await start(FEW);
    const shifted = await startShifted(minutes);
    vi.stubEnv('CANDLE_SOURCES', 'binance');
    await runs(1);
    const listedAt = Date.now();
    provider.setFault('status=500');
    shifted.isWrong = true;
    await runs(2);

    const { status, headers } = await ticker('btc-bitcoin');
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'x-data-source': 'simulated', 'x-data-quality': 'stale' });
    expect(Date.parse(String(headers['x-data-time']))).toBeLessThanOrEqual(listedAt);
  });

  it('is confirmed by another exchange, and never by itself', async () => {
    await start(FEW);
    const { headers, body } = await tickerBy('kraken');
    expect(headers).toMatchObject({ 'x-data-source': 'simulated', 'x-data-quality': 'exact' });
    expect(body).toMatchObject({
      data: { sources: null, quotes: { USD: { figures_at: expect.any(String) } } },
    });

    vi.resetModules();
    vi.stubEnv('CANDLE_SOURCES', 'kraken,binance');
    world.provider.setFault(null);
    await world.list(); // it has another exchange now
    await world.runs(1);
    world.provider.setFault('status=500');
    await world.runs(2);
    expect(await ticker('btc-bitcoin')).toMatchObject({
      headers: { 'x-data-source': 'simulated' },
      body: {
        data: { sources: { prices: [{ exchange: 'kraken' }, { exchange: 'binance' }], agreeing: 2, of: 2 } },
      },
    });
  });
});
