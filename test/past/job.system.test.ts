import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type LocalDynamoDb, startDynamoDb } from '../../local/dynamodb.ts';
import { createKeyedTable } from '../../local/dynamodb-table.ts';
import { accessOfLambda } from '../../shared/platform/aws-requests.ts';
import { dynamoTable } from '../../shared/platform/dynamo-table.ts';
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

  it('spend nothing while the table is down', async () => {
    const { provider } = await start();
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'http://127.0.0.1:9');
    expect(await runJob()).toMatchObject({ stored: 0, left: 4, stopped: expect.any(String) });
    expect(provider.calls.total).toBe(0);
  });
});
