/** Bundles the typed client into `client/sdk/dist` for its npm package: one module, and its declarations. */
import { spawnSync } from 'node:child_process';
import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'client/sdk');
const outdir = join(folder, 'dist');

await rm(outdir, { recursive: true, force: true });
await build({
  entryPoints: [join(folder, 'index.ts')],
  outdir,
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  outExtension: { '.js': '.mjs' },
  logLevel: 'warning',
});

const tsc = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { stdio: ['ignore', 2, 2] });
if (tsc.status !== 0) throw new Error('The declarations of the client could not be made');
// The compiler names the sources in them, which the package does not have.
for (const file of await readdir(outdir)) {
  if (!file.endsWith('.d.ts')) continue;
  const text = await readFile(join(outdir, file), 'utf8');
  const named = text.replaceAll(/ from '(\.\/[\w-]+)\.ts';/g, " from '$1.mjs';");
  await writeFile(join(outdir, file.replace(/\.ts$/, '.mts')), named);
  await rm(join(outdir, file));
}
await copyFile(join(root, 'LICENSE'), join(outdir, 'LICENSE'));
