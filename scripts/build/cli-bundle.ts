/** Bundles of the terminal programs: for their npm package, where Node strips no types, and for a fast start here. */
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { build, type Metafile } from 'esbuild';

const root = join(import.meta.dirname, '../..');

/**
 * Bundles an entry of the terminal programs with its dependencies into an emptied folder; dynamic imports stay in files
 * of their own. Returns the bundled files, with paths relative to the repository.
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

/** A running program imports parts of its bundle later, so the folder is kept this long. */
const KEPT_MS = 7 * 86_400_000;

/**
 * Bundles the programs into a new folder of `cache`, and records it in `current.json` with size and time of all source
 * files, so that `client/cli/launch.mjs` can tell whether it is current. Programs may do this concurrently: each writes
 * its own folder, and the last one is recorded.
 */
export async function prebuild(entry: string, cache: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const started = Date.now();
  const folder = await mkdtemp(join(cache, 'build-'));
  const { inputs } = await bundleForTerminal(entry, folder);
  const own = Object.keys(inputs).filter((path) => !path.startsWith('node_modules/'));
  const files = [...own, 'package-lock.json', relative(root, import.meta.filename)];
  const stats = await Promise.all(files.map(async (path) => ({ path, ...(await stat(join(root, path))) })));
  // The bundle may contain an earlier version of a file that was edited meanwhile.
  if (stats.some(({ mtimeMs }) => mtimeMs >= started)) return;
  const named = JSON.stringify({
    folder: basename(folder),
    inputs: stats.map(({ path, mtimeMs, size }) => [path, mtimeMs, size]),
  });
  await writeFile(join(folder, 'current.json'), named);
  await rename(join(folder, 'current.json'), join(cache, 'current.json'));
  for (const name of (await readdir(cache)).filter((one) => one.startsWith('build-'))) {
    // Another program empties its folder before it writes into it.
    const { mtimeMs } = await stat(join(cache, name)).catch(() => ({ mtimeMs: started }));
    if (started - mtimeMs > KEPT_MS) await rm(join(cache, name), { recursive: true, force: true });
  }
}

/** The licences of the bundled packages: most require that copies include them. */
async function licencesOf(files: readonly string[]): Promise<string> {
  const folders = files.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? '');
  const texts = [...new Set(folders)].filter(Boolean).map(async (folder) => {
    const licence = (await readdir(join(root, folder))).find((name) => /^licen[cs]e/i.test(name));
    if (!licence) throw new Error(`${folder} has no licence that could be passed on`);
    return `${folder.replace(/^.*node_modules\//, '')}\n\n${await readFile(join(root, folder, licence), 'utf8')}`;
  });
  return (await Promise.all(texts)).join('\n\n');
}

/** The content of the npm package. */
if (import.meta.main) {
  const outdir = join(root, 'client/cli/dist');
  const { inputs } = await bundleForTerminal(join(root, 'client/cli/run.ts'), outdir);
  await copyFile(join(root, 'LICENSE'), join(outdir, 'LICENSE'));
  const licences = await licencesOf(Object.keys(inputs));
  if (licences) await writeFile(join(outdir, 'LICENSES-OF-OTHERS'), licences);
}
