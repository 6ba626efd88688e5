/** Follows "Add an endpoint" and "Add a chain" of CONTRIBUTING.md and "Add a protocol" of docs/protocols.md to the letter, in a copy of the repository. */
import { execFile, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

const root = join(import.meta.dirname, '..');
const copy = mkdtempSync(join(tmpdir(), 'marketdata-readme-'));
afterAll(() => rmSync(copy, { recursive: true }));

const MINUTES = 60_000;
const path = [join(copy, 'node_modules/.bin'), dirname(process.execPath), process.env.PATH].join(delimiter);
const env = { ...process.env, PATH: path, REGISTRY_SOURCE: 'simulated', TEST_REPORT: '' };

/** Runs a command in the copy; throws what it printed where it fails. */
async function run(command: string, ...args: string[]): Promise<void> {
  const options = { cwd: copy, env, maxBuffer: 2 ** 26 };
  await promisify(execFile)(command, args, options).catch(({ stdout, stderr }) => {
    throw new Error(`${command} ${args.join(' ')}\n${stdout}${stderr}`);
  });
}

/** The numbered steps of a section, each with the file that it names first and its snippets. */
function stepsOf(document: string, title: string) {
  const text = readFileSync(join(root, document), 'utf8');
  const [, section = ''] = new RegExp(`^## ${title}$(.*?)^##`, 'ms').exec(text) ?? [];
  return section.split(/^\d\. /m).map((step) => ({
    file: /`((?:functions|shared)\/[^`]+\.ts)`/.exec(step)?.[1] ?? '',
    snippets: [...step.matchAll(/^ {3}```\w+\n(.*?)^ {3}```$/gms)].map(([, code = '']) =>
      code.replace(/^ {3}/gm, ''),
    ),
  }));
}

function write(file: string, text: string): void {
  mkdirSync(dirname(join(copy, file)), { recursive: true });
  writeFileSync(join(copy, file), text);
}

function edit(file: string, change: (text: string) => string): void {
  const before = readFileSync(join(copy, file), 'utf8');
  const after = change(before);
  expect(after, file).not.toBe(before);
  writeFileSync(join(copy, file), after);
}

/** Into the list that ends the table of domains. */
function addDomain(table: ReturnType<typeof stepsOf>[number] | undefined): void {
  const [imported = '', listed = ''] = table?.snippets ?? [];
  edit(table?.file ?? '', (text) =>
    text.replace(/^(?=\n\/\*\*)/m, imported).replace(/,?(?=\];\s*$)/, `, ${listed.trim()}`),
  );
}

function addEndpoint(): void {
  const [, route, handler, domain, table] = stepsOf('CONTRIBUTING.md', 'Add an endpoint');
  for (const step of [route, handler, domain]) write(step?.file ?? '', step?.snippets[0] ?? '');
  addDomain(table);
}

/** A row moves from one list to the other, before that of the first test network; addresses before the local chain's. */
function addChain(): void {
  const [, row, addresses] = stepsOf('CONTRIBUTING.md', 'Add a chain');
  edit(row?.file ?? '', (text) =>
    text.replace(/^ {2}\['Optimism'.*\n/m, '').replace(/^ {2}sepolia: \{\n/m, `${row?.snippets[0]}$&`),
  );
  edit(addresses?.file ?? '', (text) => text.replace(/^ {2}local: \{\n/m, `${addresses?.snippets[0]}$&`));
}

function addProtocol(): void {
  const [, route, handler, standIn, domain, table, settings, tryIt] = stepsOf(
    'docs/protocols.md',
    'Add a protocol',
  );
  for (const step of [route, handler, standIn, domain]) write(step?.file ?? '', step?.snippets[0] ?? '');
  addDomain(table);
  edit(settings?.file ?? '', (text) =>
    text.replace(/^ {2}ZEROX_BASE_URL: \{.*?^ {2}\},\n/ms, `$&${settings?.snippets[0]}`),
  );
  const [command] = tryIt?.snippets ?? [];
  edit('docs/protocols.md', (text) => text.replace(/^curl .*\/api\/aggregator\/.*\n/m, `$&\n${command}`));
}

describe('an endpoint, a chain and a protocol that are added as the documents say', () => {
  beforeAll(() => {
    // This file names the protocol, which nothing outside its folder may.
    const notCopied = ['node_modules', 'dist', 'cdk.out', '.git', '.local', basename(import.meta.filename)];
    cpSync(root, copy, { recursive: true, filter: (file) => !notCopied.includes(basename(file)) });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    addEndpoint();
    addChain();
    addProtocol();
  });

  it('pass types, format and lint', { timeout: 5 * MINUTES }, async () => {
    await run('tsc');
    await run('biome', 'check', '--write', '.');
    await run('biome', 'check', '--error-on-warnings', '.');
  });

  it('are in the OpenAPI document and the typed client', { timeout: 5 * MINUTES }, async () => {
    await run('node', 'scripts/generate.ts');
    for (const path of ['/api/time/now', '/api/toll/quote']) {
      expect(readFileSync(join(copy, 'docs/openapi.json'), 'utf8')).toContain(`"${path}"`);
      expect(readFileSync(join(copy, 'client/sdk/routes.ts'), 'utf8')).toContain(`'${path}'`);
    }
    expect(readFileSync(join(copy, 'docs/openapi.json'), 'utf8')).toContain('"optimism"');
  });

  it('are served', { timeout: 5 * MINUTES }, async () => {
    const service = spawn('node', ['local/main.ts', '--simulated', '--chain', 'local', '--port', '0'], {
      cwd: copy,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void service.kill('SIGTERM'));
    let printed = '';
    service.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    await expect.poll(() => printed, { timeout: 4 * MINUTES }).toContain('Mode ');
    const url = /on (http:\S+)/.exec(printed)?.[1];

    const answer = await fetch(`${url}/api/time/now?zone=tai`);

    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ success: true, data: { zone: 'tai' } });
    const toll = await fetch(`${url}/api/toll/quote`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"amount":"700"}',
    });
    expect(await toll.json()).toEqual({ success: true, data: { toll: '7' } });
  });

  it('pass the tests that go through all routes', { timeout: 10 * MINUTES }, async () => {
    const tests = [
      'test/infra/api',
      'test/infra/edge.simulation',
      'test/infra/permissions',
      'test/bundles',
      'test/imports',
      'test/docs',
      'test/openapi',
      'test/sdk/routes',
      'shared/chains',
      stepsOf('CONTRIBUTING.md', 'Add a chain')[2]?.file.replace('.ts', '') ?? '',
    ];
    await run('vitest', 'run', ...tests);
  });
});
