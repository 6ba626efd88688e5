import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

const DESCRIPTION = /\bdescription:\s*'(?:[^'\\]|\\.)*',?/g;

/** Leaves the texts for people out of the environment schema: a function needs none, and a cold start reads them all. */
export function undescribedEnvironment(): Plugin {
  return {
    name: 'undescribed-environment',
    setup(build) {
      build.onLoad({ filter: /[\\/]shared[\\/]platform[\\/]environment\.ts$/ }, async ({ path }) => {
        const source = await readFile(path, 'utf8');
        return { contents: source.replace(DESCRIPTION, ''), loader: 'ts' };
      });
    },
  };
}
