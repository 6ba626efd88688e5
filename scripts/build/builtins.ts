import { builtinModules } from 'node:module';
import type { Plugin } from 'esbuild';

/**
 * Takes Node's own modules through `process.getBuiltinModule` instead of `import`: an ES import of `node:http`
 * evaluates every getter of that module and so loads the whole of undici (43 ms and 6 MB on Node 24), and
 * `@middy/util` has one.
 */
export function builtinsWithoutImport(): Plugin {
  return {
    name: 'builtins-without-import',
    setup(build) {
      const names = new Set(builtinModules);
      build.onResolve({ filter: /^node:/ }, ({ path, kind }) =>
        kind === 'import-statement' && names.has(path.slice('node:'.length))
          ? { path, namespace: 'builtin' }
          : undefined,
      );
      build.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
        contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)})`,
        loader: 'js',
      }));
    },
  };
}
