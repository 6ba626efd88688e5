import { hash } from 'node:crypto';
import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildRegistry, writeRegistry } from '../../registry-layer/build.ts';
import { simulatedEntries } from '../../registry-layer/simulated/list.ts';
import { FORMAT_VERSION, RegistryError } from '../../shared/registry/manifest.ts';
import { openRegistry, openRegistryBytes, type Registry } from '../../shared/registry/registry.ts';

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
  const changeIndex = async (change: (bytes: Buffer) => void) => {
    const bytes = await readFile(index);
    change(bytes);
    await writeFile(index, bytes);
  };

  test('opens as long as nothing is wrong with it, and is refused without its manifest or its index', async () => {
    expect(openRegistry(folder).manifest).toEqual(built.manifest);
    await rm(index);
    expectRefusal(index, /cannot be read.*ENOENT/);
    await rm(manifest);
    expectRefusal(manifest, /cannot be read.*ENOENT/);
  });

  test.each<[string, RegExp, () => Promise<void>]>([
    ...[0, 1000].map((bytes): [string, RegExp, () => Promise<void>] => [
      `cut off after ${bytes} bytes`,
      /but its manifest says/,
      () => truncate(index, bytes),
    ]),
    [
      'a foreign file',
      /not a registry index/,
      () => writeFile(index, Buffer.alloc(built.bytes.length, 'const lines = 1;\n')),
    ],
    ...(
      [
        [8, FORMAT_VERSION + 1, /format version 4, but its manifest says 3/],
        [12, 17, /but its header says 17/],
        [16, 2, /section counts is not within it/],
        [20, 2 ** 31, /section counts is not within it/],
      ] as const
    ).map(([at, value, reason]): [string, RegExp, () => Promise<void>] => [
      `another number at byte ${at}`,
      reason,
      () => changeIndex((bytes) => void bytes.writeUInt32LE(value, at)),
    ]),
    [
      'one that counts other entries than it has',
      /its counts are not those of its sections/,
      () => changeIndex((bytes) => void bytes.writeUInt32LE(2 ** 32 - 1, bytes.readUInt32LE(16))),
    ],
  ])('is refused when the index is %s', async (_damage, reason, damage) => {
    await damage();
    expectRefusal(index, reason);
  });

  test('serves lookups when the part for the search cannot be read, and refuses to search', async () => {
    await changeIndex((bytes) => void bytes.writeUInt8(0, built.manifest.lookupBytes));
    const registry = openRegistry(folder);
    expect(registry.getById('btc-bitcoin')?.name).toBe('Bitcoin');
    expect(registry.resolveSymbol('btc')).toBe('btc-bitcoin');
    for (const search of [() => registry.prepareSearch(), () => registry.search('bitcoin')]) {
      expect(search).toThrow(RegistryError);
      expect(search).toThrow(index);
      expect(search).toThrow(/wrong signature/);
    }
  });

  test.each([
    ['', /not JSON/],
    ['null', /not an object/],
    [JSON.stringify({ ...built.manifest, index: '../other' }), /index is missing or wrong/],
    [JSON.stringify({ ...built.manifest, sha256: undefined }), /sha256 is missing or wrong/],
    [
      JSON.stringify({ ...built.manifest, formatVersion: FORMAT_VERSION + 1 }),
      /format version 4, this reader knows version 3: deploy newer functions/,
    ],
    [JSON.stringify({ formatVersion: 2 }), /format version 2, this reader knows version 3: build it anew/],
  ])('is refused when the manifest is %j', async (text, reason) => {
    await writeFile(manifest, text);
    expectRefusal(manifest, reason);
  });
});

const change = fc.tuple(fc.nat(built.bytes.length - 1), fc.integer({ min: 1, max: 255 }));

function damaged(changes: readonly (readonly [at: number, change: number])[]): Uint8Array {
  const bytes = Uint8Array.from(built.bytes);
  for (const [at, flipped] of changes) bytes[at] = (bytes[at] ?? 0) ^ flipped;
  return bytes;
}

test('a fetched index with any changed byte is refused', () => {
  fc.assert(
    fc.property(change, (changed) => {
      const open = () => openRegistryBytes(damaged([changed]), built.manifest);
      expect(open).toThrow(RegistryError);
      expect(open).toThrow(/SHA-256/);
    }),
    { numRuns: 300 },
  );
});

test('a fetched index that is cut off or too long is refused', () => {
  fc.assert(
    fc.property(fc.nat(built.bytes.length - 1), fc.integer({ min: 1, max: 100 }), (kept, added) => {
      const longer = Buffer.concat([built.bytes, Buffer.alloc(added)]);
      for (const bytes of [built.bytes.subarray(0, kept), longer])
        expect(() => openRegistryBytes(bytes, built.manifest)).toThrow(RegistryError);
    }),
  );
});

test('a damaged deployed index is refused, or answers every call', () => {
  // Opened as from a layer, which is not compared with a checksum: here by giving the damaged bytes their own.
  const header = fc.tuple(fc.constantFrom(0, built.manifest.lookupBytes), fc.nat(90));
  const anywhere = fc.tuple(
    fc.oneof(
      fc.nat(built.bytes.length - 1),
      header.map(([part, at]) => part + at),
    ),
    fc.integer({ min: 1, max: 255 }),
  );
  fc.assert(
    fc.property(fc.array(anywhere, { minLength: 1, maxLength: 40 }), (changes) => {
      const bytes = damaged(changes);
      const opened = opensOrRefuses(bytes);
      if (!opened) return;
      for (const id of ['btc-bitcoin', 'no-such-coin']) opened.getById(id);
      for (const symbol of ['BTC', 'nope']) opened.resolveSymbol(symbol);
      opened.page({ activeOnly: true }, 0, 10);
      opened.page({ symbol: 'eth' }, 0, 10);
      for (const query of ['bitcoin', 'etherium', 'wrapped bitcoin', 'x']) opened.search(query);
      opened.suggestId('bitcoin');
    }),
    { numRuns: 500 },
  );
});

function opensOrRefuses(bytes: Uint8Array): Registry | undefined {
  try {
    return openRegistryBytes(bytes, { ...built.manifest, sha256: hash('sha256', bytes) });
  } catch (error) {
    expect(error).toBeInstanceOf(RegistryError);
    return undefined;
  }
}

test('an index opens from a buffer that starts at an odd address', () => {
  const shifted = Buffer.alloc(built.bytes.length + 1).subarray(1);
  shifted.set(built.bytes);
  expect(openRegistryBytes(shifted, built.manifest).getById('btc-bitcoin')?.name).toBe('Bitcoin');
});
