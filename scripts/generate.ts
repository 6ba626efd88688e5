/** `npm run generate`: writes files derived from the code; `-- --help` lists them. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../shared/platform/command.ts';

const root = join(import.meta.dirname, '..');
const OPENAPI = 'docs/openapi.json';

const usage = `Usage: npm run generate -- [name …]

  sdk          client/sdk/routes.ts, the types and methods of the client
  tables       the tables of routes, settings, jobs and stored objects in docs/
  contracts    the TypeScript beside each functions/**/contracts/*.sol, with its ABI and code
  openapi      docs/openapi.json; examples stay while they fit their routes, and a local service answers the others
  examples     docs/openapi.json with new answers as examples
  cost         docs/cost.md, from the template of stage prod and docs/measured.json
  screenshot   docs/screenshot.png and docs/screenshot-coin.png, of the web page, and docs/terminal.svg

Without a name: the first four, in some seconds. What has not changed is written as it was, except for the pictures.`;

/** Writes one of them; each loads only what it needs. */
const generators: Readonly<Record<string, () => Promise<unknown>>> = {
  async sdk() {
    const { sdkFile, sdkSource } = await import('./generate/sdk.ts');
    const { routes } = await import('../functions/routes.ts');
    write(sdkFile, sdkSource(routes));
  },
  async tables() {
    const { documentsWithTables, withTables } = await import('./generate/tables.ts');
    for (const file of documentsWithTables) write(file, withTables(readFileSync(join(root, file), 'utf8')));
  },
  async contracts() {
    const { contractSources, generatedFile, generatedModule } = await import('./generate/contracts.ts');
    for (const source of contractSources) write(generatedFile(source), generatedModule(source));
  },
  async openapi() {
    const { generatedDocument } = await import('./generate/openapi.ts');
    write(OPENAPI, await generatedDocument(readFileSync(join(root, OPENAPI), 'utf8')));
  },
  async examples() {
    const { generatedDocument } = await import('./generate/openapi.ts');
    write(OPENAPI, await generatedDocument());
  },
  async cost() {
    const env = { ...process.env, REGISTRY_SOURCE: 'simulated' };
    for (const program of ['scripts/build.ts', 'bench/cost.ts'])
      execFileSync(process.execPath, [program], { cwd: root, env, stdio: 'inherit' });
  },
  screenshot: () => import('./generate/pictures.ts'),
};
const byDefault = ['sdk', 'tables', 'contracts', 'openapi'];

const names = process.argv.slice(2);
process.exitCode = await runProgram(names, usage, 'Not generated', () => {
  const unknown = names.filter((name) => !Object.hasOwn(generators, name));
  if (unknown.length > 0) throw new Error(`Nothing is generated under the name ${unknown.join(', ')}`);
  return async () => {
    for (const name of names.length > 0 ? names : byDefault) await generators[name]?.();
  };
});

function write(file: string, text: string): void {
  writeFileSync(join(root, file), text);
}
