import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newHome, runProgram } from './program.ts';

test('--open has the desktop open the page', async () => {
  const folder = newHome();
  const file = join(folder, 'opened');
  writeFileSync(file, '');
  writeFileSync(join(folder, 'xdg-open'), `#!/bin/sh\necho "$@" > '${file}'\n`);
  chmodSync(join(folder, 'xdg-open'), 0o755);
  const url = 'http://127.0.0.1:9';
  const { code } = await runProgram('cchart', ['BTC', '--open'], {
    url,
    env: { PATH: folder, DISPLAY: ':0' },
  });
  expect(code).toBe(0);
  await expect.poll(() => readFileSync(file, 'utf8')).toBe(`${url}/#BTC\n`);
});
