import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from './config.ts';

const PATIENCE_MS = 5000;
const PAUSE_MS = 15;
/** A lock is held for some milliseconds; one as old as this was left by a process that was killed. */
const ABANDONED_MS = 3000;

/**
 * Runs `work` while no other process does so for the same file: a file beside it, made only if there is none, is the lock.
 * `isOurs` tells whether it still is this process's. Rejects with ConfigError if the lock stays taken for five seconds.
 */
export async function locked<T>(path: string, work: (isOurs: () => boolean) => T): Promise<T> {
  const lock = `${path}.lock`;
  const token = randomUUID();
  const isOurs = () => contentOf(lock) === token;
  const until = performance.now() + PATIENCE_MS;
  while (!isTaken(lock, token)) {
    if (performance.now() > until)
      throw new ConfigError(`${lock} stays: another program writes the settings; delete it if there is none`);
    breakAbandoned(lock, token);
    await sleep(PAUSE_MS * (0.5 + Math.random()));
  }
  try {
    return work(isOurs);
  } finally {
    if (isOurs()) rmSync(lock, { force: true });
  }
}

/** Whether this process has made the lock. */
function isTaken(lock: string, token: string): boolean {
  try {
    writeFileSync(lock, token, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Takes an old lock away under another name, so that of two processes which do so only one succeeds. */
function breakAbandoned(lock: string, token: string): void {
  if (ageOf(lock) < ABANDONED_MS) return;
  const broken = `${lock}.${token}`;
  try {
    renameSync(lock, broken);
    rmSync(broken, { force: true });
  } catch {
    // Another process was first.
  }
}

/** In milliseconds; 0 if there is none. */
function ageOf(lock: string): number {
  try {
    return Math.abs(Date.now() - statSync(lock).mtimeMs);
  } catch {
    return 0;
  }
}

function contentOf(lock: string): string | undefined {
  try {
    return readFileSync(lock, 'utf8');
  } catch {
    return undefined;
  }
}
