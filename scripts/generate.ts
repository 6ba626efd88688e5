/** `npm run generate`: builds, and writes what is generated from the code; `-- --help` lists it. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { wrongUsage } from '../shared/platform/mistyped.ts';

const root = join(import.meta.dirname, '..');

const usage = `Usage: npm run generate -- [name …]

  sdk          client/sdk/routes.ts, the types and methods of the client (by default, with the next three)
  tables       the tables of routes, settings, jobs and stored objects in docs/ (by default)
  openapi      docs/openapi.json, with answers of the local service as examples (by default)
  contracts    the TypeScript beside each functions/**/contracts/*.sol, with its ABI and code (by default)
  cost         docs/cost.md, from the template of stage prod and docs/measured.json
  screenshot   docs/screenshot.png and docs/screenshot-coin.png, of the web page, and docs/terminal.svg

Clock and random numbers are fixed, except for the pictures: what has not changed is written as it was.
`;

const fixed = ['--import', join(root, 'scripts/generate/fixed.mjs')];
const commands: Readonly<Record<string, readonly string[]>> = {
  sdk: ['scripts/generate/sdk.ts'],
  tables: ['scripts/generate/tables.ts'],
  openapi: [...fixed, 'scripts/generate/openapi.ts'],
  contracts: ['scripts/generate/contracts.ts'],
  cost: ['bench/cost.ts'],
  // The store writes the lines of the first screen as time goes by.
  screenshot: ['scripts/generate/screenshot.ts'],
};

const asked = process.argv.slice(2);
const names = asked.length > 0 ? asked : ['sdk', 'tables', 'contracts', 'openapi'];
const needsBuild = (name: string) => !['sdk', 'tables', 'contracts'].includes(name);
const unknown = names.filter((name) => !(name in commands) && name !== '--help');
if (unknown.length > 0) {
  console.error(wrongUsage(`Nothing is generated under the name ${unknown.join(', ')}`, usage));
  process.exitCode = 2;
} else if (names.includes('--help')) {
  process.stdout.write(usage);
} else {
  if (names.some(needsBuild)) run(['scripts/build.ts']);
  for (const name of names) run(commands[name] ?? []);
}

function run(args: readonly string[]): void {
  const env = { ...process.env, REGISTRY_SOURCE: 'simulated' };
  const { status } = spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
