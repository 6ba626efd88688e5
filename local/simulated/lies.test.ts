import { describe, expect, test } from 'vitest';
import { readTicker } from '../../shared/marketdata/ticker.ts';
import { coinpaprika } from '../../shared/providers/coinpaprika.ts';
import { ask, NOW, TODAY, worldForTest } from './asking.testing.ts';
import { type LieAbout, lieNames } from './lies.ts';
import { DAY_MS, defaultCoins } from './market.ts';

interface Ticker {
  readonly id: string;
  readonly name: string;
  readonly symbol: string;
  readonly last_updated: string;
  readonly quotes: { readonly USD: { readonly price: number | null; readonly volume_24h: number } };
}
interface Candle {
  readonly time_open: string;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}
interface Tick {
  readonly timestamp: string;
  readonly price: number;
}
type Lie = LieAbout<'coins'>;

const coins = defaultCoins.slice(0, 20);
const world = worldForTest({ plan: 'paid', coins });
const { provider } = world;
const window = 'start=2026-02-20&limit=366';
const paths = {
  ticker: '/tickers/btc-bitcoin',
  tickers: '/tickers',
  candles: `/coins/btc-bitcoin/ohlcv/historical?${window}`,
  prices: `/tickers/btc-bitcoin/historical?${window}&interval=1d`,
  coins: '/coins',
};
type Kind = keyof typeof paths;
const kinds = Object.keys(paths) as Kind[];

/** The JSON of a path, proper and as a lie. */
function both<T>(lie: Lie, kind: Kind): { proper: T; lied: T } {
  provider.setFault(null);
  const proper = ask<T>(provider, paths[kind]).json;
  provider.setFault(`lie=${lie}`);
  return { proper, lied: ask<T>(provider, paths[kind]).json };
}

const WINDOW = { base: '24h', stepMs: DAY_MS, from: 0, to: DAY_MS, closed: true } as const;
const HISTORY = { id: 'btc-bitcoin', quote: 'usd', window: WINDOW } as const;

const rows = (json: unknown) => json as object[]; // fails where it is used if it is no list
const typesOf = (row: object) => Object.entries(row).map(([name, value]) => [name, typeof value]);
const read: Record<Kind, (json: unknown) => unknown> = {
  ticker: readTicker,
  tickers: (json) => rows(json).map(readTicker),
  candles: coinpaprika.candles(HISTORY).read,
  prices: coinpaprika.prices(HISTORY, 0).read,
  coins: (json) => rows(json).map((row) => expect(typesOf(row)).toEqual(typesOf({ ...defaultCoin }))),
};
const defaultCoin = { id: '', name: '', symbol: '', rank: 0, is_new: true, is_active: true, type: '' };

const priced: readonly Kind[] = ['ticker', 'tickers', 'candles', 'prices'];
const histories: readonly Kind[] = ['candles', 'prices'];
const lists: readonly Kind[] = ['tickers', 'candles', 'prices', 'coins'];
const named: readonly Kind[] = ['ticker', 'tickers', 'coins'];
const liesAbout: Record<Lie, readonly Kind[]> = {
  ...{
    noprice: priced,
    zero: priced,
    negative: priced,
    giant: priced,
    scaled: priced,
    future: priced,
    old: priced,
  },
  ...{
    outside: histories,
    unordered: histories,
    shuffled: lists,
    duplicates: lists,
    emptied: lists,
    halved: lists,
  },
  ...{ identity: kinds, impossible: ['candles'], onebad: ['tickers', 'candles', 'prices'] },
  ...{
    bigtext: named,
    echo: named,
    nameless: named,
    unranked: named,
    shifted: ['tickers', 'coins'],
    inactive: ['coins'],
  },
};

describe('a lie of the provider', () => {
  test.each(lieNames('coins'))(
    '%s has the right shape, where it makes sense, and is the same at every run',
    (lie) => {
      for (const kind of kinds) {
        const { proper, lied } = both(lie, kind);
        expect(() => read[kind](lied), kind).not.toThrow();
        expect(JSON.stringify(lied) !== JSON.stringify(proper), kind).toBe(liesAbout[lie].includes(kind));
        expect(both(lie, kind).lied).toEqual(lied);
      }
    },
  );

  test('about identity has the figures of another coin, or moves the ids of a list by one row', () => {
    provider.setFault('lie=identity@btc-bitcoin');
    const other = ask<Ticker>(provider, paths.ticker).json;
    expect(other).toEqual(ask<Ticker>(provider, `/tickers/${other.id}`).json);
    expect(other.id).not.toBe('btc-bitcoin');
    const { proper, lied } = both<Ticker[]>('identity', 'tickers');
    const [first, ...others] = proper.map(({ id }) => id);
    expect(lied.map(({ id }) => id)).toEqual([...others, first]);
    expect(lied.map((row) => ({ ...row, id: '' }))).toEqual(proper.map((row) => ({ ...row, id: '' })));
  });

  test.each([
    ['zero', () => 0],
    ['negative', (price: number) => -price],
    ['giant', () => 1e308],
    ['scaled', (price: number) => price * 100],
  ] as const)('%s changes every price', (lie, price) => {
    const candles = both<Candle[]>(lie, 'candles');
    const figures = ({ open, high, low, close }: Candle) => [open, high, low, close];
    expect(candles.lied.map(figures)).toEqual(candles.proper.map((row) => figures(row).map(price)));
    const tickers = both<Ticker[]>(lie, 'tickers');
    const of = ({ quotes }: Ticker) => Number(quotes.USD.price);
    expect(tickers.lied.map(of)).toEqual(tickers.proper.map((row) => price(of(row))));
  });

  test('noprice leaves prices null or absent, and no row of a history that can be read', () => {
    const prices = both<Ticker[]>('noprice', 'tickers').lied.map(({ quotes }) => quotes.USD.price);
    expect(new Set(prices)).toEqual(new Set([null, undefined]));
    for (const kind of histories) expect(read[kind](both('noprice', kind).lied)).toEqual([]);
  });

  test('about times is of 2099, of two days ago, or of years before the window', () => {
    expect(both<Ticker>('future', 'ticker').lied.last_updated).toBe('2099-03-10T16:42:00Z');
    expect(both<Candle[]>('future', 'candles').lied[0]?.time_open).toBe('2099-02-20T00:00:00Z');
    const before = worldForTest({ plan: 'paid', coins, now: () => NOW - 2 * DAY_MS }).provider;
    for (const kind of priced) expect(both('old', kind).lied).toEqual(ask(before, paths[kind]).json);
    const daysOf = (lied: readonly Tick[]) =>
      [lied[0], lied.at(-1)].map((tick) => tick?.timestamp.slice(0, 10));
    expect(daysOf(both<Tick[]>('outside', 'prices').lied)).toEqual(['2025-02-20', '2025-03-10']);
    const years = '/tickers/btc-bitcoin/historical?start=2024-03-10&limit=5000&interval=1d';
    expect(daysOf(ask<Tick[]>(provider, years).json)).toEqual(['2021-03-11', '2023-03-11']);
  });

  test('about order keeps every row whole, of any number of days from two on', () => {
    for (const lie of ['unordered', 'shuffled'] as const) {
      const { proper, lied } = both<object[]>(lie, 'candles');
      expect(new Set(lied.map((row) => JSON.stringify(row)))).toEqual(
        new Set(proper.map((row) => JSON.stringify(row))),
      );
    }
    for (let limit = 2; limit < 50; limit++) {
      const list = ask<Candle[]>(
        provider,
        `/coins/btc-bitcoin/ohlcv/historical?start=2026-01-01&limit=${limit}`,
      ).json;
      const times = list.map(({ time_open }) => time_open);
      expect(times).not.toEqual(times.toSorted());
    }
  });

  test('about rows doubles, halves or takes them all', () => {
    const { proper, lied } = both<Candle[]>('duplicates', 'candles');
    expect(lied.filter((_, index) => index % 2 === 0)).toEqual(proper);
    expect(lied[1]).toMatchObject({ time_open: proper[0]?.time_open, close: Number(proper[0]?.close) * 2 });
    for (const kind of lists) {
      expect(both('emptied', kind).lied).toEqual([]);
      const half = both<object[]>('halved', kind);
      expect(half.lied).toEqual(half.proper.filter((_, index) => index % 2 === 0));
    }
  });

  test('about candles makes them impossible, or one of them; of tickers two are bad', () => {
    const isImpossible = ({ high, low, close }: Candle) => high < low && close > high && close > low;
    expect(both<Candle[]>('impossible', 'candles').lied.every(isImpossible)).toBe(true);
    expect(both<Candle[]>('onebad', 'candles').lied.filter(isImpossible)).toHaveLength(1);
    expect(both<Tick[]>('onebad', 'prices').lied.filter(({ price }) => price === -1)).toHaveLength(1);
    const prices = both<Ticker[]>('onebad', 'tickers').lied.map(({ quotes }) => quotes.USD.price);
    expect(prices.filter((price) => price === null || price < 0).toSorted()).toEqual([-1, null]);
  });

  test('about texts is large but readable, repeats the request, and moves symbols', () => {
    const big = both<Ticker>('bigtext', 'ticker').lied;
    expect([big.id, big.name.length, big.symbol.length]).toEqual(['btc-bitcoin', 7_500_000, 10_000]);
    for (const kind of ['ticker', 'tickers'] as const)
      expect(JSON.stringify(both('bigtext', kind).lied).length).toBeLessThan(8 * 1024 * 1024);
    const shifted = both<Ticker[]>('shifted', 'tickers');
    const [first, ...others] = shifted.proper.map(({ symbol }) => symbol);
    expect(shifted.lied.map(({ symbol }) => symbol)).toEqual([...others, first]);
    provider.setFault('lie=echo');
    const { name } = ask<Ticker>(provider, '/tickers/btc-bitcoin?a=1', { 'x-secret': 'mine alone' }).json;
    expect(name).toMatch(/\/tickers\/btc-bitcoin\?a=1 .*"x-secret":"mine alone"/);
    const missing = ask(provider, '/tickers/none', { 'x-secret': 'mine alone' });
    expect([missing.status, missing.text]).toEqual([404, expect.stringContaining('mine alone')]);
  });

  test('leaves refusals alone, and ends after its requests', () => {
    provider.setFault('lie=scaledx2');
    expect(ask(provider, '/tickers/none').text).toBe('{"error":"id not found"}');
    expect(ask(provider, paths.ticker).text).not.toBe(ask(provider, paths.ticker).text);
  });
});

const start = (TODAY - 5 * DAY_MS) / 1000;
const requests = {
  coinbase: [
    `/products/BTC-USD/candles?granularity=86400&start=${start}&end=${TODAY / 1000}`,
    '/products/BTC-USD/ticker',
  ],
  kraken: [`/0/public/OHLC?pair=XBTUSD&interval=1440&since=${start}`, '/0/public/Ticker?pair=XBTUSD'],
  binance: ['/api/v3/klines?symbol=BTCUSDT&interval=1d&limit=6', '/api/v3/ticker/24hr?symbol=BTCUSDT'],
} as const;

describe.each(['coinbase', 'kraken', 'binance'] as const)('a lie of %s', (name) => {
  const { [name]: exchange } = world;
  const [candles, ticker] = requests[name];
  const under = (fault: string | null, path: string) => {
    exchange.setFault(fault);
    return ask(exchange, path).text;
  };

  test.each(lieNames('markets'))('%s changes candles', (lie) => {
    expect(under(`lie=${lie}`, candles)).not.toBe(under(null, candles));
  });

  test.each(['scaled', 'zero', 'negative', 'nan', 'noprice', 'giant', 'old', 'identity'])(
    '%s changes tickers',
    (lie) => {
      expect(under(`lie=${lie}`, ticker)).not.toBe(under(null, ticker));
    },
  );

  test('leaves errors alone, and whoever hears it is limited all the same', () => {
    const wrong = ticker.replace('BTC', 'NO').replace('XBT', 'NO');
    expect(under('lie=scaled', wrong)).toBe(under(null, wrong));
    const limited = worldForTest({
      limits: { coinbase: 1, kraken: 1, binance: 4 },
      faults: { [name]: 'lie=old' },
    })[name];
    const texts = Array.from({ length: 20 }, () => ask(limited, ticker).text);
    expect(texts.at(-1)).toMatch(/rate limit|Too many requests|Too much request weight/i);
    expect(texts[0]).not.toBe(texts.at(-1));
  });
});

test.each(['XBTUSD', 'XETHZUSD', 'ETHUSD', 'SOLUSD'])(
  'identity is another market of Kraken in place of %s',
  (pair) => {
    const path = `/0/public/Ticker?pair=${pair}`;
    world.kraken.setFault(null);
    const [honest = ''] = Object.keys(ask<{ result: object }>(world.kraken, path).json.result);
    world.kraken.setFault('lie=identity');
    expect(Object.keys(ask<{ result: object }>(world.kraken, path).json.result)).toEqual([
      expect.not.stringMatching(honest),
    ]);
  },
);

test('identity, or a redirect to another, is of a token that was not asked for', () => {
  const { defillama } = worldForTest({ traps: [], faults: { defillama: 'lie=identity' } });
  const names = defillama.tokens.slice(0, 2).map(({ name }) => name);
  const path = `/prices/current/${encodeURIComponent(names.join(',').toUpperCase().replaceAll('0X', '0x'))}`;
  const [other = ''] = Object.keys(ask<{ coins: object }>(defillama, path).json.coins);
  expect(defillama.tokens.slice(1, 4).map(({ name }) => name)).toContain(other);
  expect(names).not.toContain(other);
  defillama.setFault('redirect=other');
  expect(ask(defillama, path).headers).toMatchObject({
    Location: `/defillama/prices/current/${encodeURIComponent(other)}`,
  });
});

test('each lie about rates has a file of its own', () => {
  const { ecb } = worldForTest({ now: () => Date.UTC(2026, 10, 23, 20) });
  const files = lieNames('rates').map((lie) => {
    ecb.setFault(`lie=${lie}`);
    return ask(ecb, '/eurofxref-daily.xml').text;
  });
  ecb.setFault(null);
  const all = new Set([...files, ask(ecb, '/eurofxref-daily.xml').text]);
  expect(all.size).toBe(files.length + 1);
});
