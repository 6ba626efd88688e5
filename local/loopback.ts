/** Servers on this machine's loopback interface: in this process, or in child processes that end with it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer, type Server } from 'node:net';
import { createInterface } from 'node:readline';

const HOST = '127.0.0.1';
const START_TIMEOUT_MS = 10_000;
/** Enough to show an error. */
const MOST_LINES = 20;

/** Listens on a port (0: a free one) and returns the address. Rejects if the port is taken. */
export async function listen(server: Server, port = 0): Promise<string> {
  server.listen(port, HOST);
  await once(server, 'listening');
  const address = server.address();
  return `http://${HOST}:${typeof address === 'object' && address ? address.port : port}`;
}

/** The first free port from this one on; 0 leaves the choice to the system. */
export async function freePort(port = 0): Promise<number> {
  const server = createServer();
  try {
    return Number(new URL(await listen(server, port)).port);
  } catch {
    return freePort(port + 1);
  } finally {
    server.close();
  }
}

export interface ServerProcess {
  readonly pid: number | undefined;
  /** The match of the pattern's first group. */
  readonly printed: string;
  /** Ends the process at once, and returns when it has ended. */
  end(): Promise<void>;
}

/**
 * Starts a program from an npm package with a binary for this platform, and returns when a line of its output matches.
 * Throws an Error if it is not installed, ends, or prints no such line in time.
 */
export async function startServer(
  name: string,
  program: string,
  args: readonly string[],
  ready: RegExp,
): Promise<ServerProcess> {
  const child = spawn(installed(name, program), args, { stdio: ['ignore', 'pipe', 'pipe'] });
  killAtExit(child);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const lines: string[] = [];
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => {
      const match = ready.exec(line);
      if (match) resolve(match[1] ?? '');
      if (lines.length < MOST_LINES) lines.push(line);
    });
  }
  const fail = (what: string) =>
    reject(new Error(`The local ${name} ${what}: ${lines.join(' ') || 'it printed nothing'}`));
  child.on('error', (error) => fail(error.message)).on('exit', () => fail('ended'));
  const timer = setTimeout(() => fail('did not start in time'), START_TIMEOUT_MS);
  try {
    return { pid: child.pid, printed: await promise, end: () => end(child, 'SIGKILL') };
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Ends a child with this process, even if it is still starting. */
export function killAtExit(child: ChildProcess): void {
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
}

/** Returns when the child has ended. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
}

function installed(name: string, program: string): string {
  try {
    return createRequire(import.meta.url).resolve(program);
  } catch {
    throw new Error(`The local ${name} is not installed for this machine (${program})`);
  }
}
