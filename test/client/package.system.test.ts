import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { programs } from '../../client/cli/own-commands.ts';
import root from '../../package.json' with { type: 'json' };
import { version } from '../../shared/platform/version.ts';
import { nodes } from './node-versions.ts';
import { patient, runProgram } from './program.ts';
import { type ClientService, startService } from './service.ts';

const repository = join(import.meta.dirname, '../..');
const temporary = realpathSync(mkdtempSync(join(tmpdir(), 'marketdata-package-')));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

// A cache of our own: npx links the repository's programs into it.
const npm = (command: string, args: readonly string[], cwd = repository) =>
  execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, npm_config_cache: join(temporary, 'cache'), npm_config_offline: 'true' },
  });

test('npx finds the programs in the repository, without a network', () => {
  expect(npm('npx', ['cprice', '--version'])).toBe(`${version}\n`);
}, 60_000);

describe('the package of the programs', () => {
  const MAX_PACKED_BYTES = 80_000;
  const MAX_PRICE_BYTES = 96_000;
  const prefix = join(temporary, 'prefix');
  const installed = join(prefix, 'node_modules/marketdata-cli');
  const folder = join(installed, 'bin');
  const archive = join(temporary, `marketdata-cli-${version}.tgz`);

  let service: ClientService;
  beforeAll(async () => {
    npm('npm', ['pack', '--silent', '--pack-destination', temporary], join(repository, 'client/cli'));
    npm('npm', ['install', '--silent', '--prefix', prefix, '--offline', '--no-audit', archive], temporary);
    service = await startService();
  }, 60_000);
  afterAll(() => service?.close());

  const manifest = (): Record<string, unknown> =>
    JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));

  test('has the version of the repository and its programs, and needs no other package', () => {
    expect(manifest()).toMatchObject({
      version: root.version,
      bin: Object.fromEntries(programs.map((program) => [program, `bin/${program}.mjs`])),
    });
    expect(Object.keys(root.bin).sort()).toEqual([...programs].sort());
    expect(Object.keys(manifest()).filter((key) => /dependencies/i.test(key))).toEqual([]);
    expect(readdirSync(join(prefix, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      'marketdata-cli',
    ]);
    for (const program of programs) expect(existsSync(join(prefix, 'node_modules/.bin', program))).toBe(true);
  });

  test('brings its licence and its own introduction', () => {
    expect(readFileSync(join(installed, 'dist/LICENSE'), 'utf8')).toMatch(/^MIT License/);
    expect(readFileSync(join(installed, 'README.md'), 'utf8')).toMatch(/^# marketdata-cli\n/);
    const others = readFileSync(join(installed, 'dist/LICENSES-OF-OTHERS'), 'utf8');
    expect(others).toMatch(/^.*string-width.*\n\nMIT License/m);
  });

  test('is small', () => {
    expect(statSync(archive).size).toBeLessThanOrEqual(MAX_PACKED_BYTES);
  });

  test('loads little for a price, and no rarely used module', async () => {
    const coverage = join(temporary, 'coverage');
    await runProgram('cprice', ['BTC'], { url: service.url, folder, env: { NODE_V8_COVERAGE: coverage } });
    const files = filesIn(coverage).filter((file) => file.startsWith(installed));
    expect(files).toContain(join(installed, 'dist/run.mjs'));
    expect(files.filter((file) => /prompt|serve|offer|complet|candidates/.test(file))).toEqual([]);
    const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
    expect(bytes).toBeLessThanOrEqual(MAX_PRICE_BYTES);
  });

  describe.each(Object.entries(nodes))('on %s', (_name, node) => {
    const run = (program: string, ...args: readonly string[]) =>
      runProgram(program, args, { url: service.url, folder, node, env: patient });

    test.each([
      ['coinsearch', ['--version'], new RegExp(`^${version}\n$`)],
      ['cchart', ['--help'], /^Usage: cchart /],
      ['price', ['BTC'], /^Bitcoin \(BTC\)\nPrice: /],
      ['chart', ['ETH', '--line'], /^Ethereum \(ETH\)/],
      ['marketdata', ['completion', 'bash'], /^_marketdata\(\) \{/],
      ['marketdata', ['complete', '--', 'cprice', 'WBT'], /^WBTC$/m],
    ])('%s %j works', async (program, args, text) => {
      expect(await run(program, ...args)).toMatchObject({ stdout: expect.stringMatching(text), code: 0 });
    });

    test('the prompt reads commands from a pipe', async () => {
      const stdin = 'cprice BTC\n';
      const { stdout, code } = await runProgram('marketdata', [], { url: service.url, folder, node, stdin });
      expect({ stdout, code }).toEqual({ stdout: expect.stringMatching(/^Bitcoin/), code: 0 });
    });
  });
});

/** The modules that a process loaded, by what it wrote of them to this folder. */
function filesIn(coverage: string): string[] {
  return readdirSync(coverage).flatMap((file) => {
    const { result }: { result: readonly { url: string }[] } = JSON.parse(
      readFileSync(join(coverage, file), 'utf8'),
    );
    return result.filter(({ url }) => url.startsWith('file:')).map(({ url }) => fileURLToPath(url));
  });
}
