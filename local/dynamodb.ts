/** The DynamoDB-compatible server of local runs and tests: a process of its own on loopback, in memory. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { killAtExit } from './children.ts';

export interface LocalDynamoDb {
  readonly url: string;
  readonly pid: number | undefined;
  /** Lets a function find it: the endpoint, and credentials that mean nothing. */
  readonly environment: {
    readonly AWS_ENDPOINT_URL_DYNAMODB: string;
    readonly AWS_REGION: string;
    readonly AWS_ACCESS_KEY_ID: string;
    readonly AWS_SECRET_ACCESS_KEY: string;
  };
  /** Ends the server at once, and with it all that it holds. */
  close(): Promise<void>;
}

const REGION = 'us-east-1';
const START_TIMEOUT_MS = 10_000;

/** Starts the server on a port (0: a free one). Throws an Error if its binary is not installed or fails. */
export async function startDynamoDb(port = 0): Promise<LocalDynamoDb> {
  const chosen = port || (await freePort());
  const child = spawn(binary(), ['--host', '127.0.0.1', '--port', String(chosen)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  killAtExit(child);
  await listening(child);
  const url = `http://127.0.0.1:${chosen}`;
  return {
    url,
    pid: child.pid,
    environment: {
      AWS_ENDPOINT_URL_DYNAMODB: url,
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
    },
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    },
  };
}

function binary(): string {
  const name = `@dynoxide/${process.platform}-${process.arch}`;
  try {
    return createRequire(import.meta.url).resolve(`${name}/dynoxide`);
  } catch {
    throw new Error(`The local DynamoDB server is not installed for this machine (${name}): run without it`);
  }
}

/** The server takes no port 0, so somebody else must find one. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}

async function listening(child: ChildProcess): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue;
    createInterface({ input: stream }).on('line', (line) => {
      said.push(line);
      if (/listening on/i.test(line)) resolve();
    });
  }
  const fail = (what: string) =>
    reject(new Error(`The local DynamoDB server ${what}: ${said.join(' ') || 'it said nothing'}`));
  child.on('error', (error) => fail(error.message));
  child.on('exit', () => fail('ended'));
  const timer = setTimeout(() => fail('did not start in time'), START_TIMEOUT_MS);
  try {
    await promise;
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
