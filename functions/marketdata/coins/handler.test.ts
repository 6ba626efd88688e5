/** The routes that answer from the coin registry: search, resolve, coin and coins. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { buildRegistry, writeRegistry } from '../../../registry-layer/build.ts';
import { simulatedEntries } from '../../../registry-layer/simulated/list.ts';
import { publicFor } from '../../../shared/http/cache-control.ts';
import type { DataOf } from '../../../shared/http/route.ts';
import { commonHeaders, failure, refusalHeaders } from '../../../test/pipeline/event.ts';
import { underTest } from '../../../test/pipeline/under-test.ts';
import { route as coin } from '../coin/route.ts';
import { route as resolve } from '../resolve/route.ts';
import { route as search } from '../search/route.ts';
import { route as coins } from './route.ts';

const served = {
  search: underTest(search, () => import('../search/handler.ts')),
  resolve: underTest(resolve, () => import('../resolve/handler.ts')),
  coin: underTest(coin, () => import('../coin/handler.ts')),
  coins: underTest(coins, () => import('./handler.ts')),
};
const built = buildRegistry(simulatedEntries(3000), { source: 'simulated' });
const folder = (name: string) => mkdtempSync(join(inject('runFolder'), name));

let registry: string;
beforeAll(async () => {
  registry = folder('registry-');
  await writeRegistry(registry, built);
});
beforeEach(() => openFrom(registry));
afterEach(() => void vi.unstubAllEnvs());

/** Sets the registry of the containers that start from now on. */
function openFrom(path: string): void {
  vi.stubEnv('NODE_ENV', 'test');
  vi.stubEnv('REGISTRY_PATH', path);
}

describe('a symbol', () => {
  it('in any case and padding is that of the best-ranked coin, with the version of the registry', async () => {
    const { status, headers, body } = await served.resolve.ask({ pathParameters: { symbol: ' bTc ' } });

    expect([status, body]).toMatchObject([
      200,
      { data: { symbol: 'BTC', id: 'btc-bitcoin', name: 'Bitcoin', rank: 1, type: 'coin' } },
    ]);
    expect(headers).toEqual({
      ...commonHeaders(100),
      'x-registry-version': expect.stringMatching(/^[0-9a-f]{12}$/),
      'x-data-source': 'simulated',
      'x-data-time': expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      'cache-control': publicFor(3600),
    });
  });

  it('that the provider pads, or that is not ASCII, is found; an unknown one is named', async () => {
    expect(await served.resolve.dataOf({ pathParameters: { symbol: 'zbcn' } })).toMatchObject({
      symbol: 'ZBCN ',
    });
    expect(await served.resolve.dataOf({ pathParameters: { symbol: '战旗' } })).toMatchObject({
      id: '战旗-战旗',
    });
    expect(await served.resolve.ask({ pathParameters: { symbol: 'none' } })).toMatchObject({
      status: 404,
      body: failure('Unknown symbol: none'),
    });
  });
});

describe('a search', () => {
  it.each([
    ['etherium', 'eth-ethereum'],
    ['bitcoin', 'btc-bitcoin'],
  ])('for %s finds %s first', async (query, id) => {
    const data = await served.search.dataOf({ query: `q=${query}&limit=3` });
    expect(data).toMatchObject({ query, count: data.results.length });
    expect(data.results[0]?.id).toBe(id);
  });
});

describe('a coin', () => {
  it('is found by its id, and an unknown id gets a hint', async () => {
    expect(await served.coin.dataOf({ pathParameters: { id: 'toto-totoro-inu-?' } })).toMatchObject({
      id: 'toto-totoro-inu-?',
    });
    expect(await served.coin.ask({ pathParameters: { id: 'ethereum' } })).toMatchObject({
      status: 404,
      body: failure('Unknown coin id: ethereum. Did you mean eth-ethereum?'),
    });
  });
});

describe('the list of coins', () => {
  it('comes in pages without a repetition or a gap', async () => {
    const ids: string[] = [];
    let [total, cursor]: [number, string | null] = [0, ''];
    while (cursor !== null) {
      const page: DataOf<typeof coins> = await served.coins.dataOf({
        query: `limit=1000${cursor ? `&cursor=${cursor}` : ''}`,
      });
      expect(page.count).toBe(page.results.length);
      ids.push(...page.results.map(({ id }) => id));
      ({ total, nextCursor: cursor } = page);
    }
    expect(ids.slice(0, 2)).toEqual(['btc-bitcoin', 'eth-ethereum']);
    expect(ids).toHaveLength(total);
    expect(new Set(ids).size).toBe(total);
  });

  it('is narrowed to a symbol, and to active coins by default', async () => {
    const all = await served.coins.dataOf({ query: 'symbol=btc&active=false' });
    const active = await served.coins.dataOf({ query: 'symbol=btc' });

    expect(active.results.every(({ is_active }) => is_active)).toBe(true);
    expect(all.total).toBeGreaterThanOrEqual(active.total);
    expect(all.results[0]?.id).toBe('btc-bitcoin');
  });

  it.each([
    ['abc', 'Invalid parameter cursor: "abc"; allowed: nextCursor of the page before'],
    [
      Buffer.from('0123456789ab:5').toString('base64url'),
      expect.stringMatching(/allowed: the registry has changed meanwhile: begin again without a cursor$/),
    ],
  ])('does not go on from the cursor %s', async (cursor, error) => {
    expect(await served.coins.ask({ query: `cursor=${cursor}` })).toMatchObject({
      status: 400,
      body: failure(error),
    });
  });
});

describe('a registry that cannot be read', () => {
  const missing = {
    status: 503,
    headers: { ...refusalHeaders(100), 'retry-after': '10' },
    body: failure('The coin registry is not available; try again later'),
  };
  it('is a 503 of its routes', async () => {
    openFrom(folder('no-registry-'));
    expect(await served.resolve.ask({ pathParameters: { symbol: 'btc' } })).toEqual(missing);
    expect(await served.coins.ask()).toMatchObject(missing);
  });

  it('only in its part for the search is a 503 of searches, and leaves no hints', async () => {
    const damaged = folder('damaged-registry-');
    const bytes = Uint8Array.from(built.bytes);
    bytes[built.manifest.lookupBytes] = 0;
    await writeRegistry(damaged, { ...built, bytes });
    openFrom(damaged);
    expect(await served.search.ask({ query: 'q=bitcoin' })).toMatchObject({
      status: 503,
      body: missing.body,
    });
    openFrom(damaged); // the other routes are functions of their own
    expect(await served.resolve.dataOf({ pathParameters: { symbol: 'btc' } })).toMatchObject({
      id: 'btc-bitcoin',
    });
    expect(await served.coin.ask({ pathParameters: { id: 'ethereum' } })).toMatchObject({
      status: 404,
      body: failure('Unknown coin id: ethereum'),
    });
  });
});
