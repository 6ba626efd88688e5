import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { programs } from '../../client/cli/settings.ts';
import { version } from '../../shared/platform/version.ts';
import { runProgram } from './program.ts';

const root = join(import.meta.dirname, '../..');
const temporary = mkdtempSync(join(tmpdir(), 'marketdata-package-'));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

// A cache of our own: npx links the repository's programs into it.
const npm = (command: string, ...args: string[]) =>
  execFileSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, npm_config_cache: join(temporary, 'cache'), npm_config_offline: 'true' },
  });

test.each(programs)(
  'npx finds %s in the repository, without a network',
  (program) => {
    expect(npm('npx', program, '--version')).toBe(`${version}\n`);
  },
  60_000,
);

test('the npm package holds the programs, and they run from node_modules', async () => {
  const packed: unknown = JSON.parse(
    npm('npm', 'pack', '--json', '--silent', '--pack-destination', temporary),
  );
  expect(packed).toMatchObject([
    { files: expect.arrayContaining([expect.objectContaining({ path: 'dist/cli/run.mjs' })]) },
  ]);

  const modules = join(temporary, 'node_modules');
  mkdirSync(modules);
  execFileSync('tar', ['xzf', join(temporary, `marketdata-api-${version}.tgz`), '-C', modules]);
  const folder = join(modules, 'package/client/cli/bin');
  for (const program of programs) {
    expect(await runProgram(program, ['--version'], { folder })).toEqual({
      stdout: `${version}\n`,
      stderr: '',
      code: 0,
    });
  }
}, 60_000);
