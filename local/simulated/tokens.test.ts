import { expect, test } from 'vitest';
import { ask, NOW, worldForTest } from './asking.testing.ts';
import { DAY_MS, HOUR_MS, priceAt } from './market.ts';
import { type TokenTrapName, tokenTraps } from './tokens.ts';

interface Price {
  readonly price: number;
  readonly timestamp: number;
  readonly confidence: number;
}
interface Prices<T = Price> {
  readonly coins: Readonly<Record<string, T>>;
}
type Charts = Prices<{ readonly prices: readonly Pick<Price, 'timestamp' | 'price'>[] }>;
const honest = worldForTest({ hasTraps: false });
const world = worldForTest();

const isSuch: Record<TokenTrapName | 'none', (found: Price | undefined, factor: number) => boolean> = {
  none: (_, factor) => Math.abs(factor - 1) < 0.05,
  unknown: (found) => found === undefined,
  doubtful: (found) => (found?.confidence ?? 1) < 0.9,
  old: (found) => (found?.timestamp ?? NOW) * 1000 < NOW - 6 * HOUR_MS,
  elsewhere: (_, factor) => Math.abs(Math.log(factor)) > Math.log(1.05),
  impostor: (_, factor) => Math.abs(Math.log(factor)) > Math.log(9),
};

test.each(['none', ...(Object.keys(tokenTraps) as TokenTrapName[])] as const)(
  'has tokens of the trap %s',
  (trap) => {
    const { defillama, market } = world;
    const tokens = defillama.tokens.filter((token) => (token.trap ?? 'none') === trap);
    const { coins } = ask<Prices>(
      defillama,
      `/prices/current/${tokens.map(({ name }) => name).join(',')}`,
    ).json;
    expect(tokens.length).toBeGreaterThan(0);
    for (const { name, coinId } of tokens) {
      const asset = market.asset(coinId);
      expect(
        isSuch[trap](coins[name], (coins[name]?.price ?? 0) / (asset ? priceAt(asset, NOW) : 0)),
        name,
      ).toBe(true);
    }
  },
);

test('has charts of several tokens, from a start on or up to now', () => {
  const { defillama } = honest;
  const names = defillama.tokens.slice(0, 3).map(({ name }) => name);
  const start = (NOW - 10 * DAY_MS) / 1000;
  const { coins } = ask<Charts>(defillama, `/chart/${names.join(',')}?start=${start}&span=4&period=1d`).json;
  expect(Object.keys(coins)).toEqual(names);
  for (const { prices } of Object.values(coins)) {
    const days = prices.map(({ timestamp }) => Math.abs(Math.round(((timestamp - start) * 1000) / DAY_MS)));
    expect(days).toEqual([0, 1, 2, 3]);
  }
  const [name = ''] = names;
  const latest = ask<Charts>(defillama, `/chart/${name}?span=2&period=6h`).json.coins[name]?.prices ?? [];
  const current = ask<Prices>(defillama, `/prices/current/${name}`).json.coins[name];
  expect([latest.length, latest.at(-1)?.price]).toEqual([2, current?.price]);
});

test.each([
  ['/prices/current/', 400],
  ['/chart/bsc:0x1?period=soon', 400],
  ['/prices/soon/bsc:0x1', 404],
  ['/nothing', 404],
])('refuses %s with %i', (path, status) => {
  expect(ask(world.defillama, path).status).toBe(status);
});
