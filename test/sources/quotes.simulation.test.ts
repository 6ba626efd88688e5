/** The job of the quotes, with exchanges that lie, stop, go back in time or halt a market; read at the ticker's door. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { defaultCoins } from '../../local/simulated/market.ts';
import type { MarketQuote } from '../../shared/marketdata/sources/market.ts';
import { call } from '../pipeline/event.ts';
import { startBetween, startLiar } from './liar.ts';
import { startWorld, type World } from './world.ts';

const MINUTE_MS = 60_000;
const SECOND_MS = 1000;
const BTC = 'btc-bitcoin';
const QUOTES = '/bucket/snapshot/quotes.v1';
const KEPT = '/bucket/sources/quotes.v3';
const FEW = { listed: 30, coins: defaultCoins.slice(0, 60) };

let world: World;
beforeEach(async () => {
  world = await startWorld(FEW);
});
afterEach(() => world.close());

interface Report {
  readonly coins: number;
  readonly disputed: number;
  readonly problems: Readonly<Record<string, string>>;
  readonly note?: string;
}
async function run(): Promise<Report> {
  const { handler } = await import('../../functions/marketdata/jobs/quotes/handler.ts');
  return (await handler()) as Report; // markets are mapped
}
/** So many runs, a minute apart. */
async function minutes(count: number): Promise<Report> {
  let last = await nothing();
  for (let minute = 0; minute < count; minute += 1) {
    vi.setSystemTime(Date.now() + MINUTE_MS);
    last = await run();
  }
  return last;
}
const nothing = async (): Promise<Report> => ({ coins: 0, disputed: 0, problems: {} });

/** When a container has looked for newer quotes. */
async function ticker(id = BTC) {
  const now = Date.now();
  vi.setSystemTime(now + 11 * SECOND_MS);
  const { handler } = await import('../../functions/marketdata/ticker/handler.ts');
  const { headers, body } = await call(handler, {
    path: `/api/marketdata/ticker/${id}`,
    pathParameters: { id },
  });
  vi.setSystemTime(now);
  const { data } = body as {
    data: {
      quotes: { USD: { price: number; figures_at: string | null } };
      sources: { prices: { exchange: string }[] } | null;
    };
  };
  const exchanges = data.sources?.prices.map(({ exchange }) => exchange) ?? ['one exchange'];
  return {
    /** The exchanges whose price it is; the provider has figures of the same time. */
    source:
      data.quotes.USD.figures_at === null
        ? 'the provider'
        : exchanges.filter((name) => name !== 'coinpaprika').join(),
    shown: headers['x-data-source'],
    quality: headers['x-data-quality'],
    ageMs: Date.now() - Date.parse(String(headers['x-data-time'])),
    price: data.quotes.USD.price,
    sources: data.sources,
  };
}
const ALL = 'coinbase,kraken,binance';

/** Stands between the jobs and the quotes of an exchange: `change` gets all of one answer. */
async function startFalse(exchange: 'binance' | 'coinbase', change: (json: Record<string, never>) => void) {
  const path = { binance: 'ticker/24hr', coinbase: '/products/stats' }[exchange];
  await startBetween(`${exchange.toUpperCase()}_BASE_URL`, world.sources[exchange].url, (json, asked) => {
    if (asked.includes(path)) change(json as Record<string, never>); // an object or a list of objects
  });
}

describe('the prices of markets', () => {
  it('are at the ticker’s door a minute after the map, and every minute anew, of all three exchanges', async () => {
    await world.runs(1);
    const seen: number[] = [];
    for (let minute = 0; minute < 6; minute += 1) {
      expect(await minutes(1)).toMatchObject({ coins: 30, disputed: 0, problems: {} });
      const { price, ...said } = await ticker();
      expect(said).toMatchObject({ source: ALL, quality: 'exact', sources: { agreeing: 3, of: 3 } });
      expect(said.ageMs).toBeLessThanOrEqual(12 * SECOND_MS);
      seen.push(price);
    }
    expect(new Set(seen).size).toBe(6);
  });

  it('take one request of each exchange, and two puts', async () => {
    await world.runs(1);
    await minutes(1);
    const { sources, s3 } = world;
    for (const name of ['coinbase', 'kraken', 'binance'] as const) sources[name].calls.reset();
    s3.requests.length = 0;
    await minutes(1);
    expect(sources.coinbase.calls.total + sources.kraken.calls.total + sources.binance.calls.total).toBe(3);
    expect(s3.requests.filter((line) => line.startsWith('PUT'))).toEqual([`PUT ${KEPT}`, `PUT ${QUOTES}`]);
  });

  it('have changes of 15 and 30 minutes once there are prices of that time', async () => {
    await world.runs(1);
    const changes = async () => {
      const { handler } = await import('../../functions/marketdata/ticker/handler.ts');
      const { body } = await call(handler, {
        path: `/api/marketdata/ticker/${BTC}`,
        pathParameters: { id: BTC },
      });
      const { quotes } = (body as { data: { quotes: { USD: Record<string, number | null> } } }).data;
      return [quotes.USD.percent_change_15m, quotes.USD.percent_change_30m];
    };
    await minutes(12);
    expect(await changes()).toEqual([null, null]);
    await minutes(3);
    expect(await changes()).toEqual([expect.any(Number), null]);
    await minutes(15);
    expect(await changes()).toEqual([expect.any(Number), expect.any(Number)]);
  });

  it('of all coins of three exchanges are at most 60 KB for routes', async () => {
    const { quotesJson } = await import('../../shared/marketdata/store/quotes-writer.ts');
    const prices = ['coinbase', 'kraken', 'binance'].map((exchange) => ({
      exchange,
      price: 0.000_012_345_678_9,
    }));
    const coins = Array.from({ length: 600 }, (_, index) => {
      const quote = {
        price: 0.000_012_345_678_9,
        madeAt: 0,
        isDisputed: false,
        change15m: -12.34,
        change30m: 12.34,
        prices,
      };
      return [`${'c'.repeat(20)}-${index}`, quote] as const;
    });
    const text = quotesJson({ takenAt: 1_000, intervalSeconds: 60, coins: new Map(coins) });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(60_000);
  });
});

describe('while one exchange', () => {
  it.each([
    'status=451',
    'status=500',
    'drop',
    'garbage',
    'html',
    'lie=zero',
    'lie=negative',
    'lie=scaled',
    'lie=nan',
    'lie=giant',
  ])('answers %s, the others’ price stays, and says so', async (fault) => {
    await world.runs(1);
    await minutes(1);
    const before = await ticker();
    world.sources.kraken.setFault(fault);
    await minutes(2);
    const { price, source, quality, ageMs } = await ticker();
    expect([source, quality]).toEqual(['coinbase,binance', 'exact']);
    expect(Math.abs(price / before.price - 1)).toBeLessThan(0.05);
    expect(ageMs).toBeLessThan(MINUTE_MS);
    world.sources.kraken.setFault(null);
    await minutes(1);
    expect(await ticker()).toMatchObject({ source: ALL, quality: 'exact' });
  });

  it('does not answer for once, what it said a minute ago still counts, with its time', async () => {
    await world.runs(1);
    await minutes(1);
    world.sources.kraken.setFault('status=500');
    expect(await minutes(1)).toMatchObject({ problems: { kraken: expect.stringContaining('500') } });
    const { source, quality, ageMs } = await ticker();
    expect([source, quality]).toEqual([ALL, 'exact']);
    expect(ageMs).toBeGreaterThanOrEqual(MINUTE_MS);
  });

  it('answers with what it had, its prices no longer count after two minutes', async () => {
    let first: string | undefined;
    await startFalse('coinbase', (json) => {
      first ??= JSON.stringify(json);
      Object.assign(json, JSON.parse(first));
    });
    await world.runs(1);
    await minutes(1);
    expect((await ticker()).source).toBe(ALL);
    await minutes(2);
    expect((await ticker()).source).toBe('kraken,binance');
  });

  it('goes back in time, its earlier prices do not count', async () => {
    let back = 0;
    await startFalse('binance', (json) => {
      for (const one of json as unknown as { closeTime: number }[]) one.closeTime -= back;
    });
    await world.runs(1);
    await minutes(1);
    expect((await ticker()).source).toBe(ALL);
    back = 3 * MINUTE_MS;
    await minutes(1);
    expect((await ticker()).source).toBe('coinbase,kraken');
  });

  it('halts a market whose price stands while the others move on, it does not count', async () => {
    let last: string | undefined;
    await startFalse('coinbase', (json) => {
      const stats = json as Record<string, { stats_24hour: { last: string } }>;
      const btc = stats['BTC-USD']?.stats_24hour;
      if (!btc) return;
      last ??= String(Number(btc.last) * 0.97);
      btc.last = last;
    });
    await world.runs(1);
    await minutes(1);
    expect(await ticker()).toMatchObject({ source: 'kraken,binance', quality: 'exact' });
  });
});

describe('Coinbase alone, which tells neither times nor offers', () => {
  it('counts from the second price on, as old as the first, until its market stands still for five minutes', async () => {
    vi.stubEnv('CANDLE_SOURCES', 'coinbase');
    let halted: object | undefined;
    let isHalted = false;
    await startFalse('coinbase', (json) => {
      const btc = (json as Record<string, { stats_24hour: object }>)['BTC-USD']?.stats_24hour;
      if (!btc) return;
      if (isHalted) Object.assign(btc, halted);
      halted = { ...btc };
    });
    await world.runs(1);
    expect((await ticker()).source).toBe('the provider');
    await minutes(2); // the provider's price is newer than the first one
    const { shown, quality, ageMs } = await ticker();
    expect([shown, quality]).toEqual(['coinbase', 'exact']);
    expect(ageMs).toBeGreaterThanOrEqual(MINUTE_MS);
    expect(ageMs).toBeLessThan(1.5 * MINUTE_MS);
    isHalted = true;
    await minutes(3);
    expect((await ticker()).shown).toBe('coinbase');
    await minutes(2);
    expect((await ticker()).source).toBe('the provider');
  });
});

describe('beside the provider', () => {
  it('two exchanges are believed, and a price that it contradicts is disputed with both', async () => {
    const factors = await startLiar(world.provider.url);
    await world.runs(1);
    await minutes(1);
    factors.set(BTC, 0.5);
    await world.runs(1);
    await minutes(1);
    const { source, quality, sources } = await ticker();
    expect([source, quality]).toEqual([ALL, 'disputed']);
    expect(sources).toMatchObject({
      prices: expect.arrayContaining([
        expect.objectContaining({ exchange: 'kraken' }),
        expect.objectContaining({ exchange: 'coinpaprika' }),
      ]),
    });
  });

  it('one exchange alone is believed within a tenth of the provider’s last price', async () => {
    vi.stubEnv('CANDLE_SOURCES', 'binance');
    let factor = 1.08;
    await startFalse('binance', (json) => {
      for (const one of json as unknown as Record<'lastPrice' | 'bidPrice' | 'askPrice', string>[])
        for (const name of ['lastPrice', 'bidPrice', 'askPrice'] as const)
          one[name] = String(Number(one[name]) * factor);
    });
    factor = 1;
    await world.runs(1);
    await minutes(1);
    expect(await ticker()).toMatchObject({ source: 'one exchange', shown: 'binance' });
    factor = 1.3;
    await minutes(1);
    expect(await ticker()).toMatchObject({ source: 'the provider', quality: 'exact' });
  });

  it('exchanges that all stop leave its price within two minutes, and none as exact after five', async () => {
    await world.runs(1);
    await minutes(1);
    for (const name of ['coinbase', 'kraken', 'binance'] as const) world.sources[name].setFault('status=500');
    await minutes(3);
    expect(await ticker()).toMatchObject({ source: 'the provider', quality: 'exact' });
  });
});

describe('runs', () => {
  it('at once do no harm: one publishes, and the other says so', async () => {
    await world.runs(1);
    vi.setSystemTime(Date.now() + MINUTE_MS);
    const both = await Promise.all([run(), run()]);
    expect(both.filter(({ note }) => note !== undefined)).toEqual([
      expect.objectContaining({ note: 'Nothing is published: another run was quicker' }),
    ]);
    expect((await ticker()).source).toBe(ALL);
  });

  it('without a map, and without exchanges, publish nothing and say so', async () => {
    expect(await run()).toBe('No market is mapped yet');
    vi.stubEnv('CANDLE_SOURCES', '');
    vi.resetModules();
    expect(await run()).toBe('CANDLE_SOURCES is empty: no exchange is enabled');
    expect(world.s3.objects.has(QUOTES)).toBe(false);
  });

  it('go on over damaged objects of the run before', async () => {
    await world.runs(1);
    for (const name of [QUOTES, KEPT]) world.s3.objects.set(name, Buffer.from('{'));
    expect(await minutes(1)).toMatchObject({ coins: 30 });
    expect((await ticker()).source).toBe(ALL);
  });

  it('keep what only some readers need of each market: offers, range and volume', async () => {
    await world.runs(1);
    await minutes(1);
    const own = (await world.store.quotes())?.coins.get(BTC) ?? [];
    const figures = ['bid', 'ask', 'high', 'low', 'volume'] as const satisfies (keyof MarketQuote)[];
    const known = own.map((quote) => [quote.exchange, figures.filter((name) => (quote[name] ?? 0) > 0)]);
    expect(Object.fromEntries(known)).toEqual({
      coinbase: ['high', 'low', 'volume'],
      kraken: [...figures],
      binance: [...figures],
    });
  });
});
