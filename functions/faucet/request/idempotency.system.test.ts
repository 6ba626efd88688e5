import { randomBytes } from 'node:crypto';
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LocalChain } from '../../../local/evm/index.ts';
import type { LambdaHandler } from '../../../shared/http/endpoint.ts';
import { type SharedTable, TableUnavailable } from '../../../shared/platform/table.ts';
import { soon } from '../../../test/evm/node.ts';
import { type Answer, contextOf, eventOf, failure } from '../../../test/pipeline/event.ts';
import { type FaucetBench, GRANT, newAddress, received, settled, useBench } from '../fixtures/faucet.ts';
import { grantOnce } from '../logic/grant-once.ts';
import { findGrant } from '../logic/grants.ts';
import { faucets } from '../networks.ts';
import { route } from './route.ts';

const TABLE = 'faucet-test';
const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
const DAY_MS = 86_400_000;
/** A dead instance's lease is over by then. */
const LEASE_MS = 30_000;

let chain: LocalChain;
let bench: FaucetBench;
useBench((opened) => {
  ({ chain, bench } = opened);
});

let before = 0;
let handler: LambdaHandler;
beforeEach(async () => {
  const environment = { ...chain.environment, ...bench.dynamoDb.environment };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  vi.stubEnv('NODE_ENV', 'test');
  vi.stubEnv('SHARED_TABLE', TABLE);
  before = await bench.mined();
  handler = await newInstance();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

async function newInstance(): Promise<LambdaHandler> {
  vi.resetModules();
  return (await import('./handler.ts')).handler;
}

const newKey = () => randomBytes(16).toString('hex');
const newClient = () => `10.${[...randomBytes(3)].join('.')}`;
const bodyFor = (address: string) => JSON.stringify({ address, network: 'local' });

interface Request {
  readonly key?: string;
  readonly client?: string;
  readonly body: string;
  readonly instance?: LambdaHandler;
}

/** One request; the answer's body is the text as it was sent. */
async function ask({
  key,
  client = newClient(),
  body,
  instance = handler,
}: Request): Promise<Answer & { readonly body: string }> {
  const headers: Record<string, string> = key === undefined ? {} : { 'Idempotency-Key': key };
  const event = eventOf({ method: 'POST', body, headers, sourceIp: client });
  const {
    statusCode = 0,
    headers: answered = {},
    body: text = '',
  } = await instance(event, contextOf(25_000));
  return { status: statusCode, headers: answered, body: text };
}

const passed = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });

describe('the same key', () => {
  it('and body give the same answer, byte for byte, from any instance, and one transfer', async () => {
    const [address, key, client] = [newAddress(), newKey(), newClient()];

    const first = await ask({ key, client, body: bodyFor(address) });
    await settled(bench, before + 1);
    const again = await ask({ key, client, body: bodyFor(address) });
    const elsewhere = await ask({ key, client, body: bodyFor(address), instance: await newInstance() });

    expect(first).toMatchObject({ status: 200, body: expect.stringContaining('"status":"pending"') });
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect([elsewhere.status, elsewhere.body]).toEqual([200, first.body]);
    expect(await bench.mined()).toBe(before + 1);
    expect(await received(chain, address)).toBe(GRANT);
  });

  it('and the same input in other words are the same request', async () => {
    const [address, key, client] = [newAddress(), newKey(), newClient()];

    const first = await ask({ key, client, body: bodyFor(address) });
    const body = `{ "network": "local",\n  "address": "${address.toLowerCase()}" }`;
    const again = await ask({ key, client, body });

    expect([again.status, again.body]).toEqual([200, first.body]);
    await settled(bench, before + 1);
  });

  it('and another address or network are a 422', async () => {
    vi.stubEnv('SEPOLIA_RPC_URL', 'http://127.0.0.1:9');
    vi.stubEnv(faucets.sepolia.keySecret, `0x${randomBytes(32).toString('hex')}`);
    handler = await newInstance();
    const [address, key, client] = [newAddress(), newKey(), newClient()];
    await ask({ key, client, body: bodyFor(address) });

    for (const body of [bodyFor(newAddress()), JSON.stringify({ address, network: 'sepolia' })]) {
      const other = await ask({ key, client, body });

      expect(other).toMatchObject({ status: 422, headers: { 'cache-control': 'no-store' } });
      expect(JSON.parse(other.body)).toEqual(
        failure('This Idempotency-Key was used with other input; use a new one'),
      );
    }
    await settled(bench, before + 1);
  });

  it('of another client is another key', async () => {
    const [address, key] = [newAddress(), newKey()];
    await ask({ key, body: bodyFor(address) });

    expect(await ask({ key, body: bodyFor(newAddress()) })).toMatchObject({ status: 200 });
    expect(await ask({ key, body: bodyFor(address) })).toMatchObject({ status: 429 });
    await settled(bench, before + 2);
  });

  it('is forgotten after 24 hours, and not before', async () => {
    const [address, key, client] = [newAddress(), newKey(), newClient()];
    passed(0); // from here on the clock stands still
    const first = await ask({ key, client, body: bodyFor(address) });

    passed(DAY_MS - 5_000);
    expect((await ask({ key, client, body: bodyFor(address) })).body).toBe(first.body);
    passed(10_000);
    const second = await ask({ key, client, body: bodyFor(address) });

    expect(second.status).toBe(200);
    expect(second.body).not.toBe(first.body);
    await settled(bench, before + 2);
    expect(await received(chain, address)).toBe(2n * GRANT);
  });

  it('at the same time through four instances is one transfer', async () => {
    const [address, key, client] = [newAddress(), newKey(), newClient()];
    const instances: LambdaHandler[] = [];
    for (let count = 0; count < 4; count += 1) instances.push(await newInstance());

    const answers = await Promise.all(
      [...instances, ...instances, ...instances].map((instance) =>
        ask({ key, client, body: bodyFor(address), instance }),
      ),
    );
    const { 200: granted = [], ...others } = Object.groupBy(answers, ({ status }) => status);
    await settled(bench, before + 1);

    expect(new Set(granted.map(({ body }) => body)).size).toBe(1);
    // On a slow machine some had to give up waiting.
    expect(Object.keys(others).filter((status) => status !== '409')).toEqual([]);
    expect(await bench.mined()).toBe(before + 1);
    expect(await received(chain, address)).toBe(GRANT);
  });
});

describe('a failure', () => {
  it('is not kept: the same key may try again', async () => {
    const [address, key, client] = [newAddress(), newKey(), newClient()];
    const balance = await chain.rpc('eth_getBalance', [bench.account, 'latest']);
    await chain.rpc('anvil_setBalance', [bench.account, '0x1']);

    const empty = await ask({ key, client, body: bodyFor(address) });
    await chain.rpc('anvil_setBalance', [bench.account, balance]);
    const filled = await ask({ key, client, body: bodyFor(address) });

    expect([empty.status, filled.status]).toEqual([503, 200]);
    await settled(bench, before + 1);
  });

  it('without its table is a 503, and nothing is sent', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'http://127.0.0.1:9');
    const instance = await newInstance();

    expect(await ask({ key: newKey(), body: bodyFor(newAddress()), instance })).toMatchObject({
      status: 503,
    });
    expect(await bench.mined()).toBe(before);
  });
});

describe('the table', () => {
  it('holds neither the key nor the client', async () => {
    const [address, key, client] = [newAddress(), newKey(), newClient()];
    await ask({ key, client, body: bodyFor(address) });

    const { url, environment } = bench.dynamoDb;
    const table = new DynamoDBClient({ endpoint: url, region: environment.AWS_REGION, credentials });
    const rows = JSON.stringify(await table.send(new ScanCommand({ TableName: TABLE })));
    table.destroy();

    expect(rows).toContain('faucet#once#');
    expect(rows).not.toContain(key);
    expect(rows).not.toContain(client);
    await settled(bench, before + 1);
  });
});

describe('an instance that dies', () => {
  class Death extends Error {}

  /** A run of the request in an instance that does `steps` things, and then nothing any more. */
  function runAndDie(steps: number, request: { readonly key: string; client: string; address: string }) {
    let left = steps;
    const mortal = bench.instance(() => {
      left -= 1;
      if (left < 0) throw new Death();
    });
    const { key, client } = request;
    const address = request.address as `0x${string}`; // of newAddress
    const once = { route: route.name, key, secret: bench.key };
    return grantOnce(mortal, { network: 'local', address, client }, once, Date.now() + 24_500).catch(
      (error: unknown) => error,
    );
  }

  it('keeps its key for as long as its function may run: a 409 that says when to try again', async () => {
    const [address, key, client] = [newAddress(), newKey(), newClient()];
    expect(await runAndDie(2, { key, client, address })).toBeInstanceOf(Death);

    const meanwhile = await ask({ key, client, body: bodyFor(address) });
    passed(LEASE_MS);
    const later = await ask({ key, client, body: bodyFor(address) });

    expect(meanwhile).toMatchObject({ status: 409, headers: { 'retry-after': '2' } });
    expect(JSON.parse(meanwhile.body)).toEqual(
      failure('The request with this Idempotency-Key is still at work; try again'),
    );
    expect(later.status).toBe(200);
    await settled(bench, before + 1);
  });

  it.each([
    ['the instance', new Death()],
    ['the table', new TableUnavailable()],
  ])(
    'or its table, after the grant was saved: the same key is answered that grant (%s)',
    async (_case, failure) => {
      const [address, key, client] = [newAddress(), newKey(), newClient()];
      const faucet = bench.instance();
      const update: SharedTable['update'] = async (row, change) => {
        if (change.update.includes('#answer = ')) throw failure;
        return faucet.table.update(row, change);
      };
      const once = { route: route.name, key, secret: bench.key };
      const request = { network: 'local', address, client } as const;
      const first = await grantOnce(
        { ...faucet, table: { ...faucet.table, update } },
        request,
        once,
        soon(),
      ).catch((error: unknown) => error);

      passed(LEASE_MS);
      const second = await ask({ key, client, body: bodyFor(address) });
      const third = await ask({ key, client, body: bodyFor(address) });

      const { success, data } = JSON.parse(second.body);
      expect([second.status, success, third.body]).toEqual([200, true, second.body]);
      if (!(first instanceof Death)) expect(data).toEqual(first);
      await settled(bench, before + 1);
      expect(await findGrant(faucet.table, data.requestId)).toMatchObject({ address, txHash: data.txHash });
      expect(await bench.mined()).toBe(before + 1);
    },
  );

  it.each(Array.from({ length: 26 }, (_, steps) => steps))(
    'after %i steps grants at most once, however often its request is repeated',
    async (steps) => {
      const [address, next, key, client] = [newAddress(), newAddress(), newKey(), newClient()];

      const first = await runAndDie(steps, { key, client, address });
      passed(LEASE_MS);
      const second = await ask({ key, client, body: bodyFor(address) });
      const third = await ask({ key, client, body: bodyFor(address) });
      // Sends what was committed.
      expect(await ask({ body: bodyFor(next) })).toMatchObject({ status: 200 });
      vi.useRealTimers();
      await vi.waitUntil(async () => (await received(chain, next)) === GRANT, {
        timeout: 15_000,
        interval: 20,
      });

      const got = await received(chain, address);
      expect(got === 0n || got === GRANT).toBe(true);
      expect(await bench.mined()).toBe(before + (got === GRANT ? 2 : 1));
      expect([200, 429]).toContain(second.status);
      expect(third.status).toBe(second.status);
      if (second.status === 200) {
        expect(got).toBe(GRANT);
        expect(third.body).toBe(second.body);
      }
      if (!(first instanceof Error)) expect(JSON.parse(second.body)).toEqual({ success: true, data: first });
    },
  );
});
