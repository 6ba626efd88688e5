import { expect, test } from 'vitest';
import { simulatedEntries } from '../../registry-layer/simulated/list.ts';
import { DAY_MS } from '../../shared/platform/time.ts';
import { defaultCoins } from '../provider/coins.ts';
import { createMarket, type Market, priceAt } from '../provider/market.ts';
import { volumeBetween } from '../provider/volume.ts';
import { NOW } from './exchanges.testing.ts';
import { lesserNamesake, type TrapName, trapNames, withTetherAt } from './index.ts';
import { marketsOf, type SimulatedMarket } from './markets.ts';
import { exchangeNames } from './names.ts';

const world = createMarket([...defaultCoins, lesserNamesake], 1);

function listed(market: Market = world, traps: readonly TrapName[] = trapNames, count = 100) {
  const options = { listed: count, traps, startMs: NOW, now: () => NOW };
  return exchangeNames.flatMap((exchange) =>
    marketsOf(exchange, market, options).map((one) => ({ exchange, market: one })),
  );
}

const dollars = (market: Market, { quote, tape }: SimulatedMarket) => {
  const coin = quote === 'USDT' ? 'usdt-tether' : quote === 'USDC' ? 'usdc-usd-coin' : undefined;
  const asset = coin && market.asset(coin);
  return tape.priceAt(NOW) * (asset ? priceAt(asset, NOW) : 1);
};

test('the hundred largest coins have markets, some on one exchange alone', () => {
  const coins = Map.groupBy(
    listed(world, []).filter(({ market: { coinId } }) => coinId !== null),
    ({ market: { coinId } }) => coinId,
  );
  const exchangesOf = [...coins.values()].map((of) => new Set(of.map(({ exchange }) => exchange)).size);
  expect(coins.size).toBe(100);
  for (const count of [1, 2, 3])
    expect(exchangesOf.filter((found) => found === count).length).toBeGreaterThan(5);
});

test('a market has the price of its coin, and all together trade less of it than everybody does', () => {
  const volumes = new Map<string, number>();
  for (const { market } of listed()) {
    const asset = market.coinId === null ? undefined : world.asset(market.coinId);
    if (!asset || market.state !== 'open') continue;
    if (market.trap !== 'silent') expect(dollars(world, market) / priceAt(asset, NOW)).toBeCloseTo(1, 2);
    const volume = (market.tape.day(NOW)?.volume ?? 0) * dollars(world, market);
    volumes.set(asset.coin.id, (volumes.get(asset.coin.id) ?? 0) + volume);
  }
  for (const [id, volume] of volumes) {
    const asset = world.asset(id);
    expect(volume).toBeLessThan(0.6 * (asset ? volumeBetween(asset, NOW - DAY_MS, NOW) : 0));
  }
});

const trapped = new Map(listed().map(({ exchange, market }) => [`${exchange} ${market.trap}`, market]));

test('each trap is there', () => {
  expect(new Set([...trapped.keys()].map((key) => key.split(' ')[1]))).toEqual(
    new Set(['null', ...trapNames]),
  );
});

test('a namesake is a coin that nobody knows, far from the price of the known one', () => {
  const market = trapped.get('coinbase namesake');
  const known = world.coins.find(({ symbol }) => symbol === market?.base);
  const asset = world.asset(known?.id ?? '');
  expect(market).toMatchObject({ coinId: null, quote: 'USD' });
  if (!market || !asset) throw new Error('the market and its symbol’s coin are there');
  expect(Math.abs(Math.log(dollars(world, market) / priceAt(asset, NOW)))).toBeGreaterThan(Math.log(1.2));
});

test('a lesser coin has the price of its own, under a better-ranked one’s symbol', () => {
  const market = trapped.get('kraken lesser');
  const asset = world.asset(lesserNamesake.id);
  if (!market || !asset) throw new Error('the market and its coin are there');
  expect(market).toMatchObject({ base: 'SOL', coinId: 'sol-sollong' });
  expect(dollars(world, market) / priceAt(asset, NOW)).toBeCloseTo(1, 2);
  expect(
    listed().filter(({ exchange, market }) => exchange === 'kraken' && market.base === 'SOL'),
  ).toHaveLength(1);
});

test('a copy’s symbol and price are those of two coins, of which the better-ranked one is meant', () => {
  const market = trapped.get('coinbase copy');
  const copies = world.coins.filter(({ symbol }) => symbol === 'WETH').map(({ id }) => world.asset(id));
  expect(market).toMatchObject({ base: 'WETH', coinId: 'weth-weth' });
  if (!market) throw new Error('the market is there');
  const distances = copies.map((asset) =>
    Math.abs(dollars(world, market) / (asset ? priceAt(asset, NOW) : 0) - 1),
  );
  expect(distances).toHaveLength(2);
  for (const distance of distances) expect(distance).toBeLessThan(0.02);
});

test('a multiplied market has a thousand coins a unit, and is the only one of that coin there', () => {
  const market = trapped.get('binance multiplied');
  const symbol = market?.base.slice(4) ?? '';
  const asset = world.asset(world.coins.find((coin) => coin.symbol === symbol)?.id ?? '');
  if (!market || !asset) throw new Error('the market and its coin are there');
  expect([market.base, market.coinId]).toEqual([`1000${symbol}`, null]);
  expect(dollars(world, market) / priceAt(asset, NOW) / 1000).toBeCloseTo(1, 2);
  expect(listed().filter(({ exchange, market }) => exchange === 'binance' && market.base === symbol)).toEqual(
    [],
  );
});

test('a boastful market has the right price, and trades more than everybody does', () => {
  const market = trapped.get('binance boastful');
  const asset = world.asset(world.coins.find(({ symbol }) => symbol === market?.base)?.id ?? '');
  if (!market || !asset) throw new Error('the market and its coin are there');
  expect(dollars(world, market) / priceAt(asset, NOW)).toBeCloseTo(1, 2);
  const volume = (market.tape.day(NOW)?.volume ?? 0) * dollars(world, market);
  expect(volume).toBeGreaterThan(1.5 * volumeBetween(asset, NOW - DAY_MS, NOW));
});

test('each exchange has a market that was halted, and one that was closed', () => {
  for (const exchange of exchangeNames) {
    expect(trapped.get(`${exchange} halted`)).toMatchObject({ state: 'halted' });
    expect(trapped.get(`${exchange} delisted`)?.tape.day(NOW - 29 * DAY_MS)).toBeUndefined();
    expect(trapped.get(`${exchange} delisted`)?.tape.day(NOW - 31 * DAY_MS)).toBeDefined();
  }
});

test('a market may be halted while it runs, and is open again later', () => {
  let now = NOW;
  const options = { listed: 5, traps: [], startMs: NOW, now: () => now };
  const [market] = marketsOf('binance', world, options);
  if (!market) throw new Error('there are markets');
  market.state = 'halted';
  now += DAY_MS;
  expect([market.tape.priceAt(now), market.tape.bar(NOW, DAY_MS, now)]).toEqual([
    market.tape.priceAt(NOW),
    undefined,
  ]);
  market.state = 'open';
  expect(market.tape.priceAt(now)).not.toBe(market.tape.priceAt(NOW));
});

test('with Tether at 0.93 its markets tell so much more, and it has one that says why', () => {
  const off = createMarket(withTetherAt(0.93, defaultCoins), 1);
  const markets = listed(off, []);
  const find = (exchange: string, base: string, quote: string) =>
    markets.find(
      ({ exchange: of, market }) => of === exchange && market.base === base && market.quote === quote,
    )?.market;
  const price = find('coinbase', 'BTC', 'USD')?.tape.priceAt(NOW) ?? 0;
  expect((find('binance', 'BTC', 'USDT')?.tape.priceAt(NOW) ?? 0) / price).toBeCloseTo(1 / 0.93, 2);
  expect(find('coinbase', 'USDT', 'USD')?.tape.priceAt(NOW)).toBeCloseTo(0.93, 2);
});

test('of the long list as many coins as are asked for have markets, and each trap has a coin that is fit for it', () => {
  const markets = listed(createMarket(simulatedEntries(), 1), trapNames, 600);
  const coins = new Set(
    markets.flatMap(({ market: { coinId, state } }) => (state === 'open' ? (coinId ?? []) : [])),
  );
  expect(coins.size).toBeGreaterThan(570);
  expect(new Set(markets.flatMap(({ market: { trap } }) => trap ?? []))).toEqual(new Set(trapNames));
});
