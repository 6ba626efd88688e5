/** `npm start` and `--watch` in a copy of the repository, whose files may be changed. */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { get, spawnServer, startServerProcess } from './server.testing.ts';

const root = join(import.meta.dirname, '../..');
const copy = mkdtempSync(join(tmpdir(), 'marketdata-start-'));
const started = { program: join(copy, 'scripts/start.ts'), cwd: copy };
const unreachable = { COINPAPRIKA_BASE_URL: 'http://127.0.0.1:9/v1' };
const handler = join(copy, 'functions/marketdata/search/handler.ts');

beforeAll(() => {
  const notCopied = ['node_modules', 'dist', 'cdk.out', '.git', '.local'];
  cpSync(root, copy, { recursive: true, filter: (file) => !notCopied.includes(basename(file)) });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
});
afterAll(() => rmSync(copy, { recursive: true }));
vi.setConfig({ testTimeout: 180_000 });

test('it builds when a source is newer, and not at each start; a build that fails says why and leaves the old one', async () => {
  const start = async () => {
    const server = await startServerProcess(['--live', '--store', join(copy, 'data')], unreachable, started);
    expect((await get(`${server.url}/healthz`)).status).toBe(200);
    expect((await get(`${server.url}/`)).text).toContain('<!doctype html>');
    expect(await server.end()).toBe(0);
    return server.printed.err.includes('Building …');
  };
  expect(await start()).toBe(true);
  expect(await start()).toBe(false);
  utimesSync(handler, new Date(), new Date());
  expect(await start()).toBe(true);
  expect(await start()).toBe(false);

  const code = readFileSync(handler, 'utf8');
  writeFileSync(handler, `${code}\nconst broken = ;\n`);
  const { child, printed, closed } = spawnServer(['--live'], unreachable, started);
  await closed;
  expect(child.exitCode).toBe(1);
  expect(printed.err).toMatch(/^Building …\nThe build failed:\n.*handler\.ts/s);
  expect(await startWithout()).toBe(0);
  writeFileSync(handler, code);
});

async function startWithout(): Promise<number | null> {
  const args = ['--no-build', '--live', '--store', join(copy, 'data')];
  const server = await startServerProcess(args, unreachable, started);
  return server.end();
}

test('with --watch it serves a change of the sources, and ends at a signal', async () => {
  const args = ['--watch', '--live', '--store', join(copy, 'data')];
  // A port that stays the same when it starts again.
  const { printed, end } = spawnServer([...args, '--port', '34517'], unreachable, started);
  const missing = async () => (await get('http://127.0.0.1:34517/api/nothing')).text;
  await expect.poll(() => printed.out, { timeout: 90_000 }).toContain('Try ');
  expect(await missing()).not.toContain('Nothing at all');

  const file = join(copy, 'functions/gateway/default/refusal.ts');
  writeFileSync(file, readFileSync(file, 'utf8').replace('No such route', 'Nothing at all'));

  await expect.poll(() => missing().catch(() => ''), { timeout: 90_000 }).toContain('Nothing at all');
  expect(await end()).toBe(0);
  await expect(missing()).rejects.toThrow();
});
