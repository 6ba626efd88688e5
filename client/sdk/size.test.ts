import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const MAX_BYTES = 6_000;

test('the client is small, and one file without imports, for browsers', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(import.meta.dirname, 'index.ts')],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    metafile: true,
  });
  expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
  const [{ contents } = { contents: new Uint8Array() }] = outputFiles;
  expect(contents.length).toBeGreaterThan(0);
  expect(gzipSync(contents).length).toBeLessThanOrEqual(MAX_BYTES);
});
