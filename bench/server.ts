/** How soon the server answers, and the memory it takes, with the whole list of coins and a provider that takes 50 ms (Linux). */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { freePort } from '../local/loopback.ts';
import { startSimulated } from '../local/simulated/index.ts';
import { simulatedEntries } from '../registry-layer/simulated/list.ts';
import { conditions, medianOf, table, whole } from './conditions.ts';
import { type BenchedServer, startServer } from './service/server.ts';

const TICKER = '/api/marketdata/ticker/btc-bitcoin';
/** What the page's first screen requests. */
const PAGE = [
  '/',
  '/api/marketdata/overview',
  '/api/marketdata/sparklines?limit=100',
  '/api/marketdata/tickers?limit=100',
  '/api/marketdata/rates',
  '/api/marketdata/search?q=bit',
  '/api/marketdata/ohlcv/btc-bitcoin?limit=90',
];
const REST_MS = 20_000;
const SAMPLE_MS = 100;

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: { rounds: { type: 'string', default: '5' } },
});
const machine = conditions(`npm run bench server -- --rounds ${values.rounds}`);
const simulated = await startSimulated({ coins: simulatedEntries() });
simulated.provider.setFault('latency=50ms');
const environment = { ...simulated.environment, ID_SOURCES: '' };
const port = await freePort();
const folder = mkdtempSync(join(tmpdir(), 'bench-server-'));

/** The highest of many readings until the work is done. */
async function peakWhile(server: BenchedServer, work: Promise<unknown>): Promise<number> {
  let isDone = false;
  void work.finally(() => {
    isDone = true;
  });
  let peak = 0;
  while (!isDone) {
    peak = Math.max(peak, server.memory());
    await sleep(SAMPLE_MS);
  }
  return peak;
}

const empty = await startServer(folder, environment, { port, path: '/readyz' });
if ((await fetch(empty.url + TICKER)).status !== 200) throw new Error('There is no ticker yet');
const peak = await peakWhile(empty, sleep(60_000));
await empty.close();

const starts: { ms: number; rest: number; page: number }[] = [];
for (let round = 0; round < Number(values.rounds); round += 1) {
  const server = await startServer(folder, environment, { port, path: TICKER });
  await sleep(REST_MS);
  const rest = server.memory();
  for (const path of PAGE) {
    const response = await fetch(server.url + path);
    if (!response.ok) throw new Error(`${path} was answered ${response.status}`);
    await response.arrayBuffer();
  }
  starts.push({ ms: server.answeredAfterMs, rest, page: server.memory() });
  await server.close();
}
rmSync(folder, { recursive: true });
await simulated.close();
const rows = [
  ['first answer, empty folder', `${(empty.answeredAfterMs / 1000).toFixed(1)} s`, '15 s'],
  ['first answer, filled folder', `${(medianOf(starts, 'ms') / 1000).toFixed(2)} s`, '1.5 s'],
  ['memory at rest', `${whole.format(medianOf(starts, 'rest'))} MB`, '160 MB'],
  ['memory after a page load', `${whole.format(medianOf(starts, 'page'))} MB`, '220 MB'],
  ['memory at the peak of the first minute’s jobs', `${whole.format(peak)} MB`, '400 MB'],
];
console.log(`${machine}\n\n${table(['the server', 'measured', 'target'], rows)}`);
process.exit(0);
