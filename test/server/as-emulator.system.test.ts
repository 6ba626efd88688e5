/** Every route answers on the server as on the emulator, which runs the bundles of a deployment behind the synthesized template. */

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { routes } from '../../functions/routes.ts';
import { builtPage } from '../../http-api/page.ts';
import { ObjectFolder } from '../../local/object-folder.ts';
import { type LocalService, startLocalService } from '../../local/service.ts';
import { type Simulated, startSimulated } from '../../local/simulated/index.ts';
import { simulatedEntries } from '../../registry-layer/simulated/list.ts';
import { exampleBody, exampleUrl } from '../../scripts/generate/examples.ts';
import { serverJobs } from '../../server/jobs.ts';
import { openFolder } from '../../shared/folder/open-folder.ts';
import { type Clock, clockAt } from '../contract/clock.ts';
import { newFolder, type ServerProcess, startServerProcess } from './server.testing.ts';

/** With them, both have all routes; no node answers there. */
const secrets = Object.fromEntries(
  routes
    .flatMap(({ allSecrets }) => allSecrets)
    .map((name) => [name, name.endsWith('_URL') ? 'http://127.0.0.1:9' : 'a-secret-of-the-test']),
);

let clock: Clock | undefined;
let simulated: Simulated;
let server: ServerProcess;
let emulator: LocalService;

beforeAll(async () => {
  const startedAt = Date.now();
  // Prices that stand still, so that both fetch the same.
  simulated = await startSimulated({ coins: simulatedEntries(), now: () => startedAt });
  const folder = newFolder();
  const start = (more = {}) =>
    startServerProcess(
      ['--store', folder],
      { ...environment, ...more },
      { atEnd: (kill) => process.once('exit', kill) },
    );
  // Its ids of other sources would come a minute later.
  // Whether a function has read the prices of this minute depends on how busy the machine is.
  const still = { CANDLE_SOURCES: '' };
  const environment = { ...simulated.environment, ...secrets, ...still, ID_SOURCES: '' };
  const first = await start();
  const kind = `given-${encodeURIComponent(new URL(simulated.provider.url).host)}`;
  await vi.waitFor(() => expect(jobsDone(join(folder, kind))).toBe(true), 150_000);
  await first.end();
  endPast(join(folder, kind));
  // From here on the time stands still, so that no job changes what is compared.
  clock = clockAt(Date.now());
  server = await start({ NODE_OPTIONS: clock.execArgv.join(' ') });
  const store = newFolder();
  await copyObjects(join(folder, kind), join(store, kind));
  emulator = await startLocalService({
    env: { ...simulated.environment, ...secrets, ...still },
    provider: { mode: 'auto' },
    store: { folder: store },
    page: builtPage,
    execArgv: clock.execArgv,
    quiet: true,
  });
}, 240_000);

afterAll(async () => {
  await emulator?.close();
  await server?.end();
  await simulated?.close();
  clock?.close();
});

/** Whether all jobs have run, but for the one that fetches the past for a minute. */
function jobsDone(folder: string): boolean {
  const database = new DatabaseSync(join(folder, 'server.db'), { readOnly: true });
  const rows = database.prepare("SELECT failures FROM job_runs WHERE job <> 'marketdata/past'").all();
  database.close();
  return rows.length === serverJobs.length - 1 && rows.every(({ failures }) => failures === 0);
}

/** Or it would change what is compared. */
function endPast(folder: string): void {
  const database = new DatabaseSync(join(folder, 'server.db'));
  database.prepare("INSERT OR REPLACE INTO job_runs VALUES ('marketdata/past', ?, 0)").run(Date.now());
  database.close();
}

/** The server's objects as the emulator keeps them. */
async function copyObjects(from: string, to: string): Promise<void> {
  const folder = openFolder(from);
  const objects = new ObjectFolder(to);
  const all = folder.objects('');
  for (const name of await all.list('')) {
    const { bytes } = await all.get(name, AbortSignal.timeout(5_000));
    objects.set(`/local/${name.split('/').map(encodeURIComponent).join('/')}`, Buffer.from(bytes));
  }
  folder.close();
}

/** What differs between two answers of the same service. */
const VARYING = [
  'date',
  'age',
  'ratelimit-reset',
  'ratelimit-remaining',
  'cache-control',
  'retry-after',
  'x-data-time',
  'x-ratelimit-reset',
  'x-ratelimit-remaining',
  'etag',
  'content-length',
  'last-modified',
  'keep-alive',
];

async function answerOf(url: string, route: (typeof routes)[number]) {
  const path = route.path === '$default' ? '/api/nothing' : exampleUrl(route);
  const response = await fetch(url + path, {
    method: route.method === 'POST' ? 'POST' : 'GET',
    ...(route.hasBody && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(exampleBody(route)),
    }),
  });
  const text = await response.text();
  const headers = Object.fromEntries(
    [...response.headers].map(([name, value]) => [name, VARYING.includes(name) ? 'varies' : value]),
  );
  return { status: response.status, headers, body: withoutTimes(text).replaceAll(url, 'URL') };
}

/** The answers are made some seconds apart, and their registries too. */
function withoutTimes(text: string): string {
  return text
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME')
    .replace(/"(coingecko|coinGeckoId|coingecko_id)":(null|"[^"]*"),?/g, '')
    .replace(/"ageSeconds":\d+/g, '"ageSeconds":0')
    .replace(/\b1[789]\d{8}(\d{3})?\b/g, 'EPOCH')
    .replace(/(again in|tried again in) \d+ s/g, '$1 N s');
}

it.each(routes.map((route) => [route.name, route] as const))('%s', async (_name, route) => {
  const [own, theirs] = [await answerOf(server.url, route), await answerOf(emulator.url, route)];
  expect(own.status).toBe(theirs.status);
  expect(own.headers).toEqual(theirs.headers);
  expect(parsed(own.body)).toEqual(parsed(theirs.body));
});

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
