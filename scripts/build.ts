import { existsSync } from 'node:fs';
import { appendFile, cp, readFile, rename, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuildOptions, build as bundle } from 'esbuild';
import { jobs } from '../functions/jobs.ts';
import { routes } from '../functions/routes.ts';
import { ensureRegistry } from '../registry-layer/main.ts';
import { fasterColdStart } from './build/output.ts';
import { tablesAsData, withoutUnneeded } from './build/plugin.ts';

const root = join(import.meta.dirname, '..');
export const functionsFolder = join(root, 'dist/functions');
const pageFolder = join(root, 'dist/web');
/** The server with all handlers, which runs with Node alone. */
export const serverFolder = join(root, 'dist/server');

/** The folder of a route's or a job's bundle below `dist/functions`, and its function's name. */
export function functionId(name: string): string {
  return name.replace('/', '-');
}

/** Options that every function is bundled with; the bench bundles its comparison handlers the same way. */
export const bundleOptions = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  minify: true,
  // The AWS SDK's CommonJS entry cannot be tree-shaken.
  mainFields: ['module', 'main'],
  splitting: true,
  outExtension: { '.js': '.mjs' },
  legalComments: 'none',
  logLevel: 'warning',
  plugins: [withoutUnneeded(), fasterColdStart()],
} satisfies BuildOptions;

/** Readable bundles with source maps, for a debugger. They run as copies, so the maps use absolute source paths. */
function debuggable(outdir: string): BuildOptions {
  const sourceRoot = `${pathToFileURL(outdir).href}/`;
  return { minify: false, sourcemap: true, sourcesContent: false, sourceRoot };
}

/** Bundles every function of the route table and every job into `<id>/index.mjs` of a folder, which it empties first. */
export async function build(folder = functionsFolder, sourceMaps = false): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await Promise.all([
    ...routes.map(({ name }) => bundleFunction(name, name, folder, sourceMaps)),
    ...jobs.map(({ name }) => bundleFunction(name, name.replace('/', '/jobs/'), folder, sourceMaps)),
  ]);
}

/** Bundles one function, whose handler is in a folder below `functions/`. */
export async function bundleFunction(
  name: string,
  path: string,
  folder: string,
  sourceMaps: boolean,
): Promise<void> {
  const outdir = join(folder, functionId(name));
  const entryPoints = { index: join(root, 'functions', path, 'handler.ts') };
  await bundle({ ...bundleOptions, entryPoints, outdir, ...(sourceMaps && debuggable(outdir)) });
}

/** Bundles the server and the program of its threads, which share modules; a route's code is loaded with its first request. */
async function bundleServer(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const programs = ['start', 'worker'].map((name) => [name, join(root, 'server', `${name}.ts`)]);
  await bundle({
    ...bundleOptions,
    entryPoints: Object.fromEntries(programs),
    outdir: folder,
    plugins: [tablesAsData(), withoutUnneeded()],
  });
}

/** Builds the server with the page, beside the server that is there, which it then replaces. */
export async function buildServer(page: Promise<void> = buildPage()): Promise<void> {
  const next = `${serverFolder}.next`;
  const begunAt = new Date();
  await Promise.all([page, bundleServer(next)]);
  await cp(pageFolder, join(next, 'web'), { recursive: true });
  // What changes meanwhile is newer.
  await utimes(join(next, 'start.mjs'), begunAt, begunAt);
  await rm(serverFolder, { recursive: true, force: true });
  await rename(next, serverFolder);
}

/** Builds everything that a stage deploys except the registry: the functions, the page, and the page function's files; and the server. */
export async function buildAll(sourceMaps = false): Promise<void> {
  const page = buildPage();
  await Promise.all([build(functionsFolder, sourceMaps), buildServer(page)]);
  // The function writes HTML from two of them, and without a distribution it serves all.
  await cp(pageFolder, join(functionsFolder, functionId('page/html'), 'web'), { recursive: true });
}

/** Bundles the web page into `dist/web`, together with the API's description. */
async function buildPage(): Promise<void> {
  const { build: bundlePage } = await import('vite');
  const configFile = join(root, 'client/web/vite.config.ts');
  await bundlePage({ configFile, logLevel: 'warn' });
  await bundlePage({ configFile, logLevel: 'warn', mode: 'docs' });
  await appendFile(join(pageFolder, 'licenses.md'), await referenceLicences());
  await cp(join(root, 'docs/openapi.json'), join(pageFolder, 'openapi.json'));
}

/** Bundles Swagger UI with its dependencies and their notices. */
async function referenceLicences(): Promise<string> {
  const folder = join(root, 'node_modules/swagger-ui-dist');
  const files = ['NOTICE', 'LICENSE', 'swagger-ui-es-bundle.js.LICENSE.txt'];
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  return ['\n## swagger-ui-dist', ...texts].join('\n\n');
}

/** Whether there is a build to synthesize, with any registry. */
function isBuilt(): boolean {
  return ['functions', 'web', 'server', 'layers/registry'].every((name) =>
    existsSync(join(root, 'dist', name)),
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    if (process.argv.includes('--missing') && isBuilt()) process.exit();
    if (process.argv.includes('--server')) await buildServer();
    else {
      await buildAll(process.argv.includes('--source-maps'));
      await ensureRegistry(process.env.REGISTRY_SOURCE || 'simulated');
    }
  } catch {
    process.exitCode = 1; // the bundler or the registry's build has printed the error
  }
}
