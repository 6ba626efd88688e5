import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type S3Server, startS3Server } from '../../local/s3.ts';
import { jobScript } from '../job-script.ts';
import { BUCKET } from './market.ts';

export interface Death {
  /** The n-th put, from 1 on. */
  readonly put: number;
  /** Whether that one still takes effect. */
  readonly isPut: boolean;
}

interface Given {
  /** The handler's file, below the jobs. */
  readonly job: string;
  readonly objects: ReadonlyMap<string, Buffer>;
  readonly env: Readonly<Record<string, string>>;
  /** Arguments of node, for the process's clock. */
  readonly execArgv: readonly string[];
}

/**
 * Runs a job in a process of its own against objects in a server in place of S3, which kills it by SIGKILL at a put.
 * Returns the objects that are there then.
 */
export async function runUntilKilled(death: Death, given: Given): Promise<Map<string, Buffer>> {
  const s3 = await startS3Server();
  for (const [path, bytes] of given.objects) s3.objects.set(path, bytes);
  let child: ChildProcess | undefined;
  const proxy = proxyOf(s3, death, () => child?.kill('SIGKILL'));
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { job, execArgv, env } = given;
  child = spawn(process.execPath, [...execArgv, '--input-type=module', '-'], {
    env: {
      ...env,
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, // it listens on TCP
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      SNAPSHOT_BUCKET: BUCKET,
      HISTORY_BUCKET: BUCKET,
    },
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  child.stdin?.end(await jobScript(job));
  const [, signal] = await once(child, 'exit');
  proxy.close();
  proxy.closeAllConnections();
  await s3.close();
  if (signal !== 'SIGKILL') throw new Error(`ended by itself before put ${death.put}`);
  return s3.objects;
}

function proxyOf(s3: S3Server, { put, isPut }: Death, kill: () => void) {
  let puts = 0;
  return createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    if (incoming.method === 'PUT') puts += 1;
    if (incoming.method === 'PUT' && puts > put) return; // the process is dead, and has only not noticed
    const isLast = incoming.method === 'PUT' && puts === put;
    if (isLast && !isPut) return kill();
    const { method = 'GET', url = '/', headers } = incoming;
    const outgoing = request(new URL(url, s3.url), { method, headers }, (answer) => {
      if (isLast) return kill();
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy()); // the server is closed once the process is dead
    outgoing.end(Buffer.concat(chunks));
  });
}
