/** `npm run generate`: writes files derived from the code; `-- --help` lists them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { wrongUsage } from '../shared/platform/mistyped.ts';

const root = join(import.meta.dirname, '..');

const usage = `Usage: npm run generate -- [name …]

  sdk          client/sdk/routes.ts, the types and methods of the client
  tables       the tables of routes, settings, jobs and stored objects in docs/
  contracts    the TypeScript beside each functions/**/contracts/*.sol, with its ABI and code
  openapi      docs/openapi.json; examples stay while they fit their routes, and a local service answers the others
  examples     docs/openapi.json with new answers as examples
  cost         docs/cost.md, from the template of stage prod and docs/measured.json
  screenshot   docs/screenshot.png and docs/screenshot-coin.png, of the web page, and docs/terminal.svg

Without a name: the first four, in some seconds. What has not changed is written as it was, except for the pictures.`;

/** The programs that write each, in order. */
const commands: Readonly<Record<string, readonly (readonly string[])[]>> = {
  sdk: [['scripts/generate/sdk.ts']],
  tables: [['scripts/generate/tables.ts']],
  contracts: [['scripts/generate/contracts.ts']],
  openapi: [['scripts/generate/openapi.ts']],
  examples: [['scripts/generate/openapi.ts', '--new']],
  cost: [['scripts/build.ts'], ['bench/cost.ts']],
  screenshot: [['scripts/generate/pictures.ts']],
};
const byDefault = ['sdk', 'tables', 'contracts', 'openapi'];

const names = process.argv.slice(2);
const unknown = names.filter((name) => !Object.hasOwn(commands, name) && name !== '--help');
if (unknown.length > 0) {
  console.error(wrongUsage(`Nothing is generated under the name ${unknown.join(', ')}`, usage));
  process.exitCode = 2;
} else if (names.includes('--help')) {
  console.log(usage);
} else {
  const wanted = names.length > 0 ? names : byDefault;
  await Promise.all(wanted.filter((name) => byDefault.includes(name)).map(generate));
  // The others build, and two builds at once would write the same files.
  for (const name of wanted.filter((one) => !byDefault.includes(one))) await generate(name);
}

/** A failing program prints the error and makes this one exit with 1. */
async function generate(name: string): Promise<void> {
  const env = { ...process.env, REGISTRY_SOURCE: 'simulated' };
  for (const args of commands[name] ?? []) {
    const child = spawn(process.execPath, args, { cwd: root, env, stdio: 'inherit' });
    const [status] = await once(child, 'close');
    if (status === 0) continue;
    process.exitCode = 1;
    return;
  }
}
