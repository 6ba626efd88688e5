import { join } from 'node:path';

const packages = join(import.meta.dirname, '../node-versions/node_modules');
const hasOlder = process.platform === 'linux' && process.arch === 'x64';

/**
 * The versions of Node that a package is tried on, by their paths: the oldest that it names, the next one and the one
 * that runs. On other platforms than Linux on x64, whose packages test/node-versions has, it is the running one alone.
 */
export const nodes: Readonly<Record<string, string>> = {
  ...(hasOlder && {
    'Node 20': join(packages, 'node20/bin/node'),
    'Node 22': join(packages, 'node22/bin/node'),
  }),
  'the running Node': process.execPath,
};
