import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** The processes started from a process, and from those, by the parent that each names. */
function descendantsOf(pid: number): number[] {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => parentOf(name) === pid)
    .map(Number);
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

function parentOf(pid: string): number | undefined {
  return Number(statOf(pid)?.[1]);
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

async function isListening(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
  const answer = await promise;
  socket.destroy();
  return answer;
}

test.runIf(process.platform === 'linux')(
  'SIGTERM to npm ends the service, its functions, the chain and the table',
  async () => {
    const store = mkdtempSync(join(tmpdir(), 'marketdata-store-'));
    onTestFinished(() => rmSync(store, { recursive: true, force: true }));
    const npm = spawn(
      'npm',
      [
        ...['start', '--ignore-scripts', '--', '--chain', 'local', '--simulated', '--no-build'],
        ...['--port', '0', '--store', store],
      ],
      { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const pid = npm.pid ?? 0;
    let printed = '';
    npm.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    onTestFinished(() => void npm.kill('SIGTERM'));
    await expect.poll(() => printed, { timeout: 60_000 }).toContain('Mode ');
    const url = /on (http:\S+)/.exec(printed)?.[1] ?? '';
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
