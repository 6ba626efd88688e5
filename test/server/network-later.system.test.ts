/** Live or simulated is a decision: what a boot without a network leads to, on a terminal and without one. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import { expect, onTestFinished, test } from 'vitest';
import { builtServer, get, newFolder, startServerProcess } from './server.testing.ts';

const preload = join(import.meta.dirname, 'network-later.mjs');

function environment(folder: string) {
  return {
    PATH: process.env.PATH ?? '',
    NODE_OPTIONS: `--import ${preload}`,
    NETWORK: join(folder, 'network'),
    ID_SOURCES: '',
  };
}

test('on a terminal it simulates, loudly, and starts again with real prices when the provider answers', {
  timeout: 120_000,
}, async () => {
  const folder = newFolder();
  const store = join(folder, 'data');
  const env = environment(folder);
  const args = [join(builtServer, 'start.mjs'), '--port', '0', '--store', store];
  const terminal = spawn(process.execPath, args, { cols: 200, rows: 50, env });
  onTestFinished(() => terminal.kill('SIGKILL'));
  let written = '';
  terminal.onData((text) => {
    written += text;
  });
  const ended = new Promise((resolve) => terminal.onExit(resolve));
  const addresses = () => [...written.matchAll(/Listening (http:[^,\s]+)/g)].map(([, url]) => url);

  await expect.poll(() => addresses().length, { timeout: 60_000 }).toBe(1);
  expect(written).toContain(
    'SIMULATED, these are not real prices; CoinPaprika did not answer within 2 seconds, and is asked again',
  );
  expect((await get(`${addresses()[0]}/readyz`)).status).toBe(200);
  expect(readdirSync(store)).toEqual(['simulated']);

  writeFileSync(env.NETWORK, '');
  await expect.poll(() => addresses().length, { timeout: 60_000 }).toBe(2);
  expect(written).toContain('CoinPaprika answers now: starting again with real prices');
  expect(written.split('Listening')[1]).toContain('live, CoinPaprika');
  expect((await get(`${addresses()[1]}/readyz`)).status).toBe(503);
  expect(
    (await get(`${addresses()[1]}/api/marketdata/ticker/btc-bitcoin`)).headers.get('x-data-source'),
  ).not.toBe('simulated');
  expect(readdirSync(store).sort()).toEqual(['live', 'simulated']);
  terminal.kill('SIGTERM');
  expect(await ended).toMatchObject({ exitCode: 0 });
});

test('without a terminal it is live whatever the network does, and never has a simulated list of coins', {
  timeout: 60_000,
}, async () => {
  const folder = newFolder();
  const store = join(folder, 'data');
  // A checkout, whose build has a simulated list.
  const server = await startServerProcess(['--store', store], environment(folder));

  expect(server.printed.out).toContain('live, CoinPaprika');
  const found = await get(`${server.url}/api/marketdata/search?q=bitcoin`);
  expect(found.status).toBe(503);
  expect(Number(found.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(readdirSync(store)).toEqual(['live']);
  expect(await server.end()).toBe(0);
});
