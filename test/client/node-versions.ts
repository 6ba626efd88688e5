import { join } from 'node:path';
import { isLong } from '../setup/long.ts';

const packages = join(import.meta.dirname, '../node-versions/node_modules');
const hasOlder = isLong && process.platform === 'linux' && process.arch === 'x64';

/**
 * The versions of Node that a package is tried on, by their paths: the one that runs, and for `npm run test:long` on Linux
 * x64, whose packages test/node-versions has, the oldest one that the package names and the next.
 */
export const nodes: Readonly<Record<string, string>> = {
  ...(hasOlder && {
    'Node 20': join(packages, 'node20/bin/node'),
    'Node 22': join(packages, 'node22/bin/node'),
  }),
  'the running Node': process.execPath,
};
