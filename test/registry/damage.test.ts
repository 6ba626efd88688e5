import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildRegistry } from '../../registry-layer/build.ts';
import { simulatedEntries } from '../../registry-layer/simulated/list.ts';
import { writeRegistry } from '../../registry-layer/write.ts';
import { openRegistry, openRegistryBytes, RegistryError } from '../../shared/registry/index.ts';

const built = buildRegistry(simulatedEntries(300), { source: 'simulated' });

describe('a folder that is not a whole registry', () => {
  let folder: string;
  let index: string;
  let manifest: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'registry-'));
    await writeRegistry(folder, built);
    index = join(folder, built.manifest.index);
    manifest = join(folder, 'manifest.json');
  });

  afterEach(() => rm(folder, { recursive: true }));

  const expectRefusal = (file: string, reason: RegExp): void => {
    expect(() => openRegistry(folder)).toThrow(RegistryError);
    expect(() => openRegistry(folder)).toThrow(file);
    expect(() => openRegistry(folder)).toThrow(reason);
  };

  test('opens as long as nothing is wrong with it', () => {
    expect(openRegistry(folder).manifest).toEqual(built.manifest);
  });

  test('is refused without its manifest', async () => {
    await rm(manifest);
    expectRefusal(manifest, /cannot be read.*ENOENT/);
  });

  test('is refused without its index', async () => {
    await rm(index);
    expectRefusal(index, /cannot be read.*ENOENT/);
  });

  test.each([0, 1, 255, 256, 1000])('is refused when the index is cut off after %i bytes', async (bytes) => {
    await truncate(index, bytes);
    expectRefusal(index, /where its manifest says/);
  });

  test('is refused when the index is a foreign file', async () => {
    await writeFile(index, Buffer.alloc(built.bytes.length, 'const lines = 1;\n'));
    expectRefusal(index, /not a registry index/);
  });

  test('is refused when the index is of a newer format', async () => {
    const bytes = await readFile(index);
    bytes.writeUInt32LE(3, 8);
    await writeFile(index, bytes);
    expectRefusal(index, /format version 3, this reader knows version 2: deploy newer functions/);
  });

  test('is refused when the index is not the one of the manifest', async () => {
    await writeFile(index, buildRegistry(simulatedEntries(299), { source: 'simulated' }).bytes);
    expectRefusal(index, /not the one that its manifest describes/);
  });

  test('serves lookups when only the part for the search is damaged, and refuses to search', async () => {
    const bytes = await readFile(index);
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 300) ^ 1, bytes.length - 300);
    await writeFile(index, bytes);
    const registry = openRegistry(folder);
    expect(registry.getById('btc-bitcoin')?.name).toBe('Bitcoin');
    expect(registry.resolveSymbol('btc')).toBe('btc-bitcoin');
    for (const search of [() => registry.prepareSearch(), () => registry.fuzzySearch('bitcoin')]) {
      expect(search).toThrow(RegistryError);
      expect(search).toThrow(index);
      expect(search).toThrow(/corrupted/);
    }
  });

  test.each([
    ['', /not JSON/],
    ['[]', /index is missing or wrong/],
    ['null', /not an object/],
    [JSON.stringify({ ...built.manifest, index: '../other' }), /index is missing or wrong/],
    [JSON.stringify({ ...built.manifest, builtAt: 'yesterday' }), /builtAt is missing or wrong/],
  ])('is refused when the manifest is %j', async (text, reason) => {
    await writeFile(manifest, text);
    expectRefusal(manifest, reason);
  });
});

test('any changed byte of the index is refused, but for those of the preludes that nobody reads', () => {
  fc.assert(
    fc.property(fc.nat(built.bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const damaged = Uint8Array.from(built.bytes);
      damaged[at] = (damaged[at] ?? 0) ^ change;
      const open = () => openRegistryBytes(damaged, built.manifest);
      const { lookupBytes } = built.manifest;
      const inPart = at < lookupBytes ? at : at - lookupBytes;
      if ((inPart >= 16 && inPart < 32) || (inPart >= 64 && inPart < 256)) expect(open().size).toBe(300);
      else expect(open).toThrow(RegistryError);
    }),
    { numRuns: 300 },
  );
});

test('an index opens from a buffer that starts at an odd address', () => {
  const shifted = Buffer.alloc(built.bytes.length + 1).subarray(1);
  shifted.set(built.bytes);
  expect(openRegistryBytes(shifted, built.manifest).getById('btc-bitcoin')?.name).toBe('Bitcoin');
});
