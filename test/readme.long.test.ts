/** Follows every "Add a …" of CONTRIBUTING.md and "Add a protocol" of docs/protocols.md to the letter, in one copy of the repository. */
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

/** Runs a command in the copy; throws its output if it fails. */
async function run(command: string, ...args: string[]): Promise<void> {
  const options = { cwd: copy, env, maxBuffer: 2 ** 26 };
  await promisify(execFile)(command, args, options).catch(({ stdout, stderr }) => {
    throw new Error(`${command} ${args.join(' ')}\n${stdout}${stderr}`);
  });
}

interface Step {
  /** The first file that it names. */
  readonly file: string;
  readonly snippets: readonly { readonly language: string; readonly code: string }[];
  /** The rows of its table of insertions. */
  readonly insertions: readonly { readonly file: string; readonly before: string; readonly text: string }[];
}

function stepsOf(document: string, title: string): Step[] {
  const text = readFileSync(join(root, document), 'utf8');
  const [, section = ''] = new RegExp(`^## ${title}$(.*?)^##`, 'ms').exec(text) ?? [];
  const [, ...steps] = section.split(/^\d\. /m);
  return steps.map((step) => ({
    file: /`((?:functions|shared)\/[^`]+\.ts)`/.exec(step)?.[1] ?? '',
    snippets: [...step.matchAll(/^ {3}```(\w+)\n(.*?)^ {3}```$/gms)].map(([, language = '', code = '']) => ({
      language,
      code: code.replace(/^ {3}/gm, ''),
    })),
    insertions: [...step.matchAll(/^ {3}\| `(.+?)` \| `(.+?)` \| `(.+?)` \|$/gm)].map(
      ([, file = '', before = '', text = '']) => ({ file, before, text }),
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

/** Runs the commands of each step, writes its file, and inserts what its table says. */
async function follow(document: string, title: string): Promise<void> {
  const steps = stepsOf(document, title);
  expect(steps.length, title).toBeGreaterThan(0);
  for (const { file, snippets, insertions } of steps) {
    expect(snippets.length + insertions.length, `a step of ${title}`).toBeGreaterThan(0);
    for (const { language, code } of snippets) {
      if (language === 'sh') await run('sh', '-e', '-c', code);
      else write(file, code);
    }
    for (const { file, before, text } of insertions)
      edit(file, (content) => {
        expect(content.split(before), `${before} in ${file}`).toHaveLength(2);
        return content.replace(before, () => `${text}\n${before}`);
      });
  }
}

describe('what is added as the documents say', () => {
  beforeAll(async () => {
    // This file names the protocol, which nothing outside its folder may.
    const notCopied = ['node_modules', 'dist', 'cdk.out', '.git', '.local', basename(import.meta.filename)];
    cpSync(root, copy, { recursive: true, filter: (file) => !notCopied.includes(basename(file)) });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    for (const what of ['an endpoint', 'an exchange', 'a source', 'a job', 'a chain'])
      await follow('CONTRIBUTING.md', `Add ${what}`);
    await follow('docs/protocols.md', 'Add a protocol');
  });

  it('passes types, format and lint', { timeout: 5 * MINUTES }, async () => {
    await run('tsc');
    await run('biome', 'check', '--write', '.');
    await run('biome', 'check', '--error-on-warnings', '.');
  });

  it('is in the OpenAPI document, the typed client and the tables of the documents', {
    timeout: 5 * MINUTES,
  }, async () => {
    await run('node', 'scripts/generate.ts');
    for (const path of ['/api/time/now', '/api/toll/quote']) {
      expect(readFileSync(join(copy, 'docs/openapi.json'), 'utf8')).toContain(`"${path}"`);
      expect(readFileSync(join(copy, 'client/sdk/routes.ts'), 'utf8')).toContain(`'${path}'`);
    }
    expect(readFileSync(join(copy, 'docs/openapi.json'), 'utf8')).toContain('"optimism"');
    expect(readFileSync(join(copy, 'docs/architecture.md'), 'utf8')).toContain(
      'Publishes the time of its last run',
    );
    for (const title of ['Meridian', 'Assay'])
      expect(readFileSync(join(copy, 'docs/api.md'), 'utf8')).toContain(`| ${title} | [`);
  });

  it('is served', { timeout: 5 * MINUTES }, async () => {
    const service = spawn('node', ['local/main.ts', '--simulated', '--chain', 'local', '--port', '0'], {
      cwd: copy,
      env: { ...env, CANDLE_SOURCES: 'meridian', TOKEN_SOURCES: 'assay' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void service.kill('SIGTERM'));
    let printed = '';
    service.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    await expect.poll(() => printed, { timeout: 4 * MINUTES }).toContain('Mode ');
    const url = /on (http:\S+)/.exec(printed)?.[1];

    const now = await fetch(`${url}/api/time/now?zone=tai`);
    expect(now.status).toBe(200);
    expect(await now.json()).toMatchObject({ success: true, data: { zone: 'tai' } });
    const toll = await fetch(`${url}/api/toll/quote`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"amount":"700"}',
    });
    expect(await toll.json()).toEqual({ success: true, data: { toll: '7' } });
  });

  it('passes the tests that go through all routes, jobs and sources', { timeout: 10 * MINUTES }, async () => {
    const tests = [
      'test/infra/api',
      'test/infra/alarms',
      'test/infra/edge.simulation',
      'test/infra/environment',
      'test/infra/permissions',
      'test/infra/schedules',
      'test/stores',
      'test/providers/exchanges',
      'test/providers/hostile',
      'test/providers/providers',
      'scripts/generate/tables',
      'shared/platform/environment',
      'local/store-jobs',
      'test/bundles',
      'test/imports',
      'test/docs',
      'test/openapi',
      'test/sdk/routes',
      'deployments',
    ];
    await run('vitest', 'run', ...tests);
  });
});
