/** `npm run generate`: writes what is made of the code; `-- --help` lists it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { wrongUsage } from '../shared/platform/mistyped.ts';

const root = join(import.meta.dirname, '..');

const usage = `Usage: npm run generate -- [name …]

  sdk          client/sdk/routes.ts, the types and methods of the client
  tables       the tables of routes, settings, jobs and stored objects in docs/
  contracts    the TypeScript beside each functions/**/contracts/*.sol, with its ABI and code
  openapi      docs/openapi.json; its examples stay if they still fit their routes
  examples     docs/openapi.json with new answers of the local service as examples
  cost         docs/cost.md, from the template of stage prod and docs/measured.json
  screenshot   docs/screenshot.png and docs/screenshot-coin.png, of the web page, and docs/terminal.svg

Without a name: the first four, in some seconds. The others build first. Clock and random numbers are fixed, except
for the pictures, so what has not changed is written as it was.`;

const openApi = ['--import', join(root, 'scripts/generate/fixed.mjs'), 'scripts/generate/openapi.ts'];
const commands: Readonly<Record<string, readonly string[]>> = {
  sdk: ['scripts/generate/sdk.ts'],
  tables: ['scripts/generate/tables.ts'],
  contracts: ['scripts/generate/contracts.ts'],
  openapi: [...openApi, '--kept'],
  examples: openApi,
  cost: ['bench/cost.ts'],
  screenshot: ['scripts/generate/pictures.ts'],
};
const fast = ['sdk', 'tables', 'contracts', 'openapi'];
const EXAMPLE_MISSING = 3;

const names = process.argv.slice(2);
const unknown = names.filter((name) => !Object.hasOwn(commands, name) && name !== '--help');
if (unknown.length > 0) {
  console.error(wrongUsage(`Nothing is generated under the name ${unknown.join(', ')}`, usage));
  process.exitCode = 2;
} else if (names.includes('--help')) {
  console.log(usage);
} else {
  const wanted = names.length > 0 ? names : fast;
  const statuses = await Promise.all(
    wanted
      .filter((name) => fast.includes(name))
      .map(async (name) => [name, await run(commands[name])] as const),
  );
  const slow = wanted.filter((name) => !fast.includes(name));
  for (const [name, status] of statuses) {
    if (name === 'openapi' && status === EXAMPLE_MISSING) slow.push('examples');
    else if (status !== 0) process.exitCode = 1;
  }
  if (slow.length > 0) await must(['scripts/build.ts']);
  for (const name of new Set(slow)) await must(commands[name]);
}

async function must(args?: readonly string[]): Promise<void> {
  if ((await run(args)) !== 0) process.exit(1);
}

/** Returns the exit status of the program, which prints for itself what is wrong. */
async function run(args: readonly string[] = []): Promise<number> {
  const env = { ...process.env, REGISTRY_SOURCE: 'simulated' };
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: 'inherit' });
  const [status] = await once(child, 'close');
  return status ?? 1;
}
