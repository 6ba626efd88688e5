/** The built server in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const program = join(import.meta.dirname, '../../dist/server/start.mjs');
/** A client may make 100 requests a minute. */
const POLL_MS = 10;

export interface BenchedServer {
  readonly url: string;
  /** From the start of the process until the address was answered with 200. */
  readonly answeredAfterMs: number;
  /** Proportional set size, in MB. */
  memory(): number;
  close(): Promise<void>;
}

/** Starts it on a folder, and returns when a path below its address is answered with 200. */
export async function startServer(
  folder: string,
  environment: Readonly<Record<string, string>>,
  {
    port,
    path,
    headers = {},
  }: { readonly port: number; readonly path: string; readonly headers?: Record<string, string> },
): Promise<BenchedServer> {
  const begunAt = performance.now();
  const child = spawn(process.execPath, [program, '--store', folder, '--port', String(port)], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  while ((await statusOf(url + path, headers)) !== 200) {
    if (child.exitCode !== null) throw new Error('The server ended');
    await sleep(POLL_MS);
  }
  return {
    url,
    answeredAfterMs: performance.now() - begunAt,
    memory: () => memoryOf(child),
    async close() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

async function statusOf(url: string, headers: Record<string, string>): Promise<number> {
  try {
    const response = await fetch(url, { headers });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}

function memoryOf({ pid }: ChildProcess): number {
  const [, kilobytes = 0] =
    /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}
