import { existsSync } from 'node:fs';
import { join } from 'node:path';

const packages = join(import.meta.dirname, '../node-versions/node_modules');

/**
 * The versions of Node that a package is tried on, by their paths: the oldest that it names, the next one and the one
 * that runs. On other platforms than Linux on x64, for which npm has no such packages, it is the running one alone.
 */
export const nodes: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['node20', 'node22']
      .map((name) => [name, join(packages, name, 'bin/node')] as const)
      .filter(([, path]) => existsSync(path)),
  ),
  'the running Node': process.execPath,
};
