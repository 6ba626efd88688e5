/** The local service under load: the whole chain, from the gateway to the cached ticker. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { type LocalService, startLocalService } from '../local/service.ts';
import { conditions } from './conditions.ts';

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
const CONNECTIONS = 10;
const KEY = 'a-client-key-of-the-usual-length-0123456789';
const coins = ['btc-bitcoin', 'eth-ethereum', 'xrp-xrp', 'sol-solana', 'doge-dogecoin'];
const paths = coins.map((id) => `/api/marketdata/ticker/${id}`);
const headers = { 'x-api-key': KEY };

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
const rows = [await measure(1, true), await measure(2, false)];
console.log(`${machine}\n`);
console.log('| processes | requests/s | p50 ms | p99 ms | answers | clients | upstream calls |');
console.log('| --: | --: | --: | --: | --- | --: | --: |');
for (const row of rows) console.log(`| ${row.join(' | ')} |`);
console.log(
  `\n${seconds} s each over ${CONNECTIONS} connections, ${coins.length} tickers in turn, production mode with a key. A client may make 100 requests a minute, so each connection is a client of its own (its own address in 127.0.0.0/8) and is replaced after 100 requests. The gateway with the simulated provider, the load and each process of the function share the machine. Upstream calls are those that the provider counted, the first answers included.`,
);

async function measure(containers: number, build: boolean): Promise<(string | number)[]> {
  const service = await startLocalService({
    build,
    containers,
    env: { NODE_ENV: 'production', CLIENT_API_KEY: KEY },
    provider: { mode: 'simulated' },
    quiet: true,
    execArgv: process.execArgv, // another clock, for one
  });
  try {
    for (const path of paths) await fillCache(service, path);
    process.stderr.write(`Load on ${containers} of the function's processes …\n`);
    const { requests, latency, errors, statusCodeStats, clients } = await load(service);
    const answers = Object.entries(statusCodeStats).map(([status, { count }]) => `${count} × ${status}`);
    if (errors > 0) answers.push(`${errors} broken connections`);
    return [
      containers,
      Math.round(requests.average),
      latency.p50,
      latency.p99,
      answers.join(', '),
      clients,
      service.provider.simulated?.calls.total ?? 'not counted',
    ];
  } finally {
    await service.close();
  }
}

async function fillCache({ url }: LocalService, path: string): Promise<void> {
  const response = await fetch(url + path, { headers });
  if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${await response.text()}`);
}

async function load({ url }: LocalService): Promise<Load> {
  const job = { url, paths, headers, connections: CONNECTIONS, seconds };
  const script = join(import.meta.dirname, 'service/load.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(job)]);
  return JSON.parse(stdout) as Load;
}
