import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';

const root = join(import.meta.dirname, '../..');

/**
 * Bundles an entry of the terminal programs with everything that it needs into an emptied folder; what is imported when
 * it is wanted stays in files of its own. Returns what was bundled, with paths from the repository's folder on.
 */
export async function bundleForTerminal(entry: string, outdir: string): Promise<Metafile> {
  await rm(outdir, { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outdir,
    bundle: true,
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
  return metafile;
}
