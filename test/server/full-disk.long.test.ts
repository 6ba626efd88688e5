/** A disk that fills up and a folder that becomes read-only while a server runs on it. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startSimulated } from '../../local/simulated/index.ts';
import { simulatedEntries } from '../../registry-layer/simulated/list.ts';
import { get, newFolder, type ServerProcess, spawnServer, startServerProcess } from './server.testing.ts';

const TICKER = '/api/marketdata/ticker/btc-bitcoin';

/** Mounts it for a test; undefined without the right to. */
function fileSystem(megabytes: number): string | undefined {
  const folder = join(newFolder(), 'mounted');
  mkdirSync(folder);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  onTestFinished(() => void execFileSync('umount', ['-l', folder]));
  return folder;
}

/** Takes all the room that is left. */
function fill(file: string): void {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  try {
    for (;;) writeFileSync(file, chunk, { flag: 'a' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  }
}

function unfinished(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files.filter((name) => /@[0-9a-f]+\..+/.test(name));
}

/** Everybody may write everywhere as root, but without this right. */
const through = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override'] : [];
const PATHS = [TICKER, '/api/marketdata/overview', '/api/marketdata/search?q=bit', '/'];

async function startOn(
  folder: string,
): Promise<{ server: ServerProcess; environment: Record<string, string> }> {
  const simulated = await startSimulated({ coins: simulatedEntries(300) });
  onTestFinished(() => simulated.close());
  const environment = {
    ...simulated.environment,
    ...{ ID_SOURCES: '', SNAPSHOT_MINUTES: '1', UPSTREAM_MONTHLY_BUDGET: '200000' },
  };
  const server = await startServerProcess(['--store', folder], environment, { through });
  for (const path of PATHS)
    await expect
      .poll(async () => (await get(server.url + path)).status, {
        timeout: 60_000,
        interval: 1_000,
        message: path,
      })
      .toBe(200);
  return { server, environment };
}

/** While something hinders it, the server says so and serves what is there; afterwards it goes on by itself. */
async function hinder(
  { url, printed }: ServerProcess,
  folder: string,
  { begin, end, says, health }: { begin(): void; end(): void; says: RegExp; health: RegExp },
): Promise<void> {
  const dataTime = async () => (await get(url + TICKER)).headers.get('x-data-time') ?? '';
  begin();
  const before = await dataTime();
  await expect.poll(() => printed.err, { timeout: 90_000, interval: 500 }).toMatch(says);
  expect(await get(`${url}/healthz`)).toMatchObject({ status: 503, json: { success: false } });
  expect((await get(`${url}/healthz`)).json.error).toMatch(health);
  for (const path of PATHS) expect((await get(url + path)).status, path).toBe(200);
  expect(unfinished(folder)).toEqual([]);
  end();
  await expect.poll(async () => (await get(`${url}/healthz`)).status, { timeout: 90_000 }).toBe(200);
  await expect.poll(dataTime, { timeout: 180_000, interval: 1_000 }).not.toBe(before);
}

test('a full disk', { timeout: 600_000 }, async (context) => {
  const mounted = fileSystem(48);
  if (mounted === undefined) return context.skip('no right to mount a file system');
  const folder = join(mounted, 'data');
  const { server, environment } = await startOn(folder);
  const filler = join(mounted, 'filler');

  await hinder(server, folder, {
    begin: () => fill(filler),
    end: () => rmSync(filler),
    says: /^The folder cannot be written \(database or disk is full\): what is there is served, and jobs go on when it can$/m,
    health: /^database or disk is full$/,
  });
  expect(server.printed.err).toContain('The folder can be written again');
  expect(await server.end()).toBe(0);

  fill(filler);
  const full = spawnServer(['--store', folder], environment);
  await expect
    .poll(() => full.printed.out + full.printed.err, { timeout: 30_000 })
    .toMatch(/Try |cannot be written/);
  await full.end();
});

test('a read-only folder', { timeout: 600_000 }, async () => {
  const folder = join(newFolder(), 'data');
  const { server, environment } = await startOn(folder);
  const modes = (mode: number) => {
    for (const { parentPath, name } of readdirSync(folder, { recursive: true, withFileTypes: true }))
      if (!name.includes('.db')) chmodSync(join(parentPath, name), mode);
  };

  await hinder(server, folder, {
    begin: () => modes(0o555),
    end: () => modes(0o755),
    says: /^The job marketdata\/snapshot failed: EACCES: permission denied/m,
    health: /^EACCES: permission denied/,
  });
  expect(await server.end()).toBe(0);

  chmodSync(folder, 0o555);
  modes(0o555);
  onTestFinished(() => chmodSync(folder, 0o755));
  const refused = spawnServer(['--store', folder], environment, { through });
  await refused.closed;
  expect(refused.child.exitCode).toBe(1);
  expect(refused.printed.err).toMatch(
    / cannot be written \(.*\): make room there, or give another folder with --store\n$/,
  );
});
