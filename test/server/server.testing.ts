/** The built server as a process, and sources for it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, onTestFinished, vi } from 'vitest';
import { startSimulated } from '../../local/simulated/index.ts';

export const builtServer = join(import.meta.dirname, '../../dist/server');

export interface ServerProcess {
  readonly child: ChildProcess;
  readonly url: string;
  readonly printed: { out: string; err: string };
  /** Sends a signal and returns the exit status when all that it printed has been read. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

export function newFolder(): string {
  return mkdtempSync(join(inject('runFolder'), 'server-'));
}

interface Running {
  /** When to end it; with the test by default. */
  readonly atEnd?: (kill: () => void) => void;
  /** Where `start.mjs` is. */
  readonly program?: string;
  readonly cwd?: string;
  /** A program that starts it, with its arguments. */
  readonly through?: readonly string[];
}

/** Starts it without waiting, with nothing else in its environment. */
export function spawnServer(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  { atEnd = onTestFinished, program = join(builtServer, 'start.mjs'), cwd, through = [] }: Running = {},
) {
  const [command = '', ...before] = [...through, process.execPath];
  const child = spawn(command, [...before, program, '--port', '0', ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cwd !== undefined && { cwd }),
  });
  atEnd(() => void child.kill('SIGKILL'));
  const printed = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    printed.err += text;
  });
  const closed = once(child, 'close');
  const end = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    await closed;
    return child.exitCode;
  };
  return { child, printed, closed, end };
}

/** Starts it, and returns when it says where it listens. */
export async function startServerProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  running?: Running,
): Promise<ServerProcess> {
  const { child, printed, end } = spawnServer(args, env, running);
  await vi.waitFor(() => expect(printed.out, printed.err).toContain('Try '), 30_000);
  const [, url = ''] = /Listening\s+(http:\/\/[^,\s]+)/.exec(printed.out) ?? [];
  return { child, printed, end, url: url.replace('//0.0.0.0', '//127.0.0.1') };
}

/** Simulated sources in this process, whose requests can be counted, as the configured ones of a live server. */
export async function sources() {
  const simulated = await startSimulated();
  onTestFinished(() => simulated.close());
  return simulated;
}

export async function get(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parse(text) };
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>; // our own envelope
  } catch {
    return {};
  }
}
