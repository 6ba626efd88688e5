import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Found } from '../../functions/marketdata/jobs/markets/run.ts';
import { exchangeNames, withTetherAt } from '../../local/exchanges/index.ts';
import { defaultCoins } from '../../local/provider/coins.ts';
import { seedStore } from '../../local/seed/index.ts';
import { startLiar } from './liar.ts';
import { runMarkets, startWorld, type World } from './world.ts';

const HOUR_MS = 3_600_000;
/** As many as it takes to see that nothing happens to the others. */
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
  it('finds the coins of all markets in three runs, and falls into no trap', async () => {
    const { runs, map, truth, store } = await start();
    await runs(2);
    expect(await map()).toEqual({});

    expect(await runs(1)).toMatchObject({ coins: 100, dropped: [] });
    expect(await map()).toEqual(truth());
    const quotes = await store.quotes();
    expect(quotes?.takenAt).toBe(Date.now());
    expect(quotes?.coins.size).toBe(100);
    expect(quotes?.coins.get('btc-bitcoin')?.map(({ exchange }) => exchange)).toEqual([
      'coinbase',
      'kraken',
      'binance',
    ]);
    expect((await metrics()).MarketsMapped.at(-1)).toBe(Object.keys(truth()).length);
  });

  it('keeps what a simulated start knows already, which is what it finds', async () => {
    const { provider, runs, map, truth, sources, s3 } = await start();
    seedStore(s3.objects, 'bucket', provider.world, { sources, exchanges: exchangeNames });
    expect(await map()).toEqual(truth());
    expect(await runs(1)).toMatchObject({ coins: 100, dropped: [] });
    await runs(3);
    expect(await map()).toEqual(truth());
  });

  it('loses no market and finds no other while USDT is at 0.93', async () => {
    const { runs, map, truth } = await start({ coins: withTetherAt(0.93, defaultCoins) });
    await runs(3);
    expect(await map()).toEqual(truth());
    await runs(3);
    expect(await map()).toEqual(truth());
  });

  it('drops a market at the next list when it is halted, and has it back when it is open again', async () => {
    const { runs, map, truth, sources } = await start(FEW);
    await runs(3);
    const market = sources.kraken.markets.find(({ base, quote }) => base === 'BTC' && quote === 'USD');
    if (!market) throw new Error('Kraken has no BTC/USD');
    market.state = 'halted';
    vi.setSystemTime(Date.now() + HOUR_MS);
    await runs(1);
    expect(await map()).toEqual(truth()); // another quote takes its place
    market.state = 'open';
    vi.setSystemTime(Date.now() + HOUR_MS);
    await runs(3);
    expect(await map()).toEqual(truth());
  });

  it('asks for the lists of markets once an hour, and for prices each run', async () => {
    const { runs, sources } = await start(FEW);
    await runs(6);
    expect(sources.kraken.calls.byPath).toEqual({ '/0/public/AssetPairs': 1, '/0/public/Ticker': 6 });
    await runs(1);
    expect(sources.kraken.calls.byPath).toEqual({ '/0/public/AssetPairs': 2, '/0/public/Ticker': 7 });
  });

  it('prefers exchanges in the order of the setting, and forgets one that is taken out of it', async () => {
    const { runs, map, store } = await start(FEW);
    vi.stubEnv('CANDLE_SOURCES', 'binance,coinbase');
    await runs(3);
    const markets = (await store.map())?.coins.get('btc-bitcoin');
    expect(markets?.map(({ exchange }) => exchange)).toEqual(['binance', 'coinbase']);
    expect(of('kraken', await map())).toEqual({});
  });

  it('does nothing without exchanges, and says so', async () => {
    const { s3, sources } = await start();
    vi.stubEnv('CANDLE_SOURCES', '');
    expect(await runMarkets()).toBe('CANDLE_SOURCES is empty: no exchange is asked');
    expect(s3.requests).toEqual([]);
    expect(sources.kraken.calls.total).toBe(0);
  });

  it.each(['SNAPSHOT_BUCKET', 'SOURCES_BUCKET'])('fails without %s, and says so', async (name) => {
    await start();
    vi.stubEnv(name, undefined);
    await expect(runMarkets()).rejects.toThrow(`Environment variable ${name} is not set`);
  });

  it('maps nothing before there is a snapshot', async () => {
    const { map } = await start();
    expect(await runMarkets()).toMatchObject({ coins: 0, note: expect.stringContaining('no snapshot') });
    expect(await map()).toEqual({});
  });

  it('goes on telling prices while the provider is silent, for longer than a day', async () => {
    const { runs, map, truth, provider, store } = await start(FEW);
    await runs(3);
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
    const { openSnapshot } = await import('../../shared/marketdata/snapshot/snapshot.ts');
    const bytes = world.s3.objects.get('/bucket/snapshot/tickers');
    return bytes && openSnapshot(bytes).ticker(id)?.quality;
  };

  it('takes no market from it, and is disputed all the while', async () => {
    const { runs, map, truth, provider } = await start(FEW);
    const factors = await startLiar(provider.url);
    await runs(3);
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

  it('takes the market of the only exchange after three runs, and gives it back three after', async () => {
    const { runs, map, truth, provider } = await start(FEW);
    vi.stubEnv('CANDLE_SOURCES', 'kraken');
    const factors = await startLiar(provider.url);
    await runs(3);
    const right = of('kraken', truth());
    expect(await map()).toEqual(right);
    factors.set('btc-bitcoin', 0.6);
    await runs(2);
    expect(await map()).toEqual(right);
    const { dropped } = (await runs(1)) as Found; // it has a snapshot, and exchanges to ask
    expect(dropped.length).toBeGreaterThan(0);
    for (const one of dropped) expect(one).toMatch(/^kraken .*: btc-bitcoin \(far\)$/);
    factors.clear();
    await runs(3);
    expect(await map()).toEqual(right);
  });
});

describe('an exchange', () => {
  it.each(['status=500', 'status=451', 'status=418', 'status=429', 'drop', 'garbage', 'lie=scaled'])(
    'that fails from the first (%s) changes nothing for the others',
    async (fault) => {
      const { runs, map, truth, sources } = await start(FEW);
      sources.kraken.setFault(fault);
      const result = await runs(3);
      const [found, right] = [await map(), truth()];
      expect(of('coinbase', found)).toEqual(of('coinbase', right));
      expect(of('binance', found)).toEqual(of('binance', right));
      expect(of('kraken', found)).toEqual({});
      if (!fault.startsWith('lie')) expect(result).toHaveProperty('exchanges.kraken.problem');
    },
  );

  it.each(['status=451', 'garbage'])(
    'that fails later on (%s) keeps its markets, and says nothing',
    async (fault) => {
      const { runs, map, truth, sources, store } = await start(FEW);
      await runs(3);
      sources.kraken.setFault(fault);
      vi.setSystemTime(Date.now() + HOUR_MS);
      await runs(1);
      expect(await map()).toEqual(truth());
      const said = [...((await store.quotes())?.coins.values() ?? [])].flat();
      expect(new Set(said.map(({ exchange }) => exchange))).toEqual(new Set(['coinbase', 'binance']));

      sources.kraken.setFault(null);
      vi.setSystemTime(Date.now() + 3 * HOUR_MS);
      expect(await runs(1)).not.toHaveProperty('exchanges.kraken.problem');
      expect(await map()).toEqual(truth());
    },
  );

  it('that lies about all prices loses its markets after three runs, and no other does', async () => {
    const { runs, map, truth, sources } = await start(FEW);
    await runs(3);
    sources.binance.setFault('lie=scaled');
    await runs(2);
    expect(await map()).toEqual(truth());
    expect(await runs(1)).toMatchObject({
      dropped: expect.arrayContaining([expect.stringContaining('(far)')]),
    });
    expect(of('binance', await map())).toEqual({});
    expect(of('coinbase', await map())).toEqual(of('coinbase', truth()));

    sources.binance.setFault(null);
    await runs(3);
    expect(await map()).toEqual(truth());
  });
});

describe('two runs at once', () => {
  it('lose one of them, and nothing else', async () => {
    const { runs, map, truth, s3 } = await start(FEW);
    await runs(2);
    vi.setSystemTime(Date.now() + 600_000);
    const snapshot = await import('../../functions/marketdata/jobs/snapshot/handler.ts');
    await snapshot.handler();
    s3.delayMs = 20;
    const results = await Promise.all([runMarkets(), runMarkets()]);
    expect(results.filter((one) => JSON.stringify(one).includes('another run was quicker'))).toHaveLength(1);
    expect(await map()).toEqual(truth());
  });
});

describe('a run', () => {
  it('that ends between its writes leaves what was there, or what is new', async () => {
    const { runs, map, truth, s3 } = await start(FEW);
    await runs(2);
    s3.failing = '/bucket/sources/manifest';
    await expect(runs(1)).rejects.toThrow('S3 answered 500');
    s3.failing = '';
    expect(await map()).toEqual({});
    await runs(1);
    expect(await map()).toEqual(truth());

    s3.failing = '/bucket/sources/quotes';
    await expect(runs(1)).rejects.toThrow();
    s3.failing = '';
    expect(await map()).toEqual(truth());
  });

  it('begins anew if what is there cannot be used', async () => {
    const { runs, map, truth, s3 } = await start(FEW);
    await runs(3);
    for (const path of s3.objects.keys()) {
      if (path.startsWith('/bucket/sources/')) s3.objects.set(path, Buffer.from('{'));
    }
    await runs(1);
    expect(await map()).toEqual({});
    await runs(2);
    expect(await map()).toEqual(truth());
  });

  it('at a clock that was set back loses nothing', async () => {
    const { runs, map, truth, store } = await start(FEW);
    await runs(3);
    vi.setSystemTime(Date.now() - 5 * HOUR_MS);
    await runMarkets();
    expect(await map()).toEqual(truth());
    expect((await store.quotes())?.takenAt).toBe(Date.now());
  });
});
