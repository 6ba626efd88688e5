import { randomBytes } from 'node:crypto';
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { privateKeyToAddress } from 'viem/accounts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { compileResponse } from '../../../shared/http/compile-schemas.ts';
import type { LambdaHandler } from '../../../shared/http/endpoint.ts';
import { DAY_MS } from '../../../shared/platform/time.ts';
import { respondRpc } from '../../../test/evm/node.ts';
import { call, commonHeaders, failure, refusalHeaders } from '../../../test/pipeline/event.ts';
import { startLoopback } from '../../../test/pipeline/loopback.ts';
import { type LocalSecretsManager, startSecretsManager } from '../../../test/secrets/secrets-manager.ts';
import {
  type FaucetBench,
  GRANT,
  newAddress,
  received,
  settled,
  useBench,
} from '../fixtures/faucet.testing.ts';
import { faucets } from '../networks.ts';
import { route as statusRoute } from '../status/route.ts';
import { route } from './route.ts';

let bench: FaucetBench;
let request: LambdaHandler;
let status: LambdaHandler;
useBench((opened) => {
  bench = opened;
});

const environment = () => ({
  NODE_ENV: 'test',
  SHARED_TABLE: 'faucet-test',
  ...bench.chain.environment,
  ...bench.dynamoDb.environment,
});
/** Whether the handlers have read another environment than that of the next test. */
let isStale = true;
beforeEach(async () => {
  for (const [name, value] of Object.entries(environment())) vi.stubEnv(name, value);
  if (isStale) await coldStart();
  isStale = false;
});
afterEach(() => {
  vi.unstubAllEnvs();
});

async function coldStart(): Promise<void> {
  isStale = true;
  vi.resetModules();
  ({ handler: request } = await import('./handler.ts'));
  ({ handler: status } = await import('../status/handler.ts'));
}

const newClient = () => `10.${[...randomBytes(3)].join('.')}`;
const ask = (body: Record<string, unknown>) =>
  call(request, { method: 'POST', body: JSON.stringify(body), sourceIp: newClient() });
const statusOf = (requestId: string) => call(status, { pathParameters: { requestId } });
const configuration = {
  status: 500,
  headers: refusalHeaders(10),
  body: failure('Server configuration error'),
};

describe('a request', () => {
  it('is granted, and its status can be read', async () => {
    const before = await bench.mined();

    const answer = await ask({ address: newAddress().toLowerCase(), network: 'local' });
    const { data } = answer.body as { data: { requestId: string } };
    await settled(bench, before + 1);
    vi.stubEnv('LOCAL_FAUCET_KEY', ''); // the status needs no key
    const later = await statusOf(data.requestId);

    expect(answer).toMatchObject({ status: 200, headers: commonHeaders(10) });
    expect(compileResponse(route.response)(data)).toEqual([]);
    expect(later).toEqual({
      status: 200,
      headers: { ...commonHeaders(100), 'cache-control': 'no-store' },
      body: { success: true, data: { ...data, status: 'confirmed', confirmations: 1 } },
    });
    expect(compileResponse(statusRoute.response)((later.body as { data: unknown }).data)).toEqual([]);
  });

  it.each([
    [
      { address: newAddress(), network: 'mainnet' },
      'Invalid parameter network: "mainnet"; allowed: sepolia, local',
    ],
    [
      { address: '0x1', network: 'local' },
      'Invalid parameter address: "0x1"; allowed: an address: 0x and 40 hexadecimal digits',
    ],
    [
      { address: `0x${'0'.repeat(40)}`, network: 'local' },
      `Invalid parameter address: "0x${'0'.repeat(40)}"; allowed: an address other than the zero address`,
    ],
  ])('that is invalid is a 400: %j', async (body, text) => {
    expect(await ask(body)).toEqual({ status: 400, headers: refusalHeaders(10), body: failure(text) });
  });

  it('for a network without a key is a 400 that lists the networks with a faucet', async () => {
    vi.stubEnv('SEPOLIA_RPC_URL', 'http://127.0.0.1:9');

    expect(await ask({ address: newAddress(), network: 'sepolia' })).toMatchObject({
      status: 400,
      body: failure(
        'Invalid parameter network: "sepolia"; allowed: local (the networks that have a faucet here)',
      ),
    });
  });

  it.each(['LOCAL_RPC_URL', 'LOCAL_FAUCET_KEY', 'SHARED_TABLE'])(
    'without %s is a 500 that does not name it',
    async (name) => {
      vi.stubEnv(name, '');
      await coldStart();

      expect(await ask({ address: newAddress(), network: 'local' })).toEqual(configuration);
    },
  );

  it('to a node of another network is a 500, and nothing is granted', async () => {
    const node = await startLoopback(respondRpc(() => ({ result: '0x1' })));
    const address = newAddress();
    vi.stubEnv('LOCAL_RPC_URL', node.url);
    await coldStart();

    expect(await ask({ address, network: 'local' })).toEqual(configuration);
    vi.stubEnv('LOCAL_RPC_URL', bench.chain.url);
    expect(await ask({ address, network: 'local' })).toMatchObject({ status: 200 });
    await node.close();
  });

  it('without its table is a 503, and nothing is sent', async () => {
    const before = await bench.mined();
    const address = newAddress();
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'http://127.0.0.1:9');
    await coldStart();

    expect(await ask({ address, network: 'local' })).toMatchObject({
      status: 503,
      body: failure('The faucet is not available at the moment; try again later'),
    });
    expect(await bench.mined()).toBe(before);
  });
});

describe('an Idempotency-Key', () => {
  const newKey = () => randomBytes(16).toString('hex');
  const bodyFor = (address: string, network = 'local') => JSON.stringify({ address, network });
  const askWith = (key: string, body: string, sourceIp: string, instance = request) =>
    call(instance, { method: 'POST', body, headers: { 'Idempotency-Key': key }, sourceIp });
  let address = newAddress();
  let key = newKey();
  let client = newClient();
  let before = 0;
  beforeEach(async () => {
    address = newAddress();
    key = newKey();
    client = newClient();
    before = await bench.mined();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('gives equivalent bodies the same response from any instance, and one transfer', async () => {
    const first = await askWith(key, bodyFor(address), client);
    await settled(bench, before + 1);
    await coldStart();
    const equivalent = `{ "network": "local",\n  "address": "${address.toLowerCase()}" }`;
    const again = await askWith(key, equivalent, client);

    expect(first).toMatchObject({ status: 200, body: { data: { status: 'pending' } } });
    expect(again).toMatchObject({ status: 200, body: first.body });
    expect(await bench.mined()).toBe(before + 1);
    expect(await received(bench, address)).toBe(GRANT);
  });

  it('with another address or network is a 422', async () => {
    vi.stubEnv('SEPOLIA_RPC_URL', 'http://127.0.0.1:9');
    vi.stubEnv(faucets.sepolia.keySecret, bench.key);
    await askWith(key, bodyFor(address), client);

    expect(await askWith(key, bodyFor(newAddress()), client)).toMatchObject({
      status: 422,
      headers: { 'cache-control': 'no-store' },
      body: failure('This Idempotency-Key was used with other input; use a new one'),
    });
    expect(await askWith(key, bodyFor(address, 'sepolia'), client)).toMatchObject({ status: 422 });
    await settled(bench, before + 1);
  });

  it('of another client is a different key', async () => {
    await askWith(key, bodyFor(address), client);

    expect(await askWith(key, bodyFor(newAddress()), newClient())).toMatchObject({ status: 200 });
    expect(await askWith(key, bodyFor(address), newClient())).toMatchObject({ status: 429 });
    await settled(bench, before + 2);
  });

  it('is forgotten after 24 hours, and not before', async () => {
    const start = Date.now();
    const at = (now: number) => vi.useFakeTimers({ toFake: ['Date'], now });
    at(start);
    const first = await askWith(key, bodyFor(address), client);
    at(start + DAY_MS - 5_000);
    expect((await askWith(key, bodyFor(address), client)).body).toEqual(first.body);
    at(start + DAY_MS + 5_000);
    const second = await askWith(key, bodyFor(address), client);

    expect(second.status).toBe(200);
    expect(second.body).not.toEqual(first.body);
    await settled(bench, before + 2);
    expect(await received(bench, address)).toBe(2n * GRANT);
  });

  it('is not in the table, and neither is its client', async () => {
    await askWith(key, bodyFor(address), client);

    const { url, environment } = bench.dynamoDb;
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
    const table = new DynamoDBClient({ endpoint: url, region: environment.AWS_REGION, credentials });
    const rows = JSON.stringify(await table.send(new ScanCommand({ TableName: 'faucet-test' })));
    table.destroy();

    expect(rows).toContain(address.toLowerCase());
    expect(rows).not.toContain(key);
    expect(rows).not.toContain(client);
    await settled(bench, before + 1);
  });
});

describe('fetched secrets', () => {
  let manager: LocalSecretsManager;
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { LOCAL_RPC_URL: url = '', LOCAL_FAUCET_KEY: key = '' } = bench.chain.environment;
    manager = await startSecretsManager({ url, key });
    for (const [name, value] of Object.entries(manager.environment)) vi.stubEnv(name, value);
    vi.stubEnv('LOCAL_RPC_URL', 'secretsmanager:url');
    vi.stubEnv('LOCAL_FAUCET_KEY', 'secretsmanager:key');
  });
  afterEach(async () => {
    vi.useRealTimers();
    await manager.close();
  });
  const changeTaken = () => vi.setSystemTime(Date.now() + 5 * 60_000);
  const senderOf = async (answer: Awaited<ReturnType<typeof ask>>) => {
    const { data } = answer.body as { data: { txHash: string } };
    const transaction = await bench.chain.rpc('eth_getTransactionByHash', [data.txHash]);
    const { from, nonce } = transaction as { from: string; nonce: string }; // as specified
    return [from, Number(nonce)];
  };

  it('may change while a container runs: the next grant is from the new account, with its own nonces', async () => {
    const key = `0x${randomBytes(32).toString('hex')}` as const;
    const account = privateKeyToAddress(key).toLowerCase();
    await bench.chain.rpc('anvil_setBalance', [account, `0x${(100n * GRANT).toString(16)}`]);
    await coldStart();
    const nonce = await bench.mined();

    const before = await ask({ address: newAddress(), network: 'local' });
    manager.secrets.set('key', key);
    const meanwhile = await ask({ address: newAddress(), network: 'local' });
    changeTaken();
    const after = await ask({ address: newAddress(), network: 'local' });
    const again = await ask({ address: newAddress(), network: 'local' });

    expect(await senderOf(before)).toEqual([bench.account.toLowerCase(), nonce]);
    expect(await senderOf(meanwhile)).toEqual([bench.account.toLowerCase(), nonce + 1]);
    expect(await senderOf(after)).toEqual([account, 0]);
    expect(await senderOf(again)).toEqual([account, 1]);
  });
});

it('the status of an unknown request is a 404', async () => {
  const unknown = crypto.randomUUID();

  expect(await statusOf(unknown)).toMatchObject({
    status: 404,
    body: failure(`No such faucet request: ${unknown}`),
  });
});

describe('the key', () => {
  it('is in no response and no log, even if the node returns it', async () => {
    const { key } = bench;
    const written: string[] = [];
    for (const stream of [process.stdout, process.stderr]) {
      vi.spyOn(stream, 'write').mockImplementation((chunk) => {
        written.push(String(chunk));
        return true;
      });
    }
    vi.stubEnv('NODE_ENV', 'development');
    const node = await startLoopback(
      respondRpc(({ method }) => {
        const error = { code: -32000, message: `key ${key} and ${key.slice(2)}` };
        return method === 'eth_chainId' ? { result: '0x7a69' } : { error };
      }),
    );
    vi.stubEnv('LOCAL_RPC_URL', node.url);
    await coldStart();

    const answer = await ask({ address: newAddress(), network: 'local' });
    vi.stubEnv('LOCAL_FAUCET_KEY', `${key}0`);
    const bad = await ask({ address: newAddress(), network: 'local' });
    vi.restoreAllMocks();
    await node.close();

    expect(answer).toMatchObject({ status: 502, body: failure('The local node failed (error -32000)') });
    expect(bad).toMatchObject({ status: 500 });
    expect(written.join('')).toMatch(/"level":"ERROR"/);
    expect(JSON.stringify([answer, bad]) + written.join('')).not.toContain(key.slice(2, 34));
  });
});
