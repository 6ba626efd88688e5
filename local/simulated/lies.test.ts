import { describe, expect, test } from 'vitest';
import { ask, TODAY, worldForTest } from './asking.testing.ts';
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

describe('a lie of the provider', () => {
  test.each(lieNames('coins'))('%s changes an answer, in the same way at every run', (lie) => {
    const changed = kinds.filter((kind) => {
      const { proper, lied } = both(lie, kind);
      expect(both(lie, kind).lied).toEqual(lied);
      return JSON.stringify(lied) !== JSON.stringify(proper);
    });
    expect(changed).not.toEqual([]);
  });

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

  test('leaves refusals unchanged, and ends after its number of requests', () => {
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

  test('changes candles and tickers', () => {
    for (const lie of lieNames('markets'))
      expect(under(`lie=${lie}`, candles), lie).not.toBe(under(null, candles));
    for (const lie of ['scaled', 'zero', 'negative', 'nan', 'noprice', 'giant', 'old', 'identity'])
      expect(under(`lie=${lie}`, ticker), lie).not.toBe(under(null, ticker));
  });

  test('leaves errors unchanged, and still limits its caller', () => {
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

test('identity, or a redirect to another, is of a token that was not requested', () => {
  const { defillama } = worldForTest({ hasTraps: false, faults: { defillama: 'lie=identity' } });
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
