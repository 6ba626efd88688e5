import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { privateKeyToAddress } from 'viem/accounts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LocalChain } from '../../../local/evm/index.ts';
import { compileResponse } from '../../../shared/http/compile-schemas.ts';
import type { LambdaHandler } from '../../../shared/http/endpoint.ts';
import { respondRpc } from '../../../test/evm/node.ts';
import { call, commonHeaders, failure, refusalHeaders } from '../../../test/pipeline/event.ts';
import { startLoopback } from '../../../test/pipeline/loopback.ts';
import { type LocalSecretsManager, startSecretsManager } from '../../../test/secrets/secrets-manager.ts';
import { blocksByHand, type FaucetBench, GRANT, newAddress, settled, useBench } from '../fixtures/faucet.ts';
import { route as statusRoute } from '../status/route.ts';
import { route } from './route.ts';

let chain: LocalChain;
let bench: FaucetBench;
let request: LambdaHandler;
let status: LambdaHandler;
useBench((opened) => {
  ({ chain, bench } = opened);
});

const environment = () => ({
  NODE_ENV: 'test',
  SHARED_TABLE: 'faucet-test',
  ...chain.environment,
  ...bench.dynamoDb.environment,
});
beforeEach(async () => {
  for (const [name, value] of Object.entries(environment())) vi.stubEnv(name, value);
  await coldStart();
});
afterEach(() => {
  vi.unstubAllEnvs();
});

async function coldStart(): Promise<void> {
  vi.resetModules();
  ({ handler: request } = await import('./handler.ts'));
  ({ handler: status } = await import('../status/handler.ts'));
}

const ask = (body: Record<string, unknown>) => call(request, { method: 'POST', body: JSON.stringify(body) });
const statusOf = (requestId: string) => call(status, { pathParameters: { requestId } });
const configuration = {
  status: 500,
  headers: refusalHeaders(10),
  body: failure('Server configuration error'),
};

describe('a request', () => {
  it('is granted, and its status can be asked for', async () => {
    const before = await bench.mined();

    const answer = await ask({ address: newAddress().toLowerCase(), network: 'local' });
    const { data } = answer.body as { data: { requestId: string } };
    await settled(bench, before + 1);
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

  it('for an address that had its grant is a 429 with the time to wait', async () => {
    const [address, before] = [newAddress(), await bench.mined()];
    await ask({ address, network: 'local' });
    await settled(bench, before + 1);

    const second = await ask({ address, network: 'local' });

    expect(second).toMatchObject({
      status: 429,
      headers: { 'retry-after': expect.stringMatching(/^86\d{3}$/), 'cache-control': 'no-store' },
      body: failure(
        expect.stringMatching(`^${address} has had its grant on local; the next one is possible in 86`),
      ),
    });
  });

  it.each([
    [{ network: 'local' }, 'Missing required parameter: address'],
    [{ address: newAddress() }, 'Missing required parameter: network'],
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
  ])('that cannot be is a 400: %j', async (body, text) => {
    expect(await ask(body)).toEqual({ status: 400, headers: refusalHeaders(10), body: failure(text) });
  });

  it.each([{}, { SEPOLIA_RPC_URL: 'http://127.0.0.1:9' }])(
    'for a network that has no faucet here, given %j, is a 400 with those that have one',
    async (given) => {
      for (const [name, value] of Object.entries(given)) vi.stubEnv(name, value);

      expect(await ask({ address: newAddress(), network: 'sepolia' })).toEqual({
        status: 400,
        headers: refusalHeaders(10),
        body: failure(
          'Invalid parameter network: "sepolia"; allowed: local (the networks that have a faucet here)',
        ),
      });
    },
  );

  it.each(['LOCAL_RPC_URL', 'LOCAL_FAUCET_KEY', 'SHARED_TABLE'])(
    'without %s is a 500 that does not name it',
    async (name) => {
      vi.stubEnv(name, '');
      await coldStart();

      expect(await ask({ address: newAddress(), network: 'local' })).toEqual(configuration);
    },
  );

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

describe('secrets that are fetched', () => {
  let manager: LocalSecretsManager;
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { LOCAL_RPC_URL: url = '', LOCAL_FAUCET_KEY: key = '' } = chain.environment;
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
    const transaction = await chain.rpc('eth_getTransactionByHash', [data.txHash]);
    const { from, nonce } = transaction as { from: string; nonce: string }; // as specified
    return [from, Number(nonce)];
  };

  it('may change while a container runs: the next grant is of the new account, with its own nonces', async () => {
    const key = `0x${randomBytes(32).toString('hex')}` as const;
    const account = privateKeyToAddress(key).toLowerCase();
    await chain.rpc('anvil_setBalance', [account, `0x${(100n * GRANT).toString(16)}`]);
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

  it('of a wrong node’s URL are refused until it has changed', async () => {
    const node = await startLoopback(respondRpc(() => ({ result: '0x1' })));
    const url = manager.secrets.get('url') ?? '';
    manager.secrets.set('url', node.url);
    await coldStart();
    await expect.poll(() => node.requests.length).toBe(1);

    expect(await ask({ address: newAddress(), network: 'local' })).toEqual(configuration);
    manager.secrets.set('url', url);
    changeTaken();
    expect(await ask({ address: newAddress(), network: 'local' })).toMatchObject({ status: 200 });
    await node.close();
  });

  it('that are missing or no key are a 500 that does not name them', async () => {
    await coldStart();
    for (const value of ['', '0x12', '{"key":"value"}']) {
      manager.secrets.set('key', value);
      changeTaken();
      expect(await ask({ address: newAddress(), network: 'local' })).toEqual({
        ...configuration,
        headers: expect.anything(),
      });
    }
  });
});

describe('the status', () => {
  it.each([
    ['with the key replaces', true],
    ['without the key leaves', false],
  ])('%s a transfer that is stuck', async (_case, replaced) => {
    const blocks = await blocksByHand(chain);
    const asked = { method: 'POST', body: JSON.stringify({ address: newAddress(), network: 'local' }) };
    const { body } = await call(request, { ...asked, sourceIp: '10.0.0.93' });
    const { data: granted } = body as { data: { requestId: string; txHash: string } };
    await blocks.setBaseFee(100);
    if (!replaced) vi.stubEnv('LOCAL_FAUCET_KEY', '');

    const answer = await statusOf(granted.requestId);
    await blocks.end();

    const { data } = answer.body as { data: { txHash: string } };
    expect(answer).toMatchObject({ status: 200, body: { data: { ...granted, txHash: data.txHash } } });
    expect(data.txHash !== granted.txHash).toBe(replaced);
    expect(await statusOf(granted.requestId)).toMatchObject({
      body: { data: { status: 'confirmed', txHash: data.txHash } },
    });
  });

  it('of an unknown request is a 404, of no request id a 400', async () => {
    const unknown = crypto.randomUUID();

    expect(await statusOf(unknown)).toMatchObject({
      status: 404,
      body: failure(`No such faucet request: ${unknown}`),
    });
    expect(await statusOf('1')).toMatchObject({
      status: 400,
      body: failure(
        'Invalid parameter requestId: "1"; allowed: a request id as /api/faucet/request answered it',
      ),
    });
  });
});

describe('the key', () => {
  it('is in no answer and no log, whatever the node says', async () => {
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

  it('refuses a network whose node said at the start that it is another’s, without asking it again', async () => {
    let closed: Promise<unknown> | undefined;
    const node = await startLoopback((request, response) => {
      response.setHeader('connection', 'close'); // whereupon it is closed when the answer was read
      closed ??= once(request.socket, 'close');
      respondRpc(() => ({ result: '0x1' }))(request, response);
    });
    vi.stubEnv('LOCAL_RPC_URL', node.url);
    await coldStart();
    await expect.poll(() => closed).toBeDefined();
    await closed;

    expect(await ask({ address: newAddress(), network: 'local' })).toEqual(configuration);
    expect(node.requests).toHaveLength(1);
    await node.close();
  });
});
