import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
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
    outExtension: { '.js': '.mjs' },
    metafile: true,
    logLevel: 'warning',
  });
  return metafile;
}

/** A program that still runs imports parts of its bundle when it needs them, so the folder stays for so long. */
const KEPT_MS = 7 * 86_400_000;

/**
 * Bundles the programs into a new folder of `cache`, and names it in `current.json` with size and time of all files that it was
 * made of, from which `client/cli/launch.mjs` knows whether it is up to date. Programs may do this at the same time: none
 * writes into another's folder, and the last one names its own.
 */
export async function prebuild(entry: string, cache: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const started = Date.now();
  const folder = await mkdtemp(join(cache, 'build-'));
  const { inputs } = await bundleForTerminal(entry, folder);
  const own = Object.keys(inputs).filter((path) => !path.startsWith('node_modules/'));
  const files = [...own, 'package-lock.json', relative(root, import.meta.filename)];
  const stats = await Promise.all(files.map(async (path) => ({ path, ...(await stat(join(root, path))) })));
  // What was edited meanwhile may be in the bundle as it was before.
  if (stats.some(({ mtimeMs }) => mtimeMs >= started)) return;
  const named = JSON.stringify({
    folder: basename(folder),
    inputs: stats.map(({ path, mtimeMs, size }) => [path, mtimeMs, size]),
  });
  await writeFile(join(folder, 'current.json'), named);
  await rename(join(folder, 'current.json'), join(cache, 'current.json'));
  await removeOld(cache);
}

async function removeOld(cache: string): Promise<void> {
  for (const name of await readdir(cache)) {
    if (!name.startsWith('build-')) continue;
    const { mtimeMs } = await stat(join(cache, name));
    if (Date.now() - mtimeMs > KEPT_MS) await rm(join(cache, name), { recursive: true, force: true });
  }
}
