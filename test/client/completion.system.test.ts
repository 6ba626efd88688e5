/**
 * The scripts of `marketdata completion` in real shells. Bash is always installed; where zsh and fish are, they check the
 * syntax of their scripts.
 */
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { programs, shells } from '../../client/cli/own-commands.ts';
import { patient, runInside } from './program.ts';
import { entry } from './stub-api.ts';
import { type StubService, startStubService } from './stub-service.ts';

const folder = mkdtempSync(join(tmpdir(), 'marketdata-completion-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
for (const program of programs) {
  symlinkSync(join(inject('programs'), `${program}.mjs`), join(folder, program));
}
const PATH = [folder, dirname(process.execPath), process.env.PATH].join(delimiter);

const results = ['BTC', 'BTG', 'A $B'].map((symbol, index) => entry({ symbol, rank: index + 1 }));
let service: StubService;
let env: Record<string, string>;
const scripts: Record<string, string> = {};
beforeAll(async () => {
  service = await startStubService({ search: ({ q }) => ({ query: q, count: results.length, results }) });
  env = { PATH, MARKETDATA_URL: service.url, HOME: folder, ...patient };
  for (const shell of shells) {
    scripts[shell] = (await runInside('marketdata', ['completion', shell])).stdout;
    writeFileSync(join(folder, `completion.${shell}`), scripts[shell]);
  }
});
afterAll(() => service?.close());

const harness = `
  source ${join(folder, 'completion.bash')}
  COMP_WORDS=("$@") COMP_CWORD=$(( $# - 1 ))
  _marketdata
  printf '%s\\n' "\${COMPREPLY[@]}"
`;

/** The candidates of bash for the last of the words, which it has taken apart. */
async function inBash(words: readonly string[]): Promise<string[]> {
  const args = ['--norc', '--noprofile', '-c', harness, 'bash', ...words];
  const { stdout } = await promisify(execFile)('bash', args, { env });
  return stdout.split('\n').filter(Boolean);
}

describe('bash', () => {
  test.each([
    [
      ['cprice', '--currency', '=', 'e'],
      ['eur', 'egp', 'ern', 'etb'],
    ],
    [['cprice', 'BTC', '--currency', 'ua'], ['uah']],
    [['marketdata', '--json', 'price', '--prot'], ['--protocol']],
    [
      ['marketdata', 'completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
  ])('completes the last of %j', async (words, candidates) => {
    expect(await inBash(words)).toEqual(candidates);
  });

  test.each([
    [
      ['marketdata', 'chart', 'BT'],
      ['BTC', 'BTG'],
    ],
    [['cprice', "'a"], ["'A $B'"]],
  ])('completes the symbols of %j from the service', async (words, candidates) => {
    expect(await inBash(words)).toEqual(candidates);
  });

  test('prints nothing if no service can be reached', async () => {
    for (const MARKETDATA_URL of ['http://127.0.0.1:1', 'nonsense'])
      expect(
        await runInside('marketdata', ['complete', '--', 'cprice', 'BT'], { env: { MARKETDATA_URL } }),
      ).toEqual({
        stdout: '',
        stderr: '',
        code: 0,
      });
  });

  test('completes at the Tab key of a terminal', { timeout: 60_000 }, async () => {
    const bash = spawn('bash', ['--norc', '--noprofile', '-i'], {
      env: { ...env, PS1: '> ', TERM: 'xterm' },
      cols: 80,
      cwd: folder,
    });
    onTestFinished(() => bash.kill());
    const screen = new xterm.Terminal({ cols: 80, rows: 24, allowProposedApi: true });
    bash.onData((data) => screen.write(data));
    const line = () =>
      screen.buffer.active.getLine(screen.buffer.active.cursorY)?.translateToString().trimEnd();
    await expect.poll(line).toBe('>');
    bash.write('source completion.bash\r');
    await expect.poll(() => screen.buffer.active.cursorY).toBe(1);
    await expect.poll(line).toBe('>');
    bash.write('cchart --currency=eu\t');
    await expect.poll(line).toBe('> cchart --currency=eur');
    bash.write('--inte\t1\t');
    await expect.poll(line).toBe('> cchart --currency=eur --interval 1');
    bash.write('\u0015cprice btg\t');
    await expect.poll(line).toBe('> cprice BTG');
  });
});

describe.each(shells)('the script for %s', (shell) => {
  const isInstalled = spawnSync(shell, ['--version']).status === 0;
  const checks: Readonly<Record<typeof shell, readonly string[]>> = {
    bash: ['-n'],
    zsh: ['-n'],
    fish: ['--no-execute'],
  };

  test(`completes every program, in its syntax (${isInstalled ? 'checked' : 'not checked: it is not installed'})`, () => {
    if (isInstalled) execFileSync(shell, [...checks[shell], join(folder, `completion.${shell}`)]);
    for (const program of programs) expect(scripts[shell]).toMatch(new RegExp(`\\b${program}\\b`));
  });
});
