import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, onTestFinished, test } from 'vitest';
import { runProgram } from './program.ts';

const url = 'http://127.0.0.1:9';

test.each([
  ['cchart', ['BTC', '--compare', 'ETH', '--range', '1y', '--line', '--open'], '/#BTC+ETH:line:1y'],
  ['cprice', ['BTC', 'ETH', '--open'], '/#BTC,ETH'],
])('%s %j prints the address of the page with it, and asks nobody', async (program, args, address) => {
  expect(await runProgram(program, args, { url })).toEqual({
    code: 0,
    stdout: `${url}${address}\n`,
    stderr: '',
  });
});

test('a desktop is told to open it', async () => {
  const folder = mkdtempSync(join(inject('runFolder'), 'open-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'opened');
  writeFileSync(join(folder, 'xdg-open'), `#!/bin/sh\necho "$@" > '${file}'\n`);
  chmodSync(join(folder, 'xdg-open'), 0o755);
  const { code } = await runProgram('cchart', ['BTC', '--open'], {
    url,
    env: { PATH: folder, DISPLAY: ':0' },
  });
  expect(code).toBe(0);
  while (!existsSync(file) || readFileSync(file, 'utf8') === '') await sleep(50);
  expect(readFileSync(file, 'utf8')).toBe(`${url}/#BTC\n`);
});

test('a search has no page of its own', async () => {
  const { code, stderr } = await runProgram('coinsearch', ['ether', '--open'], { url });
  expect([code, stderr.split('\n')[0]]).toEqual([2, '--open is for prices and charts']);
});
