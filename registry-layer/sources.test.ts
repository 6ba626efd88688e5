import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { startSimulated } from '../local/simulated/index.ts';
import { withoutPace } from '../test/unhurried.ts';
import { simulatedEntries } from './simulated/list.ts';
import { liveEntries } from './sources.ts';

const list = simulatedEntries(300);
let server: Server;
let folder: string;
let requests: string[];
let answer: { status: number; body: string };
let notices: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'registry-'));
  requests = [];
  notices = [];
  answer = { status: 200, body: JSON.stringify(list) };
  server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`);
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});

function read(environment: Record<string, string> = {}) {
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return liveEntries({
    cacheFile: join(folder, 'coins.json'),
    environment: { COINPAPRIKA_BASE_URL: `http://127.0.0.1:${port}/v1/`, ...environment },
    notice: (text) => notices.push(text),
  });
}

test('fetches the list once in 24 hours, and says where it comes from', async () => {
  expect(await read()).toEqual(list);
  expect(await read()).toEqual(list);
  expect(requests).toEqual(['GET /v1/coins ']);
  expect(notices).toEqual([
    expect.stringMatching(/^Fetching the list of coins from 127\.0\.0\.1:\d+$/),
    expect.stringMatching(/^Using the provider's list of .*Z, kept for 24 hours in /),
  ]);
});

test('fetches it again after 24 hours, and from another provider', async () => {
  await read();
  const yesterday = Date.now() / 1000 - 24 * 60 * 60;
  await utimes(join(folder, 'coins.json'), yesterday, yesterday);
  await read();
  const { port } = server.address() as AddressInfo;
  await read({ COINPAPRIKA_BASE_URL: `http://127.0.0.1:${port}/v2` });
  expect(requests).toEqual(['GET /v1/coins ', 'GET /v1/coins ', 'GET /v2/coins ']);
});

test.each([
  [
    { status: 429, body: '{"error":"too many requests"}' },
    /^Rate limit exceeded: the provider's \(CoinPaprika\); try again in 10 s$/,
  ],
  [
    { status: 200, body: '[{"id":"x"}]' },
    /^CoinPaprika gave an unusable answer: Entry 0 \("x"\): name is missing/,
  ],
])('stores nothing of a response that is no list of coins: %j', async (given, message) => {
  answer = given;
  await expect(read()).rejects.toThrow(message);
  expect(await readdir(folder)).toEqual([]);
});

test('names the entries that it leaves out', async () => {
  answer.body = JSON.stringify([...list, { ...list[0], id: 'x', type: 'share' }]);
  expect(await read()).toEqual(list);
  expect(notices.at(-1)).toBe(
    '1 of 301 entries of the coin list was left out: Entry 300 ("x"): type is "share"; it must be coin or token',
  );
});

test('stores nothing of a list that cannot be true', async () => {
  answer = { status: 200, body: JSON.stringify(list.map((entry) => ({ ...entry, name: ' ' }))) };

  await expect(read()).rejects.toThrow(
    "The provider's list of coins cannot be true: 300 of its 300 entries have no name or no symbol",
  );
  expect(await readdir(folder)).toEqual([]);
});

test('finds the ids of live coins elsewhere, stores them for 24 hours, and goes on without them after a failure', async () => {
  const simulated = await startSimulated();
  onTestFinished(() => simulated.close());
  vi.resetModules();
  withoutPace();
  const { livePairs } = await import('./sources.ts');
  const pairs = async (environment: Record<string, string>, file = 'ids.json') =>
    livePairs(list, { cacheFile: join(folder, file), environment, notice: (text) => notices.push(text) });

  const found = await pairs(simulated.environment);

  expect(found?.get('xrp-xrp')).toBe('ripple');
  const { total } = simulated.coingecko.calls;
  expect(await pairs(simulated.environment)).toEqual(found);
  expect(simulated.coingecko.calls.total).toBe(total);

  simulated.coingecko.setFault('status=500');
  expect(await pairs(simulated.environment, 'others.json')).toBeUndefined();
  expect(notices.at(-1)).toBe('The registry is built without those ids: CoinGecko answered 500');
  expect(await pairs({ ...simulated.environment, ID_SOURCES: '' })).toBeUndefined();
});
