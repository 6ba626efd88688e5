import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Variables } from '../terminal.ts';
import { portOf } from './address.ts';
import { serviceEnvironment } from './environment.ts';

const POLL_MS = 100;
/** Of the output of a service that does not start. */
const LAST_LINES = 8;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A service that has been started, and goes on when this process ends. */
export interface BackgroundService {
  readonly pid: number;
  /** What it prints. */
  readonly log: string;
}

/**
 * Starts the service of the repository at an address of this machine, and waits until it answers. A signal to this process
 * ends it again until then. Throws an Error with its last words if it ends by itself.
 */
export async function startInBackground(
  repository: string,
  url: string,
  env: Variables,
): Promise<BackgroundService> {
  const log = join(repository, '.local/serve.log');
  mkdirSync(dirname(log), { recursive: true });
  const output = openSync(log, 'w');
  const stdio = ['ignore' as const, output, output];
  // It ends with npm where npm has started it; npx is gone with this command.
  const own = { ...serviceEnvironment(env), npm_lifecycle_event: undefined };
  try {
    const installed = [join(repository, 'scripts/ensure-installed.mjs')];
    const { status } = spawnSync(process.execPath, installed, { env: own, stdio });
    if (status !== 0) throw new Error(lastWords(log));
    const main = [join(repository, 'local/main.ts'), '--port', String(portOf(url))];
    const child = spawn(process.execPath, main, { cwd: repository, env: own, stdio, detached: true });
    await untilReady(child, url, log);
    child.unref();
    return { pid: child.pid ?? 0, log };
  } finally {
    closeSync(output);
  }
}

/** It takes connections at once, and answers when it is ready. */
async function untilReady(child: ChildProcess, url: string, log: string): Promise<void> {
  let isRunning = true;
  const end = () => child.kill();
  for (const signal of SIGNALS) process.on(signal, end);
  // A child that cannot be started has an error and no exit.
  once(child, 'exit').then(
    () => (isRunning = false),
    () => (isRunning = false),
  );
  try {
    while (!(await answers(url))) {
      if (!isRunning) throw new Error(lastWords(log));
      await delay(POLL_MS);
    }
  } finally {
    for (const signal of SIGNALS) process.off(signal, end);
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    const { body } = await fetch(url);
    await body?.cancel();
    return true;
  } catch {
    return false;
  }
}

function lastWords(log: string): string {
  return readFileSync(log, 'utf8').trimEnd().split('\n').slice(-LAST_LINES).join('\n');
}
