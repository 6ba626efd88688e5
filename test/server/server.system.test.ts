import { randomBytes } from 'node:crypto';
import { cpSync, readdirSync } from 'node:fs';
import { request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test, vi } from 'vitest';
import type { Simulated } from '../../local/simulated/index.ts';
import { serverJobs } from '../../server/jobs.ts';
import {
  builtServer,
  get,
  newFolder,
  type ServerProcess,
  sources,
  spawnServer,
  startServerProcess,
} from './server.testing.ts';

// Its first start takes seconds of CPU, on a busy machine many more.
vi.setConfig({ testTimeout: 120_000 });

const TICKER = '/api/marketdata/ticker/btc-bitcoin';
const unreachable = { COINPAPRIKA_BASE_URL: 'http://127.0.0.1:9/v1' };

async function untilPriced({ url }: ServerProcess): Promise<void> {
  await expect.poll(async () => (await get(`${url}/readyz`)).status, { timeout: 60_000 }).toBe(200);
}

/** Answers of the server with another `Host` than its address, which fetch does not allow. */
async function statusFor(url: string, host: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  request(url, { headers: { host } }, (response) => {
    response.resume();
    resolve(response.statusCode ?? 0);
  })
    .on('error', reject)
    .end();
  return promise;
}

test('one process answers routes, pages and health on both families of the loopback interface', async () => {
  const { environment } = await sources();
  const server = await startServerProcess(['--store', newFolder()], environment);
  await untilPriced(server);
  const [port] = /\d+$/.exec(server.url) ?? [];

  for (const base of [server.url, `http://[::1]:${port}`, `http://localhost:${port}`]) {
    expect((await get(base + TICKER)).json).toMatchObject({ success: true, data: { id: 'btc-bitcoin' } });
  }
  expect((await get(`${server.url}/api/marketdata/search?q=bitcoin`)).json).toMatchObject({ success: true });
  expect((await get(`${server.url}/coingecko/api/v3/ping`)).status).toBe(200);
  expect((await get(`${server.url}/`)).text).toContain('<!doctype html>');
  expect((await get(`${server.url}/api/nothing`)).json).toMatchObject({ success: false });
  // The routes of a chain are there once their secrets are.
  const headers = { 'content-type': 'application/json' };
  const proxy = await fetch(`${server.url}/api/rpc/mainnet`, { method: 'POST', headers, body: '{}' });
  expect(proxy.status).toBe(404);
  expect((await get(`${server.url}/healthz`)).json).toEqual({ success: true, data: 'ok' });
  expect(await server.end()).toBe(0);
});

test('what is built runs with Node alone, in a folder without packages and sources', async () => {
  const { environment } = await sources();
  const folder = newFolder();
  cpSync(builtServer, join(folder, 'server'), { recursive: true });
  const server = await startServerProcess(['--store', join(folder, 'data')], environment, {
    program: join(folder, 'server/start.mjs'),
    cwd: folder,
  });
  await untilPriced(server);

  expect((await get(server.url + TICKER)).json).toMatchObject({ success: true });
  expect((await get(`${server.url}/coins/btc-bitcoin`)).text).toContain('Bitcoin');
  const initialize = await fetch(`${server.url}/api/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    }),
  });
  expect(initialize.status).toBe(200);
  expect(readdirSync(folder).sort()).toEqual(['data', 'server']);
  await server.end();

  const simulated = spawnServer(['--simulated'], {}, { program: join(folder, 'server/start.mjs') });
  await simulated.closed;
  expect(simulated.printed.err).toContain('Simulated prices need a checkout of the repository');
});

test('a restart answers at once from its folder, and asks the provider for nothing that is not due', async () => {
  const folder = newFolder();
  const simulated = await sources();
  const environment = { ...simulated.environment, ID_SOURCES: '' };
  const first = await startServerProcess(['--store', folder], environment);
  await untilPriced(first);
  const before = await get(first.url + TICKER);
  await expect.poll(() => jobsDone(folder), { timeout: 60_000 }).toBe(true);
  expect(lists(simulated)).toBe(2);
  await first.end();

  for (const signal of ['SIGTERM', 'SIGKILL', 'SIGTERM'] as const) {
    const calls = lists(simulated);
    const server = await startServerProcess(['--store', folder], environment);
    const after = await get(server.url + TICKER);
    expect(after.status).toBe(200);
    // Exchanges may have given newer prices at the end of a minute.
    expect(timeOf(after)).toBeGreaterThanOrEqual(timeOf(before));
    await server.end(signal);
    expect(lists(simulated)).toBe(calls);
  }
});

function timeOf({ headers }: { readonly headers: Headers }): number {
  return Date.parse(headers.get('x-data-time') ?? '');
}

/** How often the provider was asked for its lists of coins and tickers. */
function lists({ provider }: Simulated): number {
  const calls = Object.entries(provider.calls.byPath).filter(([path]) =>
    /^\/(coins|tickers)(\?|$)/.test(path),
  );
  return calls.reduce((sum, [, count]) => sum + count, 0);
}

/** Whether the first run of every job has succeeded, but for the one that fetches the past for minutes. */
function jobsDone(folder: string): boolean {
  const [kind = ''] = readdirSync(folder);
  const database = new DatabaseSync(join(folder, kind, 'server.db'), { readOnly: true });
  const rows = database.prepare('SELECT job, failures FROM job_runs').all();
  database.close();
  const isDone = rows.every(({ job, failures }) => failures === 0 || job === 'marketdata/past');
  return rows.length === serverJobs.length && isDone;
}

test('a folder has one server: another is refused, and a killed one leaves it free', async () => {
  const folder = newFolder();
  const first = await startServerProcess(['--live', '--store', folder], unreachable);

  const second = spawnServer(['--live', '--store', folder], unreachable);
  await second.closed;
  expect(second.child.exitCode).toBe(1);
  expect(second.printed.err).toMatch(/^Another server uses .*: stop it, or give this one another folder\n$/);

  await first.end('SIGKILL');
  const third = await startServerProcess(['--live', '--store', folder], unreachable);
  expect((await get(`${third.url}/healthz`)).status).toBe(200);
});

test('without a network it is live all the same: it it says when to come again', async () => {
  const folder = newFolder();
  const server = await startServerProcess(['--store', folder], unreachable);

  for (const path of ['overview', 'search?q=btc', 'rates', 'resolve/BTC']) {
    const answer = await get(`${server.url}/api/marketdata/${path}`);
    expect(answer.status, path).toBe(503);
    expect(Number(answer.headers.get('retry-after')), path).toBeGreaterThan(0);
  }
  // A single coin is asked for at the provider.
  expect((await get(server.url + TICKER)).status).toBe(502);
  expect((await get(`${server.url}/readyz`)).json).toEqual({
    success: false,
    error: 'there are no prices yet',
  });
  expect((await get(`${server.url}/healthz`)).status).toBe(200);
  expect(server.printed.out).not.toContain('SIMULATED');
  expect(readdirSync(folder).filter((name) => name.includes('simulated'))).toEqual([]);
});

test('beyond this machine it starts only with keys, or when it is told to be open', async () => {
  const refused = spawnServer(['--host', '0.0.0.0', '--store', newFolder()], unreachable);
  await refused.closed;
  expect(refused.child.exitCode).toBe(1);
  expect(refused.printed.err).toBe(
    'Beyond this machine, callers need a key: set NODE_ENV=production and CLIENT_API_KEY, or start with --open for everybody in your network\n',
  );

  const open = await startServerProcess(['--host', '0.0.0.0', '--open', '--store', newFolder()], unreachable);
  const [port] = /\d+$/.exec(open.url) ?? [];
  expect(open.printed.out).toContain('NEED NO KEY');
  const own = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal);
  expect(
    await statusFor(`http://${own?.address ?? '127.0.0.1'}:${port}/api/nothing`, `192.0.2.7:${port}`),
  ).toBe(404);
  expect(await statusFor(`${open.url}/api/nothing`, `rebound.example:${port}`)).toBe(403);

  const key = randomBytes(16).toString('hex');
  const keyed = await startServerProcess(['--host', '0.0.0.0', '--store', newFolder()], {
    ...unreachable,
    NODE_ENV: 'production',
    CLIENT_API_KEY: key,
  });
  expect((await get(keyed.url + TICKER)).status).toBe(401);
  expect((await get(keyed.url + TICKER, { 'x-api-key': key })).status).toBe(502);
  const found = await get(`${keyed.url}/api/marketdata/search?q=btc`, { 'x-api-key': key });
  expect(found.headers.get('vary')).toContain('x-api-key, authorization');
  expect((await get(`${keyed.url}/healthz`)).status).toBe(200);
  expect(await statusFor(`${keyed.url}${TICKER}`, `any.example:${port}`)).toBe(401);
});

test('callers behind a trusted proxy have limits of their own, and nobody else can claim to be another', async () => {
  const remaining = async ({ url }: ServerProcess, headers: Record<string, string>) =>
    (await get(`${url}/api/marketdata/search?q=btc`, headers)).headers.get('ratelimit-remaining');
  const trusting = await startServerProcess(['--store', newFolder()], {
    ...unreachable,
    TRUST_PROXY: '127.0.0.1, 10.0.0.0/8',
  });
  const first = await remaining(trusting, { 'x-forwarded-for': '192.0.2.1' });
  expect(await remaining(trusting, { 'x-forwarded-for': '192.0.2.2, 10.1.2.3' })).toBe(first);
  expect(await remaining(trusting, { forwarded: 'for="[2001:db8::1]:4711";proto=https' })).toBe(first);
  // What the client wrote in front of its own address.
  expect(Number(await remaining(trusting, { 'x-forwarded-for': '198.51.100.9, 192.0.2.1' }))).toBe(
    Number(first) - 1,
  );

  const other = await startServerProcess(['--store', newFolder()], unreachable);
  const own = Number(await remaining(other, { 'x-forwarded-for': '192.0.2.1' }));
  expect(Number(await remaining(other, { 'x-forwarded-for': '192.0.2.2' }))).toBe(own - 1);
});

test.each([
  [
    { ORIGIN_SECRET: 'a-secret-of-a-distribution' },
    [],
    1,
    'ORIGIN_SECRET is for a deployment behind CloudFront',
  ],
  [{ TRUST_PROXY: 'proxy' }, [], 1, 'TRUST_PROXY'],
  [{}, ['--host', 'nas'], 2, '--host must be an IP address of this machine'],
  [{}, ['--fault', 'nonsense'], 1, '--fault: Bad fault "nonsense". Allowed: '],
  [{}, ['--live', '--simulated'], 2, '--live and --simulated exclude each other'],
  [{}, ['--chain=local'], 2, '--chain=local is of the emulator: npm start -- --lambda --chain=local\n'],
  [{}, ['--sotre', 'x'], 2, "Unknown option '--sotre'\nSee npm start -- --help"],
])('%o %o is refused with the reason', async (env, args, status, text) => {
  const { child, printed, closed } = spawnServer(args, {
    ...unreachable,
    ...(env as Record<string, string>),
  });
  await closed;
  expect(child.exitCode).toBe(status);
  expect(printed.err).toContain(text);
});

test.each([
  ['2s', 'is answered', 200],
  ['7s', 'is cut off after five seconds', undefined],
])('at SIGTERM a request that takes another %s %s', async (latency, _what, status) => {
  const { environment, provider } = await sources();
  const server = await startServerProcess(['--no-store'], environment);
  await expect.poll(async () => (await get(server.url + TICKER)).status, { timeout: 60_000 }).toBe(200);
  provider.setFault(`latency=${latency}`);
  const answering = get(`${server.url}/api/marketdata/ticker/eth-ethereum`).catch(() => undefined);
  await expect.poll(() => provider.calls.byPath['/tickers/eth-ethereum']).toBe(1);

  const begunAt = performance.now();
  const ended = server.end();
  await expect.poll(() => get(`${server.url}/healthz`).catch(() => 'refused')).toBe('refused');
  expect((await answering)?.status).toBe(status);
  expect(await ended).toBe(0);
  expect(performance.now() - begunAt).toBeLessThan(6_500);
});

test('with --no-store nothing is kept, and each answer comes from the sources', async () => {
  const { environment, provider } = await sources();
  const server = await startServerProcess(['--no-store'], environment);
  await expect.poll(async () => (await get(server.url + TICKER)).status, { timeout: 60_000 }).toBe(200);
  expect(provider.calls.byPath).toHaveProperty(['/tickers/btc-bitcoin']);
  expect(await server.end()).toBe(0);
});

test('simulated prices say so, have a past, and never come into the folder of real ones', async () => {
  const folder = newFolder();
  const server = await startServerProcess(['--simulated', '--store', folder]);
  await untilPriced(server);
  await expect.poll(async () => (await get(server.url + TICKER)).status, { timeout: 60_000 }).toBe(200);
  expect(server.printed.out).toContain('SIMULATED, these are not real prices\n');
  const { json } = await get(`${server.url}/api/marketdata/ohlcv/btc-bitcoin?interval=24h&limit=300`);
  // Soon after midnight there is no price of the new day yet.
  expect([299, 300]).toContain((json.data as { count: number }).count);
  await server.end();
  expect(readdirSync(folder)).toEqual(['simulated']);
  expect(readdirSync(join(folder, 'simulated'))).toContain('server.db');
});
