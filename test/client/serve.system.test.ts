import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { nodes } from './node-versions.ts';

const program = join(import.meta.dirname, '../../client/cli/bin/marketdata.mjs');
const options = ['--no-build', '--simulated', '--no-store', '--port', '0'];

// An older Node starts the one of the install, which has to end with it.
test.each(Object.entries(nodes))(
  'marketdata serve, started by %s, serves with the options of npm start until a signal ends it',
  async (_name, node) => {
    const child = spawn(node, [program, 'serve', ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    await expect.poll(() => printed, { timeout: 60_000 }).toContain('Try ');
    const url = /Listening +(http:[^,\s]+)/.exec(printed)?.[1] ?? '';
    expect((await fetch(`${url}/api/marketdata/ticker/btc-bitcoin`)).status).toBe(200);

    child.kill('SIGTERM');

    expect(await once(child, 'exit')).toEqual([0, null]);
    await expect(fetch(url)).rejects.toThrow();
  },
  100_000,
);
