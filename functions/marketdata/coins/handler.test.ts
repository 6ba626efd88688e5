/** The routes that answer from the coin registry: search, resolve, coin and coins. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { buildRegistry, writeRegistry } from '../../../registry-layer/build.ts';
import { simulatedEntries } from '../../../registry-layer/simulated/list.ts';
import { publicFor } from '../../../shared/http/cache-control.ts';
import { compileResponse } from '../../../shared/http/compile-schemas.ts';
import type { RegistryEntry } from '../../../shared/registry/entries.ts';
import { call, commonHeaders, failure, refusalHeaders } from '../../../test/pipeline/event.ts';
import { route as coin } from '../coin/route.ts';
import { route as resolve } from '../resolve/route.ts';
import { route as search } from '../search/route.ts';
import { route as coins } from './route.ts';

const routes = { search, resolve, coin, coins };
const handlers = {
  search: () => import('../search/handler.ts'),
  resolve: () => import('../resolve/handler.ts'),
  coin: () => import('../coin/handler.ts'),
  coins: () => import('./handler.ts'),
};
const built = buildRegistry(simulatedEntries(3000), { source: 'simulated' });
const folder = (name: string) => mkdtempSync(join(inject('runFolder'), name));

let registry: string;
beforeAll(async () => {
  registry = folder('registry-');
  await writeRegistry(registry, built);
});
beforeEach(() => openFrom(registry));

function openFrom(path: string): void {
  vi.stubEnv('NODE_ENV', 'test');
  vi.stubEnv('REGISTRY_PATH', path);
  vi.resetModules(); // a cold start
  onTestFinished(() => void vi.unstubAllEnvs());
}

async function ask(name: keyof typeof routes, query = '', pathParameters?: Record<string, string>) {
  const { handler } = await handlers[name]();
  return call(handler, { path: routes[name].path, query, ...(pathParameters && { pathParameters }) });
}
/** The data of a success, checked against the response schema. */
async function dataOf<T>(...asked: Parameters<typeof ask>): Promise<T> {
  const { status, body } = await ask(...asked);
  expect([status, body]).toMatchObject([200, { success: true }]);
  const { data } = body as { data: T }; // checked right here
  expect(compileResponse(routes[asked[0]].response)(data)).toEqual([]);
  return data;
}
interface Page {
  readonly count: number;
  readonly total: number;
  readonly results: RegistryEntry[];
  readonly nextCursor: string | null;
}

describe('a symbol', () => {
  it('in any case and padding is that of the best-ranked coin, with the version of the registry', async () => {
    const { status, headers, body } = await ask('resolve', '', { symbol: ' bTc ' });

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
    expect(await dataOf('resolve', '', { symbol: 'zbcn' })).toMatchObject({ symbol: 'ZBCN ' });
    expect(await dataOf('resolve', '', { symbol: '战旗' })).toMatchObject({ id: '战旗-战旗' });
    expect(await ask('resolve', '', { symbol: 'none' })).toMatchObject({
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
    const data = await dataOf<Page & { query: string }>('search', `q=${query}&limit=3`);
    expect(data).toMatchObject({ query, count: data.results.length });
    expect(data.results[0]?.id).toBe(id);
  });
});

describe('a coin', () => {
  it('is found by its id, and an unknown id gets a hint', async () => {
    expect(await dataOf('coin', '', { id: 'toto-totoro-inu-?' })).toMatchObject({ id: 'toto-totoro-inu-?' });
    expect(await ask('coin', '', { id: 'ethereum' })).toMatchObject({
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
      const page: Page = await dataOf<Page>('coins', `limit=1000${cursor ? `&cursor=${cursor}` : ''}`);
      expect(page.count).toBe(page.results.length);
      ids.push(...page.results.map(({ id }) => id));
      ({ total, nextCursor: cursor } = page);
    }
    expect(ids.slice(0, 2)).toEqual(['btc-bitcoin', 'eth-ethereum']);
    expect(ids).toHaveLength(total);
    expect(new Set(ids).size).toBe(total);
  });

  it('is narrowed to a symbol, and to active coins unless told otherwise', async () => {
    const all = await dataOf<Page>('coins', 'symbol=btc&active=false');
    const active = await dataOf<Page>('coins', 'symbol=btc');

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
    expect(await ask('coins', `cursor=${cursor}`)).toMatchObject({ status: 400, body: failure(error) });
  });
});

describe('a registry that cannot be read', () => {
  const missing = {
    status: 503,
    headers: refusalHeaders(100),
    body: failure('The coin registry is not available; try again later'),
  };
  it('is a 503 of its routes', async () => {
    openFrom(folder('no-registry-'));
    expect(await ask('resolve', '', { symbol: 'btc' })).toEqual(missing);
    expect(await ask('coins')).toMatchObject(missing);
  });

  it('in its part for the search alone is a 503 of searches, and gives no hints', async () => {
    const damaged = folder('damaged-registry-');
    const bytes = Uint8Array.from(built.bytes);
    bytes[built.manifest.lookupBytes] = 0;
    await writeRegistry(damaged, { ...built, bytes });
    openFrom(damaged);
    expect(await ask('search', 'q=bitcoin')).toMatchObject({ status: 503, body: missing.body });
    openFrom(damaged); // the other routes are functions of their own
    expect(await dataOf('resolve', '', { symbol: 'btc' })).toMatchObject({ id: 'btc-bitcoin' });
    expect(await ask('coin', '', { id: 'ethereum' })).toMatchObject({
      status: 404,
      body: failure('Unknown coin id: ethereum'),
    });
  });
});
