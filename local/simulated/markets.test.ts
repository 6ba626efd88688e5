import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { simulatedEntries } from '../../registry-layer/simulated/list.ts';
import { NOW, TODAY } from './asking.testing.ts';
import {
  type Asset,
  createMarket,
  DAY_MS,
  defaultCoins,
  HOUR_MS,
  type Market,
  priceAt,
  volumeBetween,
} from './market.ts';
import {
  exchangeNames,
  lesserNamesake,
  marketsOf,
  quoteCoins,
  type SimulatedMarket,
  type TrapName,
  trapNames,
  withTetherAt,
} from './markets.ts';
import { barsBetween, type TapeOptions, tapeOf } from './tape.ts';

const world = createMarket([...defaultCoins, lesserNamesake], 1);

function listed(market: Market = world, traps: readonly TrapName[] = trapNames, count = 100) {
  const options = { listed: count, traps, now: () => NOW };
  return exchangeNames.flatMap((exchange) =>
    marketsOf(exchange, market, options).map((one) => ({ exchange, market: one })),
  );
}
function assetOf(id: string | undefined, market = world): Asset {
  const asset = market.asset(id ?? '');
  if (!asset) throw new Error(`There is no ${id}`);
  return asset;
}
const bySymbol = (symbol: string | undefined) =>
  assetOf(world.coins.find((coin) => coin.symbol === symbol)?.id);
const dollars = ({ quote, tape }: SimulatedMarket) => {
  const unit = quoteCoins[quote];
  return tape.priceAt(NOW) * (unit ? priceAt(assetOf(unit), NOW) : 1);
};
const trapped = new Map(listed().map(({ exchange, market }) => [`${exchange} ${market.trap}`, market]));
function trap(name: string): SimulatedMarket {
  const market = trapped.get(name);
  if (!market) throw new Error(`There is no ${name}`);
  return market;
}

describe('the markets of the exchanges', () => {
  test('are those of the hundred largest coins, some on one exchange alone', () => {
    const coins = Map.groupBy(listed(world, []), ({ market: { coinId } }) => coinId);
    const counts = [...coins.values()].map((of) => new Set(of.map(({ exchange }) => exchange)).size);
    expect(coins.size).toBe(100);
    for (const count of [1, 2, 3]) expect(counts.filter((one) => one === count).length).toBeGreaterThan(5);
  });

  test('have the price of their coin, and all together trade less of it than everybody does', () => {
    const volumes = new Map<string, number>();
    for (const { market } of listed()) {
      if (market.coinId === null || market.state !== 'open') continue;
      const price = priceAt(assetOf(market.coinId), NOW);
      if (market.trap !== 'silent') expect(dollars(market) / price).toBeCloseTo(1, 2);
      const volume = market.tape.day(NOW).volume * dollars(market);
      volumes.set(market.coinId, (volumes.get(market.coinId) ?? 0) + volume);
    }
    for (const [id, volume] of volumes)
      expect(volume).toBeLessThan(0.6 * volumeBetween(assetOf(id), NOW - DAY_MS, NOW));
  });

  test('of the long list are as many as are asked for, with each trap', () => {
    const markets = listed(createMarket(simulatedEntries(), 1), trapNames, 600);
    const coins = new Set(
      markets.flatMap(({ market }) => (market.state === 'open' ? (market.coinId ?? []) : [])),
    );
    expect(coins.size).toBeGreaterThan(570);
    expect(new Set(markets.flatMap(({ market }) => market.trap ?? []))).toEqual(new Set(trapNames));
  });

  test('with Tether at 0.93 are so much dearer in it, and one says why', () => {
    const markets = listed(createMarket(withTetherAt(0.93, defaultCoins), 1), []);
    const price = (exchange: string, base: string, quote: string) =>
      markets
        .find(({ exchange: of, market }) => of === exchange && market.base === base && market.quote === quote)
        ?.market.tape.priceAt(NOW) ?? 0;
    expect(price('binance', 'BTC', 'USDT') / price('coinbase', 'BTC', 'USD')).toBeCloseTo(1 / 0.93, 2);
    expect(price('coinbase', 'USDT', 'USD')).toBeCloseTo(0.93, 2);
  });

  test('may be halted while they run, and are open again later', () => {
    let now = NOW;
    const [market] = marketsOf('binance', world, { listed: 5, traps: [], now: () => now });
    if (!market) throw new Error('there are markets');
    market.state = 'halted';
    now += DAY_MS;
    expect(market.tape.priceAt(now)).toBe(market.tape.priceAt(NOW));
    expect(market.tape.bar(NOW, DAY_MS, now)).toBeUndefined();
    market.state = 'open';
    expect(market.tape.priceAt(now)).not.toBe(market.tape.priceAt(NOW));
  });
});

describe('a trap', () => {
  test('of each kind is there', () => {
    const names = new Set([...trapped.keys()].map((key) => key.split(' ')[1]));
    expect(names).toEqual(new Set(['null', ...trapNames]));
  });

  test('is a namesake that nobody knows, far from the price of the known coin', () => {
    const market = trap('coinbase namesake');
    expect(market).toMatchObject({ coinId: null, quote: 'USD' });
    expect(Math.abs(Math.log(dollars(market) / priceAt(bySymbol(market.base), NOW)))).toBeGreaterThan(
      Math.log(1.2),
    );
  });

  test('is a lesser coin at a price of its own, alone under the better-ranked one’s symbol', () => {
    const market = trap('kraken lesser');
    expect(market).toMatchObject({ base: 'SOL', coinId: 'sol-sollong' });
    expect(dollars(market) / priceAt(assetOf(lesserNamesake.id), NOW)).toBeCloseTo(1, 2);
    expect(
      listed().filter(({ exchange, market: { base } }) => exchange === 'kraken' && base === 'SOL'),
    ).toHaveLength(1);
  });

  test('is one symbol and price of two coins, of which the better-ranked one is meant', () => {
    const market = trap('coinbase copy');
    expect(market).toMatchObject({ base: 'WETH', coinId: 'weth-weth' });
    const copies = world.coins.filter(({ symbol }) => symbol === 'WETH');
    expect(copies).toHaveLength(2);
    for (const { id } of copies)
      expect(Math.abs(dollars(market) / priceAt(assetOf(id), NOW) - 1)).toBeLessThan(0.02);
  });

  test('is a thousand coins a unit, or more trade than everybody has', () => {
    const multiplied = trap('binance multiplied');
    const symbol = multiplied.base.slice(4);
    expect(multiplied).toMatchObject({ base: `1000${symbol}`, coinId: null });
    expect(dollars(multiplied) / priceAt(bySymbol(symbol), NOW) / 1000).toBeCloseTo(1, 2);
    const boastful = trap('binance boastful');
    const asset = bySymbol(boastful.base);
    expect(dollars(boastful) / priceAt(asset, NOW)).toBeCloseTo(1, 2);
    const volume = boastful.tape.day(NOW).volume * dollars(boastful);
    expect(volume).toBeGreaterThan(1.5 * volumeBetween(asset, NOW - DAY_MS, NOW));
  });

  test.each(exchangeNames)('is a halted and a closed market of %s', (exchange) => {
    expect(trap(`${exchange} halted`)).toMatchObject({ state: 'halted' });
    const { tape } = trap(`${exchange} delisted`);
    expect(tape.day(NOW - 29 * DAY_MS).volume).toBe(0);
    expect(tape.day(NOW - 31 * DAY_MS).volume).toBeGreaterThan(0);
  });
});

describe.each([0, 0.3])('a tape with %d of all hours silent', (silence) => {
  const bitcoin = assetOf('btc-bitcoin');
  const tapeWith = (options: Partial<TapeOptions> = {}) =>
    tapeOf({
      ...{ asset: bitcoin, quote: undefined, seed: 5, multiple: 1, share: 0.1, decimals: 2, silence },
      ...{ endMs: () => Infinity, ...options },
    });
  const tape = tapeWith();

  test('has the coin’s price, within a quarter of a percent while it is traded', () => {
    const traded = tapeWith({ silence: 0 });
    fc.assert(
      fc.property(fc.integer({ min: Date.UTC(2020), max: NOW }), (ms) => {
        expect(Math.abs(traded.priceAt(ms) / priceAt(bitcoin, ms) - 1)).toBeLessThan(0.0025);
      }),
    );
  });

  test('has days that are the fold of their hours, and hours of their minutes', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 500 }),
        fc.constantFrom([DAY_MS, HOUR_MS], [HOUR_MS, 300_000]),
        (back, [longMs = 0, shortMs = 0]) => {
          const fromMs = TODAY - back * longMs;
          const whole = tape.bar(fromMs, longMs, NOW);
          const range = { fromMs, toMs: fromMs + longMs - 1, intervalMs: shortMs, nowMs: NOW };
          const parts = barsBetween(tape, range, false);
          expect([whole?.open, whole?.close]).toEqual([parts[0]?.open, parts.at(-1)?.close]);
          if (!whole) return;
          expect(whole.high).toBe(Math.max(...parts.map(({ high }) => high)));
          expect(whole.low).toBe(Math.min(...parts.map(({ low }) => low)));
          const traded = parts.reduce((sum, { quoteVolume }) => sum + quoteVolume, 0);
          expect(traded / whole.quoteVolume).toBeCloseTo(1, 6);
        },
      ),
      { numRuns: 40 },
    );
  });

  test('has a running bar that closes at the price of the last trade', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100 * DAY_MS }), (back) => {
        const nowMs = NOW - back;
        const bar = tape.bar(Math.floor(nowMs / DAY_MS) * DAY_MS, DAY_MS, nowMs);
        if (bar) expect(bar.close).toBe(tape.priceAt(nowMs));
      }),
    );
  });

  test('has as many hours with trades as it should, and none before the first or after the last', () => {
    const span = { fromMs: TODAY - 100 * DAY_MS, toMs: TODAY - 1, intervalMs: HOUR_MS, nowMs: NOW };
    expect(barsBetween(tape, span, false).length / 2400).toBeCloseTo(silence === 0 ? 1 : 0.66, 1);
    expect(barsBetween(tape, span, true)).toHaveLength(2400);
    const ended = tapeWith({ endMs: () => TODAY - 2.5 * DAY_MS });
    expect(ended.priceAt(Date.UTC(2009, 5))).toBe(0);
    expect(ended.bar(TODAY, DAY_MS, NOW)).toBeUndefined();
    expect(ended.priceAt(NOW)).toBe(tape.priceAt(TODAY - 2.5 * DAY_MS));
  });
});
