import type { Plugin } from 'esbuild';

/**
 * Leaves out the modules that viem imports on demand. esbuild splits off a dynamic import even if the code around it is
 * dropped as unused: name resolution across chains and key recovery, 190 KB that no function of ours calls.
 * A test sees to it that no bundle is left with such an import.
 */
export function withoutUnusedChunks(): Plugin {
  return {
    name: 'without-unused-chunks',
    setup(build) {
      build.onResolve({ filter: /./ }, ({ path, kind, importer }) =>
        kind === 'dynamic-import' && /[\\/]node_modules[\\/]viem[\\/]/.test(importer)
          ? { path, external: true }
          : undefined,
      );
    },
  };
}
