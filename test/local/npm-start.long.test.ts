import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, onTestFinished, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const PROCESSES = 8;
const MEGABYTES = 350;
const paths = [
  'ticker/btc-bitcoin',
  'tickers',
  'overview',
  'ohlcv/btc-bitcoin',
  'search?q=bit',
  'coins/btc-bitcoin',
  'rates',
];

/** What the kernel says of a process; empty if it has just ended. */
function readProcess(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** The memory of a process in MB; shared pages count in part. */
function megabytesOf(pid: number): number {
  const [, kilobytes = 0] = /^Pss:\s+(\d+) kB$/m.exec(readProcess(pid, 'smaps_rollup')) ?? [];
  return Number(kilobytes) / 1024;
}

test.runIf(process.platform === 'linux')(
  'npm start -- --lambda is a handful of processes at rest, serves what has not been requested before, and ends all at SIGTERM to npm',
  async () => {
    const store = mkdtempSync(join(inject('runFolder'), 'at-rest-'));
    const { pid, url } = await startNpm(['--chain', 'local', '--simulated', '--store', store]);
    const tree = () => [pid, ...descendantsOf(pid)];
    const commandOf = (one: number) => readProcess(one, 'cmdline');
    const functions = () => tree().filter((one) => commandOf(one).includes('runtime.mjs'));
    // The jobs that fill the store run soon after the start, one after the other, and the last one takes a minute.
    await sleep(3000);
    await expect.poll(() => functions().length, { timeout: 60_000 }).toBeLessThanOrEqual(1);
    // The chain and the table are one more process each.
    expect(tree().length).toBeLessThanOrEqual(PROCESSES + 2);
    const ownMegabytes = tree()
      .filter((one) => !/anvil|dynoxide/.test(commandOf(one)))
      .map(megabytesOf);
    expect(ownMegabytes.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(MEGABYTES);

    for (const path of paths) {
      // While other tests keep the machine busy, a new process may not have the snapshot in time.
      const status = async () => (await fetch(`${url}/api/marketdata/${path}`)).status;
      await expect.poll(status, { timeout: 20_000, interval: 1_000, message: path }).toBe(200);
    }
    expect(functions().length).toBeGreaterThanOrEqual(paths.length);
    const started = descendantsOf(pid);
    const commands = started.map(commandOf).join('\n');
    for (const part of ['scripts/start.ts', 'anvil', 'dynoxide']) expect(commands).toContain(part);

    process.kill(pid, 'SIGTERM');

    await expect.poll(() => [pid, ...started].filter(isRunning)).toEqual([]);
    await expect(fetch(url)).rejects.toThrow();
  },
  300_000,
);

/** Serves the build on a free port until the test ends. Returns when it is ready. */
async function startNpm(options: readonly string[]) {
  const args = ['start', '--ignore-scripts', '--', '--lambda', '--no-build', '--port', '0', ...options];
  const npm = spawn('npm', args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void npm.kill('SIGTERM'));
  let printed = '';
  npm.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  await expect.poll(() => printed, { timeout: 120_000 }).toContain('Mode ');
  return { pid: npm.pid ?? 0, url: /on (http:\S+)/.exec(printed)?.[1] ?? '' };
}

/** The processes started from a process, and from those, by the parent that each names. */
function descendantsOf(pid: number): number[] {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => Number(statOf(name)?.[1]) === pid)
    .map(Number);
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

function isRunning(pid: number): boolean {
  return (statOf(String(pid))?.[0] ?? 'Z') !== 'Z';
}

/** State and parent, which come behind the name in parentheses; undefined once the process is gone. */
function statOf(pid: string): string[] | undefined {
  if (!existsSync(`/proc/${pid}/stat`)) return undefined;
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
  } catch {
    return undefined; // it ended in between
  }
}
