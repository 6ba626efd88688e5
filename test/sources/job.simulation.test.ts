import { afterEach, describe, expect, it, vi } from 'vitest';
import type { MarketsReport } from '../../functions/marketdata/jobs/markets/handler.ts';
import { defaultCoins } from '../../local/simulated/market.ts';
import { exchangeNames, withTetherAt } from '../../local/simulated/markets.ts';
import { seedStore } from '../../local/simulated/past.ts';
import { call } from '../pipeline/event.ts';
import { startBetween, startLiar } from './liar.ts';
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

/** In place: the last row of a list becomes a number, wherever an exchange has its list. */
function spoilLastRow(json: unknown): void {
  const { symbols, result } = json as { symbols?: unknown[]; result?: object }; // as Binance and Kraken have them
  const list = symbols ?? result ?? json;
  if (typeof list !== 'object' || list === null || Object.keys(list).length < 2) return;
  if ('price' in list || 'time' in list) return; // one market's, of Coinbase
  Object.assign(list, { [Object.keys(list).at(-1) ?? '']: 7 });
}

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
    const { runs, map, truth, sources, s3 } = await start();
    seedStore(s3.objects, 'bucket', sources, exchangeNames);
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

  it('loses one market alone whose row is of a wrong shape, in every list of every exchange', async () => {
    const { runs, map, truth, sources } = await start(FEW);
    for (const name of exchangeNames)
      await startBetween(`${name.toUpperCase()}_BASE_URL`, sources[name].url, spoilLastRow);
    const found = (await runs(3)) as MarketsReport; // the job's own result

    expect(Object.values(found.exchanges).map(({ problem }) => problem)).toEqual(Array(3).fill(undefined));
    const lost = Object.keys(truth()).length - Object.keys(await map()).length;
    expect(lost).toBeLessThanOrEqual(2 * exchangeNames.length); // of the markets' list, and of the prices'
    expect((await metrics()).RowsUnreadable).toBeGreaterThan(0);
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
    const { openSnapshot } = await import('../../shared/marketdata/store/snapshot.ts');
    const bytes = world.s3.objects.get('/bucket/snapshot/tickers.v3');
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
    const { dropped } = (await runs(1)) as MarketsReport; // it has a snapshot, and exchanges to ask
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

async function ticker(id: string) {
  const { handler } = await import('../../functions/marketdata/ticker/handler.ts');
  return call(handler, { path: `/api/marketdata/ticker/${id}`, pathParameters: { id } });
}

describe('Coinbase, if it tells no more of all markets at once', () => {
  it('is asked market by market: all are mapped, and stand in for the provider', async () => {
    const { runs, map, truth, provider, sources } = await start(FEW);
    vi.stubEnv('CANDLE_SOURCES', 'coinbase');
    sources.coinbase.setFault('status=404@/products/stats');
    await runs(3);
    expect(await map()).toEqual(of('coinbase', truth()));

    provider.setFault('status=500');
    await runs(3);
    const { status, headers } = await ticker('btc-bitcoin');
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'x-data-source': 'coinbase', 'x-data-quality': 'exact' });
  });
});

describe('a price of an exchange while the provider is silent', () => {
  const MINUTE_MS = 60_000;

  /** Two runs of an outage: the second one publishes what that exchange alone said in the first. */
  async function tickerBy(exchange: string) {
    vi.stubEnv('CANDLE_SOURCES', exchange);
    await world.runs(3);
    world.provider.setFault('status=500');
    await world.runs(2);
    return ticker('btc-bitcoin');
  }
  /** Binance tells prices as of so many minutes later than they are, once `isWrong`. */
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
    (await startShifted(-15)).isWrong = true;
    const { headers } = await tickerBy('binance');
    expect(headers).toMatchObject({ 'x-data-source': 'binance', 'x-data-quality': 'exact' });
    expect(Date.parse(String(headers['x-data-time']))).toBe(Date.now() - 25 * MINUTE_MS); // it was told ten minutes ago
  });

  it.each([
    ['of two days ago', -2 * 24 * 60],
    ['of half an hour ago', -31],
    ['of the future', 5],
  ])('counts for nothing if it is %s by its own word', async (_what, minutes) => {
    const { provider, runs } = await start(FEW);
    const shifted = await startShifted(minutes);
    vi.stubEnv('CANDLE_SOURCES', 'binance');
    await runs(3);
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
    expect(headers).toMatchObject({ 'x-data-source': 'kraken', 'x-data-quality': 'exact' });
    expect(body).toMatchObject({ data: { sources: null } });

    vi.resetModules();
    vi.stubEnv('CANDLE_SOURCES', 'kraken,binance');
    world.provider.setFault(null);
    await world.runs(3);
    world.provider.setFault('status=500');
    await world.runs(2);
    expect(await ticker('btc-bitcoin')).toMatchObject({
      headers: { 'x-data-source': 'kraken,binance' },
      body: { data: { sources: { agreeing: 2, of: 2 } } },
    });
  });
});

describe('a market of an exchange', () => {
  type Fields = Record<string, unknown>;
  const lists = {
    coinbase: ['COINBASE_BASE_URL', '/products', 'BTC-USD', (json: unknown) => json],
    kraken: ['KRAKEN_BASE_URL', '/0/public/AssetPairs', 'XXBTZUSD', (json: Fields) => json.result],
    binance: ['BINANCE_BASE_URL', '/api/v3/exchangeInfo', 'BTCUSDC', (json: Fields) => json.symbols],
  } as const;

  /** Whether the market has a coin after three runs, if these are its fields in the exchange's list. */
  async function isMapped(exchange: keyof typeof lists, fields: Fields): Promise<boolean> {
    const { runs, store, sources } = await start(FEW);
    const [variable, list, market, marketsIn] = lists[exchange];
    await startBetween(variable, sources[exchange].url, (json, path) => {
      if (path.split('?')[0] !== list) return;
      const all = Object.entries(marketsIn(json as Fields) as Record<string, Fields>); // as its protocol says
      const [, found] = all.find(([key, { id = key, symbol = id }]) => symbol === market) ?? [];
      Object.assign(found ?? {}, fields);
    });
    vi.stubEnv('CANDLE_SOURCES', exchange);
    await runs(3);
    const mapped = (await store.map())?.coins.get('btc-bitcoin') ?? [];
    return mapped.some((one) => one.market === market);
  }

  it.each<[keyof typeof lists, Fields]>([
    ['coinbase', { trading_disabled: true }],
    ['coinbase', { trading_disabled: 'true' }],
    ['coinbase', { trading_disabled: 1 }],
    ['coinbase', { cancel_only: true }],
    ['coinbase', { cancel_only: 'True' }],
    ['coinbase', { auction_mode: true }],
    ['coinbase', { post_only: true }],
    ['coinbase', { status: 'offline' }],
    ['coinbase', { status: 'internal' }],
    ['kraken', { status: 'cancel_only' }],
    ['kraken', { status: 'post_only' }],
    ['kraken', { status: 'reduce_only' }],
    ['binance', { status: 'HALT' }],
    ['binance', { isSpotTradingAllowed: false }],
    ['binance', { isSpotTradingAllowed: 'false' }],
    ['binance', { permissions: ['MARGIN'] }],
    ['binance', { permissionSets: [['TRD_GRP_004', 'MARGIN']] }],
  ])('of %s that nobody can trade in on the spot, %j, is closed', async (exchange, fields) => {
    expect(await isMapped(exchange, fields)).toBe(false);
  });

  it.each<[keyof typeof lists, Fields]>([
    ['coinbase', { trading_disabled: 'false', cancel_only: 'false', auction_mode: null, limit_only: true }],
    ['coinbase', { post_only: undefined, auction_mode: undefined, status: 'Online' }],
    ['kraken', { status: 'limit_only' }],
    ['binance', { permissions: ['SPOT'], permissionSets: [] }],
    ['binance', { permissionSets: [['MARGIN', 'SPOT'], ['LEVERAGED']], isSpotTradingAllowed: undefined }],
  ])('of %s that has trades, %j, is open', async (exchange, fields) => {
    expect(await isMapped(exchange, fields)).toBe(true);
  });

  it.each([
    ['that contradicts its prices', '250', 1 / 1.05, expect.closeTo(5, 4)],
    ['below -100 %', '-250', 1 / 0.75, expect.closeTo(-25, 4)],
    ['from nothing', '12', 0, null],
    ['that nothing ever made in a day', '12', 1e-5, null],
  ])('tells no change of 24 hours %s', async (_what, priceChangePercent, opened, expected) => {
    const { runs, sources, provider } = await start(FEW);
    await startBetween('BINANCE_BASE_URL', sources.binance.url, (json, path) => {
      if (!path.includes('ticker/24hr')) return;
      for (const one of json as Fields[]) {
        const openPrice = String(Number(one.lastPrice) * opened);
        Object.assign(one, { priceChangePercent, openPrice }); // each is a ticker
      }
    });
    vi.stubEnv('CANDLE_SOURCES', 'binance');
    await runs(3);
    provider.setFault('status=500');
    await runs(2);
    expect(await ticker('btc-bitcoin')).toMatchObject({
      headers: { 'x-data-source': 'binance' },
      body: { data: { quotes: { USD: { percent_change_24h: expected } } } },
    });
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
    const before = s3.requests.length;
    const first = runMarkets();
    await vi.waitUntil(() => s3.requests.length > before, { interval: 1 });
    vi.setSystemTime(Date.now() + 1000);
    const results = await Promise.all([first, runMarkets()]);
    expect(results.filter((one) => JSON.stringify(one).includes('another run was quicker'))).toHaveLength(1);
    expect(await map()).toEqual(truth());
  });
});

describe('a run', () => {
  it('that ends between its writes leaves what was there, or what is new', async () => {
    const { runs, map, truth, s3 } = await start(FEW);
    await runs(2);
    s3.failing = '/bucket/sources/map.v2';
    await expect(runs(1)).rejects.toThrow('S3 answered 500');
    s3.failing = '';
    expect(await map()).toEqual({});
    await runs(1);
    expect(await map()).toEqual(truth());

    s3.failing = '/bucket/sources/quotes.v1';
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
