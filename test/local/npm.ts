/** `npm start` as people run it, and the processes that it becomes. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** Serves what is built on a free port, and ends with the test. Returns when it is ready. */
export async function startNpm(options: readonly string[]) {
  const args = ['start', '--ignore-scripts', '--', '--no-build', '--port', '0', ...options];
  const npm = spawn('npm', args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void npm.kill('SIGTERM'));
  let printed = '';
  npm.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  await expect.poll(() => printed, { timeout: 60_000 }).toContain('Mode ');
  return { pid: npm.pid ?? 0, url: /on (http:\S+)/.exec(printed)?.[1] ?? '' };
}

/** The processes started from a process, and from those, by the parent that each names. */
export function descendantsOf(pid: number): number[] {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => Number(statOf(name)?.[1]) === pid)
    .map(Number);
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

export function isRunning(pid: number): boolean {
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
