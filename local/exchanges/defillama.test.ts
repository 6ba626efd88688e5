import { expect, test } from 'vitest';
import { startForTest as startProvider } from '../provider/provider.testing.ts';
import { get, NOW, startForTest } from './exchanges.testing.ts';
import { type TokenTrapName, tokenTraps } from './tokens.ts';

interface Told {
  readonly coins: Readonly<
    Record<string, { price: number; timestamp: number; confidence: number; symbol: string }>
  >;
}
interface Charts {
  readonly coins: Readonly<Record<string, { prices: { timestamp: number; price: number }[] }>>;
}
const DAY = 86_400;

/** Of a coin of this trap: the price that is told, and the true one. */
async function both(trap: TokenTrapName | null) {
  const provider = await startProvider({ now: () => NOW });
  const source = await startForTest('defillama', { world: provider.world });
  const tokens = source.tokens.filter((token) => token.trap === trap);
  const path = `/prices/current/${tokens.map(({ name }) => name).join(',')}?searchWidth=6h`;
  const { json } = await get<Told>(source, path);
  return Promise.all(
    tokens.map(async ({ name, coinId }) => {
      const answer = await fetch(`${provider.url}/tickers/${encodeURIComponent(coinId)}`);
      const { quotes } = (await answer.json()) as { quotes: { USD: { price: number } } };
      return { told: json.coins[name], price: quotes.USD.price };
    }),
  );
}

test('prices tokens by the contracts that the provider lists, in the case that they were asked in', async () => {
  const provider = await startProvider({ now: () => NOW });
  const source = await startForTest('defillama', { world: provider.world, traps: [] });
  const contracts = await get<{ address: string; id: string }[]>(provider, '/contracts/eth-ethereum');
  const names = contracts.json
    .slice(0, 20)
    .map(({ address }) => `ethereum:${address.toUpperCase().replace('X', 'x')}`);
  const { json } = await get<Told>(
    source,
    `/prices/current/${names.join(',')},ethereum:0x1,coingecko:bitcoin`,
  );
  expect(Object.keys(json.coins)).toEqual(names);
  for (const { timestamp, confidence } of Object.values(json.coins)) {
    expect(timestamp * 1000).toBeLessThanOrEqual(NOW);
    expect(timestamp * 1000).toBeGreaterThan(NOW - 16 * 60_000);
    expect(confidence).toBeGreaterThanOrEqual(0.9);
  }
});

test('knows no mint of Solana in another case', async () => {
  const source = await startForTest('defillama', { traps: [] });
  const mint = source.tokens.find(({ name }) => name.startsWith('solana:'))?.name ?? '';
  const { json } = await get<Told>(source, `/prices/current/${mint},${mint.toLowerCase()}`);
  expect(Object.keys(json.coins)).toEqual([mint]);
});

test('tells the price that the provider has', async () => {
  const tokens = await both(null);
  expect(tokens.length).toBeGreaterThan(50);
  for (const { told, price } of tokens) expect((told?.price ?? 0) / price).toBeCloseTo(1, 1);
});

test('has no price, a doubtful, an old, another or an impostor’s one for some tokens', async () => {
  const isSuch: Record<TokenTrapName, (told: Told['coins'][string] | undefined, price: number) => boolean> = {
    unknown: (told) => told === undefined,
    doubtful: (told) => (told?.confidence ?? 1) < 0.9,
    old: (told) => (told?.timestamp ?? NOW) * 1000 < NOW - 6 * 3_600_000,
    elsewhere: (told, price) => Math.abs(Math.log((told?.price ?? 0) / price)) > Math.log(1.05),
    impostor: (told, price) => Math.abs(Math.log((told?.price ?? 0) / price)) > Math.log(9),
  };
  for (const trap of Object.keys(tokenTraps) as TokenTrapName[]) {
    // its own keys
    for (const { told, price } of await both(trap)) expect(isSuch[trap](told, price), trap).toBe(true);
  }
});

test('tells a chart of several tokens, from a start on or up to now', async () => {
  const source = await startForTest('defillama', { traps: [] });
  const names = source.tokens.slice(0, 3).map(({ name }) => name);
  const start = NOW / 1000 - 10 * DAY;
  const chart = await get<Charts>(source, `/chart/${names.join(',')}?start=${start}&span=4&period=1d`);
  expect(Object.keys(chart.json.coins)).toEqual(names);
  for (const { prices } of Object.values(chart.json.coins)) {
    expect(prices.map(({ timestamp }) => Math.abs(Math.round((timestamp - start) / DAY)))).toEqual([
      0, 1, 2, 3,
    ]);
  }
  const latest = await get<Charts>(source, `/chart/${names[0]}?span=2&period=6h`);
  const { prices = [] } = latest.json.coins[names[0] ?? ''] ?? {};
  expect(prices).toHaveLength(2);
  const current = await get<Told>(source, `/prices/current/${names[0]}`);
  expect(prices.at(-1)?.price).toBe(current.json.coins[names[0] ?? '']?.price);
  const then = await get<Told>(source, `/prices/historical/${NOW / 1000 - 6 * 3600}/${names[0]}`);
  expect(prices[0]?.price).toBe(then.json.coins[names[0] ?? '']?.price);
});

test.each([
  ['/prices/current/', 400],
  ['/chart/bsc:0x1?period=soon', 400],
  ['/chart/bsc:0x1?start=1&end=2', 400],
  ['/prices/soon/bsc:0x1', 404],
  ['/nothing', 404],
])('refuses %s with %i', async (path, status) => {
  expect((await get(await startForTest('defillama'), path)).status).toBe(status);
});
