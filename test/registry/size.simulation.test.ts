import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { buildRegistry } from '../../registry-layer/build.ts';
import { simulatedEntries } from '../../registry-layer/simulated/list.ts';
import { registryOf } from './lists.ts';

describe('the index of the simulated list', () => {
  const entries = simulatedEntries();
  const { bytes, manifest } = buildRegistry(entries, { source: 'test', builtAt: new Date(0) });

  test('keeps to its budget of 8 MB', () => {
    expect(bytes.byteLength).toBeLessThanOrEqual(8_000_000);
  });

  test('has the same bytes for the same entries, whenever and in whatever order they come', () => {
    const again = buildRegistry(entries.toReversed(), { source: 'test', builtAt: new Date() });
    expect(Buffer.compare(again.bytes, bytes)).toBe(0);
    expect(again.manifest).toEqual({ ...manifest, builtAt: again.manifest.builtAt });
  });
});

test('more entries than 16 bits can number are found by id, symbol and name', () => {
  const entries = simulatedEntries(70_000);
  const registry = registryOf(entries);
  for (const entry of entries.slice(-20)) {
    expect(registry.getById(entry.id)).toEqual(entry);
    expect(registry.searchBySymbol(entry.symbol)).toContainEqual(entry);
    expect(registry.search(entry.id, 100)).toContainEqual(entry);
  }
});

test('the reader adds at most 20 KB to a bundle, and loads neither zlib nor crypto', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: ['shared/registry/registry.ts'],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    write: false,
    metafile: true,
  });
  expect(outputFiles[0]?.contents.byteLength).toBeLessThanOrEqual(20_000);
  const imported = Object.values(metafile.outputs).flatMap((output) =>
    output.imports.map(({ path }) => path),
  );
  expect(imported.toSorted()).toEqual(['node:fs', 'node:path']);
});
