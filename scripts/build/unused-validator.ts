import type { Plugin } from 'esbuild';

/**
 * Leaves the schema compiler out of the MCP SDK, a third of its 440 KB: with it a server checks what a user fills into
 * forms, and ours has none. The routes check the arguments of tools with their own compiled validators.
 */
export function withoutUnusedValidator(): Plugin {
  return {
    name: 'without-unused-validator',
    setup(build) {
      build.onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, ({ path }) => ({
        path,
        namespace: 'unused-validator',
      }));
      build.onLoad({ filter: /./, namespace: 'unused-validator' }, () => ({
        contents: 'export class DefaultJsonSchemaValidator {}',
        loader: 'js',
      }));
    },
  };
}
