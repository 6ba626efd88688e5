/** Server and emulator under load, from the request to the cached ticker, beside a server that a user would write instead. */
import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { freePort } from '../local/loopback.ts';
import { startLocalService } from '../local/service.ts';
import { simulatedEntries } from '../registry-layer/simulated/list.ts';
import { conditions, table } from './conditions.ts';
import { KEY } from './deployed.ts';
import { startSources } from './fleet/sources.ts';
import { startServer } from './service/server.ts';

/** The output of `service/load.mjs`. */
interface Load {
  readonly requests: { readonly average: number; readonly total: number };
  readonly latency: { readonly p50: number; readonly p99: number };
  readonly errors: number;
  readonly statusCodeStats: Readonly<Record<string, { readonly count: number }>>;
  readonly clients: number;
}

const DEFAULT_SECONDS = 6;
const MAX_SECONDS = 12;
const FIRST_JOBS_MS = 45_000;
const CONNECTIONS = 10;
const coins = ['btc-bitcoin', 'eth-ethereum', 'xrp-xrp', 'sol-solana', 'doge-dogecoin'];
const paths = coins.map((id) => `/api/marketdata/ticker/${id}`);
const headers = { 'x-api-key': KEY };
const environment = { NODE_ENV: 'production', CLIENT_API_KEY: KEY };

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: { seconds: { type: 'string', default: String(DEFAULT_SECONDS) } },
});
const seconds = Number(values.seconds);
if (!Number.isSafeInteger(seconds) || seconds < 1 || seconds > MAX_SECONDS) {
  process.stderr.write(
    `--seconds must be a whole number from 1 to ${MAX_SECONDS}, not "${values.seconds}"\n`,
  );
  process.exit(2);
}

const machine = conditions(`npm run bench service -- --seconds ${seconds}`);
process.stderr.write('Building and synthesizing …\n');
const rows = [await ofEmulator(1, true), await ofEmulator(2, false), await ofServer(), await ofAlternative()];
const titles = ['service', 'processes', 'requests/s', 'p50 ms', 'p99 ms', 'answers', 'clients'];
console.log(`${machine}\n\n${table(titles, rows)}`);
console.log(
  `\n${seconds} s each over ${CONNECTIONS} connections, ${coins.length} tickers in turn, production mode with a key. A client may make 100 requests a minute, so each connection is a client of its own (its own address in 127.0.0.0/8) and is replaced after 100 requests. Fastify checks the key, counts the client's requests and keeps tickers for 60 s, in one process. The server is one process with the pipeline of a deployment; the emulator has the gateway in one process and the function in others. Whatever answers shares the machine with the simulated provider and the load.`,
);
process.exit(0);

async function ofEmulator(containers: number, build: boolean): Promise<(string | number)[]> {
  const service = await startLocalService({
    ...{ build, containers, env: environment, quiet: true },
    provider: { mode: 'simulated' },
    execArgv: process.execArgv, // passes on another clock, for example
  });
  try {
    return ['emulator', containers, ...(await measure(service.url))];
  } finally {
    await service.close();
  }
}

async function ofServer(): Promise<(string | number)[]> {
  const sources = await startSources(simulatedEntries(200), Date.now);
  const folder = mkdtempSync(join(tmpdir(), 'bench-server-'));
  const server = await startServer(
    folder,
    { ...environment, ...sources.environment, ID_SOURCES: '' },
    { port: await freePort(), path: paths[0] ?? '', headers },
  );
  try {
    // The emulator has no jobs here; those of the server's first minute come to an end.
    await sleep(FIRST_JOBS_MS);
    return ['server', 1, ...(await measure(server.url))];
  } finally {
    await server.close();
    await sources.close();
    rmSync(folder, { recursive: true });
  }
}

async function ofAlternative(): Promise<(string | number)[]> {
  const sources = await startSources(simulatedEntries(200), Date.now);
  const child = fork(join(import.meta.dirname, 'service/alternative.ts'), {
    env: { ...process.env, ...environment, ...sources.environment },
  });
  try {
    const [url] = await once(child, 'message');
    return ['Fastify', 1, ...(await measure(String(url)))];
  } finally {
    child.kill();
    await sources.close();
  }
}

async function measure(url: string): Promise<(string | number)[]> {
  for (const path of paths) {
    const response = await fetch(url + path, { headers });
    if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${await response.text()}`);
  }
  process.stderr.write(`Load on ${url} …\n`);
  const job = { url, paths, headers, connections: CONNECTIONS, seconds };
  const script = join(import.meta.dirname, 'service/load.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(job)]);
  const { requests, latency, errors, statusCodeStats, clients } = JSON.parse(stdout) as Load;
  const answers = Object.entries(statusCodeStats).map(([status, { count }]) => `${count} × ${status}`);
  if (errors > 0) answers.push(`${errors} broken connections`);
  return [Math.round(requests.average), latency.p50, latency.p99, answers.join(', '), clients];
}
