/** Follows "Add an endpoint" of the README to the letter, in a copy of the repository. */
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

/** The numbered steps of the section, each with the file that it names first and its snippets. */
function stepsOf(readme: string) {
  const [, section = ''] = /^## Add an endpoint$(.*?)^## /ms.exec(readme) ?? [];
  return section.split(/^\d\. /m).map((step) => ({
    file: /`(functions\/[^`]+\.ts)`/.exec(step)?.[1] ?? '',
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

describe('an endpoint that is added as the README says', () => {
  beforeAll(() => {
    const notCopied = ['node_modules', 'dist', 'cdk.out', '.git', '.local'];
    cpSync(root, copy, { recursive: true, filter: (file) => !notCopied.includes(basename(file)) });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    const [, route, handler, domain, table, row] = stepsOf(readFileSync(join(root, 'README.md'), 'utf8'));
    for (const step of [route, handler, domain]) write(step?.file ?? '', step?.snippets[0] ?? '');
    const [imported = '', listed = ''] = table?.snippets ?? [];
    edit(table?.file ?? '', (text) =>
      text.replace(/^(?=\n\/\*\*)/m, imported).replace(/(?=\];\s*$)/, `, ${listed.trim()}`),
    );
    edit('README.md', (text) =>
      text.replace(/^\| `GET \/api\/marketdata\/coins` .*\n/m, `$&${row?.snippets[0]}`),
    );
  });

  it('passes types, format and lint', { timeout: 5 * MINUTES }, async () => {
    await run('tsc');
    await run('biome', 'check', '--write', '.');
    await run('biome', 'check', '--error-on-warnings', '.');
  });

  it('is in the OpenAPI document and the typed client', { timeout: 5 * MINUTES }, async () => {
    await run('node', 'scripts/generate.ts');
    expect(readFileSync(join(copy, 'docs/openapi.json'), 'utf8')).toContain('"/api/time/now"');
    expect(readFileSync(join(copy, 'client/sdk/routes.ts'), 'utf8')).toContain("'/api/time/now'");
  });

  it('is served', { timeout: 5 * MINUTES }, async () => {
    const service = spawn('node', ['local/main.ts', '--simulated', '--port', '0'], {
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
  });

  it('passes the tests that go through all routes', { timeout: 10 * MINUTES }, async () => {
    const tests = [
      'test/infra/functions',
      'test/infra/edge.test',
      'test/bundles',
      'test/docs',
      'test/openapi',
      'test/sdk/routes',
    ];
    await run('vitest', 'run', ...tests);
  });
});
