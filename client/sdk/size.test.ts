import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const MAX_BYTES = 6_000;

test('the client is small for a browser, and made of nothing but its own files', async () => {
  const { outputFiles, metafile } = await build({
    absWorkingDir: import.meta.dirname,
    entryPoints: ['index.ts'],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    metafile: true,
  });
  expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
  expect(Object.keys(metafile.inputs).filter((file) => file.includes('/'))).toEqual([]);
  const [{ contents } = { contents: new Uint8Array() }] = outputFiles;
  expect(contents.length).toBeGreaterThan(0);
  expect(gzipSync(contents).length).toBeLessThanOrEqual(MAX_BYTES);
});
