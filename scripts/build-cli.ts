/** Bundles the terminal programs into `dist/cli` for the npm package, where Node strips no types. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');
const outdir = join(root, 'dist/cli');

await rm(outdir, { recursive: true, force: true });
await build({
  entryPoints: [join(root, 'client/cli/run.ts')],
  outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  // The oldest that the launcher runs on; `URL.parse` came with 20.19 and 22.1.
  target: 'node20.19',
  outExtension: { '.js': '.mjs' },
  logLevel: 'warning',
});
