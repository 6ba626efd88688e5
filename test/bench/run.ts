import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');
const execute = promisify(execFile);
const YEAR_MS = 365 * 86_400_000;

/** The clocks of a bench: how far each is ahead, in milliseconds. */
export const clocks = {
  'with the clock as it is': 0,
  'with the clock a year ahead': YEAR_MS,
};

/** The shortest round of each bench. */
export const rounds = {
  cold: '--rounds 1',
  service: '--seconds 1',
  fleet: '--requests 0,20000 --hours 1 --coins 1000',
  'request-path': '',
};

/** A row of a table with a number in it, or what else the bench measures. */
export const FIGURES = /^\|.*\|.* \d[\d,.]* *\||^A miss: \d+ files/m;

/** Installs what benches compare with, as `npm run bench` does. */
export async function installBench(): Promise<void> {
  await execute('node', ['scripts/ensure-installed.mjs', 'bench'], { cwd: root });
}

/** What a bench prints. Rejects if it fails. */
export async function benched(name: keyof typeof rounds, aheadMs: number): Promise<string> {
  const clock = new URL('clock-ahead.mjs', import.meta.url);
  clock.searchParams.set('ms', String(aheadMs));
  const args = [...(aheadMs > 0 ? ['--import', clock.href] : []), 'bench/main.ts', name];
  const { stdout } = await execute(process.execPath, [...args, ...rounds[name].split(' ').filter(Boolean)], {
    cwd: root,
    maxBuffer: 1_000_000,
  });
  return stdout;
}
