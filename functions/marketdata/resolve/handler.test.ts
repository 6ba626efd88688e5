import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { buildRegistry, writeRegistry } from '../../../registry-layer/build.ts';
import { simulatedEntries } from '../../../registry-layer/simulated/list.ts';
import type { RegistryManifest } from '../../../shared/registry/manifest.ts';
import { underTest } from '../../../test/pipeline/under-test.ts';
import { route } from './route.ts';

const { ask, dataOf: dataIn } = underTest(route, () => import('./handler.ts'));
const dataOf = (symbol: string) => dataIn({ pathParameters: { symbol } });

const built = buildRegistry(simulatedEntries(), { source: 'simulated' });

async function useRegistry(changes: Partial<RegistryManifest> = {}): Promise<void> {
  const folder = mkdtempSync(join(inject('runFolder'), 'resolve-registry-'));
  await writeRegistry(folder, { ...built, manifest: { ...built.manifest, ...changes } });
  vi.stubEnv('NODE_ENV', 'test');
  vi.stubEnv('REGISTRY_PATH', folder);
}

beforeEach(() => useRegistry());
afterEach(() => vi.unstubAllEnvs());

describe('a coin that continues as another', () => {
  it('is still the coin of its symbol while it is active and ranked, with a hint', async () => {
    expect(await dataOf('matic')).toEqual({
      id: 'matic-polygon',
      symbol: 'MATIC',
      name: 'Polygon',
      rank: expect.any(Number),
      type: 'token',
      is_active: true,
      foundBy: 'symbol',
      alternatives: 0,
      isAmbiguous: false,
      successor: { id: 'pol-polygon-ecosystem-token', symbol: 'POL', name: 'Polygon', ratio: 1 },
    });
    expect(await dataOf('mkr')).toMatchObject({ successor: { id: 'sky-sky', ratio: 24_000 } });
  });

  it('is replaced by the other under its symbol once no active, ranked coin has that, which is marked', async () => {
    expect(await dataOf('ftm')).toEqual({
      id: 's-sonic',
      symbol: 'S',
      name: 'Sonic',
      rank: expect.any(Number),
      type: 'coin',
      is_active: true,
      foundBy: 'formerSymbol',
      alternatives: 0,
      isAmbiguous: false,
      predecessor: { id: 'ftm-fantom', symbol: 'FTM', name: 'Fantom', ratio: 1 },
    });
    expect(await dataOf('LEND')).toMatchObject({ id: 'aave-new', predecessor: { ratio: 0.01 } });
  });

  it('is found by its own id as before, with a hint', async () => {
    expect(await dataOf('ftm-fantom')).toMatchObject({
      id: 'ftm-fantom',
      is_active: false,
      foundBy: 'id',
      successor: { id: 's-sonic' },
    });
  });
});

describe('a symbol that a coin had before', () => {
  it('leads to the coin, which is marked', async () => {
    const data = await dataOf('rndr');
    expect(data).toMatchObject({ id: 'rndr-render-token', symbol: 'RENDER', foundBy: 'formerSymbol' });
    expect(data).not.toHaveProperty('predecessor');
  });

  it('is the symbol of another coin if that is active and ranked', async () => {
    await useRegistry({ formerSymbols: [{ symbol: 'ETH', id: 'btc-bitcoin' }] });
    expect(await dataOf('eth')).toMatchObject({ id: 'eth-ethereum', foundBy: 'symbol' });
  });
});

it.each([
  ['of an earlier build', { successors: undefined, formerSymbols: undefined }],
  ['with unusable rows', { successors: [null, { from: 1 }], formerSymbols: 'none' } as object],
])('a registry %s has no such coins, and is read', async (_what, changes) => {
  await useRegistry(changes);
  const data = await dataOf('matic');
  expect(data.id).toBe('matic-polygon');
  expect(data).not.toHaveProperty('successor');
  expect(await ask({ pathParameters: { symbol: 'ftm' } })).toMatchObject({ status: 404 });
});
