import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { startForTest } from './provider.testing.ts';

function run(...args: string[]) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), ...args]);
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function outcome(...args: string[]) {
  const child = run(...args);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return { stdout, stderr, code };
}

test('prints one line with its URL, serves, and ends at SIGTERM', async () => {
  const child = run('--seed', '7', '--fault', 'status=503x1');
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const url = /^Simulated provider at (http:\/\/127\.0\.0\.1:\d+\/v1) \(seed 7, free plan\)$/.exec(line)?.[1];
  expect((await fetch(`${url}/coins`)).status).toBe(503);
  expect((await fetch(`${url}/coins`)).status).toBe(200);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('allows 10 requests a second', async () => {
  const child = run();
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const url = /http:\S+/.exec(line)?.[0];
  const statuses = await Promise.all(
    Array.from({ length: 100 }, async () => (await fetch(`${url}/coins/btc-bitcoin`)).status),
  );
  expect(statuses).toContain(429);
});

test.each([
  [['--colour'], "Unknown option '--colour'"],
  [['--port', 'x'], '--port must be an integer from 0 to 65535, not "x"'],
  [['--plan', 'gold'], '--plan must be free or starter or paid, not "gold"'],
  [['--fault', 'explode'], 'Bad fault "explode". Allowed: latency=2s'],
])('exits with 2 and a reason for %s', async (args, reason) => {
  const { stdout, stderr, code } = await outcome(...args);
  expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
  expect(stderr).toContain(reason);
  expect(stderr).not.toContain('    at ');
});

test('exits with 1 when the port is taken, and with 0 for --help', async () => {
  const { port } = await startForTest();
  expect(await outcome('--port', String(port))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('EADDRINUSE'),
  });
  expect(await outcome('--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('--port N') });
});
