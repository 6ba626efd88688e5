import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type LocalDynamoDb, startDynamoDb } from '../../local/dynamodb.ts';
import { createKeyedTable } from '../../local/dynamodb-table.ts';
import { accessOfLambda } from '../../shared/platform/aws-requests.ts';
import { dynamoTable } from '../../shared/platform/dynamo-table.ts';
import { jobScript } from '../job-script.ts';
import { coinsOf, NOON, runJob, startWorld, type World } from './world.ts';

let world: World;
afterEach(async () => {
  vi.useRealTimers();
  await world.close();
});

// On a busy machine the table may be late, and then a run rightly asks for nothing more: these wait for it.
const guard = '../../shared/coordination/guarded-table.ts';
const client = '../../shared/platform/dynamo-table.ts';
const PATIENCE_MS = 15_000;

async function patientGuard(original: () => Promise<unknown>) {
  const { guardedTable } = (await original()) as typeof import('../../shared/coordination/guarded-table.ts'); // it is that
  const patience = { timeoutMs: PATIENCE_MS, firstTimeoutMs: PATIENCE_MS };
  return { guardedTable: (open: Parameters<typeof guardedTable>[0]) => guardedTable(open, patience) };
}

function patientTable(name: string) {
  return dynamoTable(name, { ...accessOfLambda('dynamodb'), timeoutMs: PATIENCE_MS });
}

describe('runs that share a table', () => {
  let server: LocalDynamoDb | undefined;
  let tables = 0;
  afterAll(() => server?.close());
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOON });
    vi.doMock(guard, patientGuard);
    vi.doMock(client, () => ({ dynamoTable: patientTable }));
  });
  afterEach(() => {
    vi.doUnmock(guard);
    vi.doUnmock(client);
    vi.resetModules(); // those that use them
  });

  async function start(options: Parameters<typeof startWorld>[0] = {}) {
    world = await startWorld({ plan: 'paid', ...options });
    server ??= await startDynamoDb();
    tables += 1;
    const name = `past-${tables}`;
    await createKeyedTable(server, name);
    vi.stubEnv('SHARED_TABLE', name);
    for (const [variable, value] of Object.entries(server.environment)) vi.stubEnv(variable, value);
    const table = patientTable(name);
    return { ...world, table };
  }

  it('at once spend no more than the leftovers of the budget', async () => {
    const { provider, table } = await start({ coins: coinsOf(40) });
    vi.stubEnv('UPSTREAM_MONTHLY_BUDGET', '1200');

    const runs = await Promise.all([runJob(), runJob(), runJob()]);
    // Half of four fifths of the 40 that a day of November has.
    expect(provider.calls.total).toBe(15);
    expect(runs.every(({ stopped }) => stopped?.includes("the service's upstream budget"))).toBe(true);
    expect(await table.get('coinpaprika#quota#2026-11')).toMatchObject({ d21: 15, e21: 15 });
  });

  it('ask nobody while all leave a failing provider alone', async () => {
    const { provider } = await start({ coins: coinsOf(9) });
    provider.setFault('status=500');
    vi.resetModules();
    const { handler } = await import('../../functions/marketdata/jobs/past/handler.ts');
    await handler();
    provider.calls.reset();

    expect(await handler()).toMatchObject({ provider: { stored: 0, stopped: expect.any(String) } });
    expect(provider.calls.total).toBe(0);
  });

  it('spend nothing while the table is down', async () => {
    const { provider } = await start();
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'http://127.0.0.1:9');
    expect(await runJob()).toMatchObject({ stored: 0, left: 4, stopped: expect.any(String) });
    expect(provider.calls.total).toBe(0);
  });
});

describe('a run that is killed', { timeout: 60_000 }, () => {
  const COINS = 28;
  const clock = join(import.meta.dirname, '../client/fixed-clock.mjs');
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOON });
  });

  /** As a process of its own; resolves when it has ended. */
  async function startRun() {
    const script = await jobScript('past');
    const child = spawn(process.execPath, ['--import', clock, '--input-type=module', '-'], {
      env: {
        ...process.env,
        ...Object.fromEntries(Object.entries(world.environment).filter(([, value]) => value !== undefined)),
        FIXED_TIME: new Date(NOON).toISOString(),
        UPSTREAM_MONTHLY_BUDGET: '999999999',
        NODE_OPTIONS: '--no-warnings',
      },
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    child.stdin?.end(script);
    return { child, ended: once(child, 'exit') };
  }

  const puts = () => world.s3.requests.filter((request) => request.startsWith('PUT')).length;

  // The first coins, the last ones before the note is written, that, and the last ones of all.
  it.each([1, 2, 25, 26, 27, 29])('at its PUT number %i has lost nothing', async (nth) => {
    world = await startWorld({ coins: coinsOf(COINS), plan: 'paid' });
    world.s3.delayMs = 3;
    const { child, ended } = await startRun();
    while (puts() < nth && child.exitCode === null) await sleep(1);
    child.kill('SIGKILL');
    await ended;
    await fetch(world.s3.url); // what the process had sent is stored before this is answered
    const stored = [...world.s3.objects.keys()].filter((path) => path.includes('/coins.')).length;
    world.provider.calls.reset();

    vi.stubEnv('UPSTREAM_MONTHLY_BUDGET', '999999999');
    expect(await runJob()).toMatchObject({ left: 0, failed: 0 });
    // What is stored is not asked for again, noted or not. Of the others the days and, for want of samples, the ticker.
    expect(world.provider.calls.total).toBe(2 * (COINS - stored));
    expect(world.note().size).toBe(COINS);
    for (let n = 1; n <= COINS; n += 1) expect((await world.daily(`coin-${n}`))?.candles).toHaveLength(365);
  });
});
