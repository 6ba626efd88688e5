import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuildOptions, build as bundle } from 'esbuild';
import { routes } from '../functions/routes.ts';
import { builtinsWithoutImport } from './build/builtins.ts';
import { compiledRoutes } from './build/compiled-routes.ts';

const root = join(import.meta.dirname, '..');
export const functionsFolder = join(root, 'dist/functions');

/** The folder of a route's bundle below `dist/functions`, and its function's name. */
export function functionId(routeName: string): string {
  return routeName.replace('/', '-');
}

/** How every function is bundled; the bench bundles its comparison handlers the same way. */
export const bundleOptions = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  minify: true,
  splitting: true,
  outExtension: { '.js': '.mjs' },
  legalComments: 'none',
  logLevel: 'warning',
  plugins: [builtinsWithoutImport(), compiledRoutes()],
} satisfies BuildOptions;

/** Bundles every function of the route table into `<id>/index.mjs` of a folder, which it empties first. */
export async function build(folder = functionsFolder): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await Promise.all(
    routes.map(({ name }) =>
      bundle({
        ...bundleOptions,
        entryPoints: { index: join(root, 'functions', name, 'handler.ts') },
        outdir: join(folder, functionId(name)),
      }),
    ),
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await build().catch(() => {
    process.exitCode = 1; // esbuild has said what is wrong and where
  });
}
