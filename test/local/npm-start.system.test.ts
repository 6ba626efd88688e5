import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { isListening } from '../../local/loopback.ts';
import { descendantsOf, isRunning, startNpm } from './npm.ts';

test.runIf(process.platform === 'linux')(
  'SIGTERM to npm ends the service, its functions, the chain and the table',
  async () => {
    const store = mkdtempSync(join(inject('runFolder'), 'npm-start-'));
    const { pid, url } = await startNpm(['--chain', 'local', '--simulated', '--store', store]);
    expect((await fetch(`${url}/api/marketdata/ticker/btc-bitcoin`)).status).toBe(200);
    const started = descendantsOf(pid);
    const commands = started.map((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8')).join('\n');
    for (const part of ['local/main.ts', 'runtime.mjs', 'anvil', 'dynoxide'])
      expect(commands).toContain(part);
    expect(await isListening(url)).toBe(true);

    process.kill(pid, 'SIGTERM');

    await expect.poll(() => [pid, ...started].filter(isRunning)).toEqual([]);
    expect(await isListening(url)).toBe(false);
  },
  100_000,
);
