/**
 * The scripts of `marketdata completion` in real shells. Bash is always there; zsh and fish check the syntax of theirs
 * where they are installed, and what stands in them is looked at everywhere.
 */
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { programs, shells } from '../../client/cli/own-commands.ts';
import { patient, runProgram } from './program.ts';
import { entry } from './stub-api.ts';

const folder = mkdtempSync(join(tmpdir(), 'marketdata-completion-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
for (const program of programs) {
  symlinkSync(join(inject('programs'), `${program}.mjs`), join(folder, program));
}
const PATH = [folder, dirname(process.execPath), process.env.PATH].join(delimiter);

const results = ['BTC', 'BTG', 'A $B'].map((symbol, index) => entry({ symbol, rank: index + 1 }));
let server: Server;
let env: Record<string, string>;
const scripts: Record<string, string> = {};
beforeAll(async () => {
  server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ success: true, data: { query: 'x', count: results.length, results } }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  env = { PATH, MARKETDATA_URL: `http://127.0.0.1:${port}`, HOME: folder, ...patient };
  for (const shell of shells) {
    scripts[shell] = (await runProgram('marketdata', ['completion', shell])).stdout;
    writeFileSync(join(folder, `completion.${shell}`), scripts[shell]);
  }
});
afterAll(() => void server?.close());

const harness = `
  source ${join(folder, 'completion.bash')}
  COMP_WORDS=("$@") COMP_CWORD=$(( $# - 1 ))
  _marketdata
  printf '%s\\n' "\${COMPREPLY[@]}"
`;

/** The candidates of bash for the last of the words, which it has taken apart. */
async function inBash(words: readonly string[], variables = env): Promise<string[]> {
  const args = ['--norc', '--noprofile', '-c', harness, 'bash', ...words];
  const { stdout } = await promisify(execFile)('bash', args, { env: variables });
  return stdout.split('\n').filter(Boolean);
}

describe('bash', () => {
  test.each([
    [['cprice', '--cur'], ['--currency']],
    [['price', 'BTC', '--currency', 'e'], ['eur']],
    [['cprice', '--currency', '=', 'e'], ['eur']],
    [
      ['cchart', 'BTC', '--interval', '3'],
      ['30d', '365d'],
    ],
    [
      ['chart', '--quote', ''],
      ['usd', 'btc'],
    ],
    [['cchart', '--line', '--li'], ['--limit']],
    [['cchart', '--limit', ''], []],
    [['coinsearch', 'wrap'], []],
    [
      ['marketdata', 'c'],
      ['cprice', 'coinsearch', 'cchart', 'chart', 'config', 'completion'],
    ],
    [['marketdata', 'cchart', '--int'], ['--interval']],
    [['marketdata', '--json', 'price', '--prot'], ['--protocol']],
    [['marketdata', 'help', 's'], ['serve']],
    [
      ['marketdata', 'completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['marketdata', '--u'], ['--url']],
  ])('completes the last of %j', async (words, candidates) => {
    expect(await inBash(words)).toEqual(candidates);
  });

  test.each([
    [
      ['cprice', 'bt'],
      ['BTC', 'BTG'],
    ],
    [
      ['marketdata', 'chart', 'BT'],
      ['BTC', 'BTG'],
    ],
    [['price', 'BTC', '--currency', 'eur', 'btg'], ['BTG']],
    [['cprice', "'a"], ["'A $B'"]],
    [['cprice', 'xyz'], []],
  ])('asks the program for the symbols of %j', async (words, candidates) => {
    expect(await inBash(words)).toEqual(candidates);
  });

  test.each([{ MARKETDATA_URL: 'http://127.0.0.1:1' }, { MARKETDATA_URL: 'nonsense' }])(
    'has no candidates and prints nothing with %j',
    async (variables) => {
      expect(await inBash(['cprice', 'BT'], { ...env, ...variables })).toEqual([]);
      expect(await runProgram('marketdata', ['complete', '--', 'cprice', 'BT'], { env: variables })).toEqual({
        stdout: '',
        stderr: '',
        code: 0,
      });
    },
  );

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
    bash.write('cchart --currency=e\t');
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

  test(`is one for it (${isInstalled ? 'checked' : 'not checked: it is not installed'})`, () => {
    if (isInstalled) execFileSync(shell, [...checks[shell], join(folder, `completion.${shell}`)]);
  });

  test('completes every program', () => {
    for (const program of programs) expect(scripts[shell]).toMatch(new RegExp(`\\b${program}\\b`));
  });
});

test.each([
  [[], 'Missing shell; known: bash, zsh, fish'],
  [['tcsh'], 'Unknown shell tcsh; known: bash, zsh, fish'],
])('marketdata completion %j is refused with exit status 2', async (args, text) => {
  const { stdout, stderr, code } = await runProgram('marketdata', ['completion', ...args]);
  expect(stderr).toContain(text);
  expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
});
