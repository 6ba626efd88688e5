/** Bundles the terminal programs into `client/cli/dist` for their npm package, where Node strips no types. */
import { copyFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { bundledLicences } from './build/bundled-licences.ts';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'client/cli');
const outdir = join(folder, 'dist');

await rm(outdir, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: [join(folder, 'run.ts')],
  outdir,
  bundle: true,
  // What is imported when it is wanted stays in files of its own.
  splitting: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  define: { 'process.env.NODE_ENV': '"production"' },
  // Ink looks for it only when DEV is set, and does without it.
  external: ['react-devtools-core'],
  // CommonJS packages among what is bundled require Node's own modules.
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
  outExtension: { '.js': '.mjs' },
  metafile: true,
  logLevel: 'warning',
});
await copyFile(join(root, 'LICENSE'), join(outdir, 'LICENSE'));
const licences = await bundledLicences(Object.keys(metafile.inputs), root);
if (licences !== '') await writeFile(join(outdir, 'LICENSES-OF-OTHERS'), licences);
