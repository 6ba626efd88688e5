import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildRegistry, writeRegistry } from '../../registry-layer/build.ts';
import { simulatedEntries } from '../../registry-layer/simulated/list.ts';
import type { RegistryEntry } from '../../shared/registry/entries.ts';
import { dataOf, expectFailure, type Service, startService } from './service.ts';

interface Page {
  readonly count: number;
  readonly total: number;
  readonly results: RegistryEntry[];
  readonly nextCursor: string | null;
}

const API = '/api/marketdata';

describe('the registry routes', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.local.close());

  it('resolve a symbol in any case and padding to the best ranked coin', async () => {
    const answer = await service.get(`${API}/resolve/${encodeURIComponent(' bTc ')}`);

    expect(dataOf(answer)).toMatchObject({
      symbol: 'BTC',
      id: 'btc-bitcoin',
      name: 'Bitcoin',
      rank: 1,
      type: 'coin',
    });
    expect(answer.headers).toMatchObject({
      'x-registry-version': expect.stringMatching(/^[0-9a-f]{12}$/),
      'x-data-source': 'simulated',
      'cache-control': 'public, max-age=3600, must-revalidate, stale-if-error=0',
      'x-data-time': expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });

  it('find a symbol that the provider pads, and one that is not ASCII', async () => {
    expect(dataOf(await service.get(`${API}/resolve/zbcn`))).toMatchObject({ symbol: 'ZBCN ' });
    expect(dataOf(await service.get(`${API}/resolve/${encodeURIComponent('战旗')}`))).toMatchObject({
      id: '战旗-战旗',
    });
  });

  it('name an unknown symbol', async () => {
    expectFailure(await service.get(`${API}/resolve/no-such-symbol`), 404, 'Unknown symbol: no-such-symbol');
  });

  it.each([
    ['etherium', 'eth-ethereum'],
    ['bitcoin', 'btc-bitcoin'],
    ['dogecion', 'doge-dogecoin'],
    ['bitcoin wrapped', 'wbtc-wrapped-bitcoin'],
  ])('find %s', async (query, id) => {
    const data = dataOf<{ query: string; count: number; results: RegistryEntry[] }>(
      await service.get(`${API}/search?q=${encodeURIComponent(query)}&limit=3`),
    );

    expect(data).toMatchObject({ query, count: data.results.length });
    expect(data.results[0]?.id).toBe(id);
  });

  it.each([
    ['search', 'Missing parameter: q'],
    ['search?q=', 'Missing parameter: q'],
    ['search?q=%20', 'Missing parameter: q'],
    [
      `search?q=${'x'.repeat(101)}`,
      /^Invalid parameter q: .*; allowed: one or several words, up to 100 characters$/,
    ],
    ['search?q=a&limit=101', 'Invalid parameter limit: 101; allowed: an integer from 1 to 100'],
    ['search?q=a&active=yes', 'Invalid parameter active: "yes"; allowed: true, false'],
    ['coins?type=stock', 'Invalid parameter type: "stock"; allowed: coin, token'],
    ['coins?cursor=abc', 'Invalid parameter cursor: "abc"; allowed: nextCursor of the page before'],
    [
      `coins?cursor=${Buffer.from('0123456789ab:5').toString('base64url')}`,
      /allowed: the registry has changed meanwhile: begin again without a cursor$/,
    ],
  ])('refuse %s', async (path, error) => {
    expectFailure(await service.get(`${API}/${path}`), 400, error);
  });

  it('give one coin, or a hint', async () => {
    expect(dataOf(await service.get(`${API}/coins/toto-totoro-inu-%3F`))).toMatchObject({
      id: 'toto-totoro-inu-?',
    });
    expectFailure(
      await service.get(`${API}/coins/ethereum`),
      404,
      'Unknown coin id: ethereum. Did you mean eth-ethereum?',
    );
  });

  it('page through all active coins without a repetition or a gap', async () => {
    const ids: string[] = [];
    let total = 0;
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Page = dataOf<Page>(
        await service.get(`${API}/coins?limit=1000${cursor ? `&cursor=${cursor}` : ''}`),
      );
      expect(page.count).toBe(page.results.length);
      ids.push(...page.results.map(({ id }) => id));
      total = page.total;
      cursor = page.nextCursor;
    }

    expect(ids.slice(0, 2)).toEqual(['btc-bitcoin', 'eth-ethereum']);
    expect(ids).toHaveLength(total);
    expect(new Set(ids).size).toBe(total);
  });

  it('list the coins of a symbol, narrowed as asked', async () => {
    const all = dataOf<Page>(await service.get(`${API}/coins?symbol=btc&active=false`));
    const active = dataOf<Page>(await service.get(`${API}/coins?symbol=btc`));

    expect(active.results.every(({ is_active }) => is_active)).toBe(true);
    expect(all.total).toBeGreaterThanOrEqual(active.total);
    expect(all.results[0]?.id).toBe('btc-bitcoin');
  });
});

describe('a function whose registry cannot be opened', () => {
  let service: Service;
  let empty: string;
  beforeAll(async () => {
    empty = await mkdtemp(join(tmpdir(), 'no-registry-'));
    service = await startService({ env: { REGISTRY_PATH: empty } });
  });
  afterAll(async () => {
    await service.local.close();
    await rm(empty, { recursive: true });
  });

  it('answers the registry routes 503', async () => {
    expectFailure(
      await service.get(`${API}/resolve/btc`),
      503,
      'The coin registry is not available; try again later',
    );
  });

  it('goes on serving prices, and leaves ids to the provider', async () => {
    expect(dataOf(await service.get(`${API}/ticker/btc-bitcoin`))).toMatchObject({ id: 'btc-bitcoin' });
    expectFailure(await service.get(`${API}/ticker/bitcoin`), 404, 'Unknown coin id: bitcoin');
  });
});

describe('a function whose registry has no readable part for the search', () => {
  let service: Service;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'damaged-registry-'));
    const { bytes, manifest } = buildRegistry(simulatedEntries(300), { source: 'simulated' });
    const damaged = Uint8Array.from(bytes);
    damaged[manifest.lookupBytes] = 0;
    await writeRegistry(folder, { bytes: damaged, manifest });
    service = await startService({ env: { REGISTRY_PATH: folder } });
  });
  afterAll(async () => {
    await service.local.close();
    await rm(folder, { recursive: true });
  });

  it('answers searches 503', async () => {
    expectFailure(
      await service.get(`${API}/search?q=bitcoin`),
      503,
      'The coin registry is not available; try again later',
    );
  });

  it('goes on looking ids and symbols up, and gives no hints', async () => {
    expect(dataOf(await service.get(`${API}/resolve/btc`))).toMatchObject({ id: 'btc-bitcoin' });
    expect(dataOf(await service.get(`${API}/ticker/btc-bitcoin`))).toMatchObject({ id: 'btc-bitcoin' });
    expectFailure(await service.get(`${API}/ticker/bitcoin`), 404, 'Unknown coin id: bitcoin');
  });
});
