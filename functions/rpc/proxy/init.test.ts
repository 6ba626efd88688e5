import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LambdaHandler } from '../../../shared/http/endpoint.ts';
import { respondRpc } from '../../../test/evm/node.ts';
import { call, failure } from '../../../test/pipeline/event.ts';
import { type Loopback, respond, startLoopback } from '../../../test/pipeline/loopback.ts';
import { type LocalSecretsManager, startSecretsManager } from '../../../test/secrets/secrets-manager.ts';

const SECRET = 'marketdata/local-rpc-url';

let node: Loopback;
let manager: LocalSecretsManager;
let methods: string[];
let handler: LambdaHandler;
const nodeOf = (chainId: string) =>
  respondRpc(({ method }) => {
    methods.push(method);
    return { result: method === 'eth_chainId' ? chainId : '0x10' };
  });

beforeEach(async () => {
  methods = [];
  node = await startLoopback(nodeOf('0x7a69'));
  manager = await startSecretsManager({ [SECRET]: node.url });
  for (const [name, value] of Object.entries(manager.environment)) vi.stubEnv(name, value);
  vi.stubEnv('NODE_ENV', 'test');
  vi.stubEnv('LOCAL_RPC_URL', `secretsmanager:${SECRET}`);
});
afterEach(async () => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  await Promise.all([manager.close(), node.close()]);
});

/** Waits for the work before the first request, without a time limit. */
async function coldStart(): Promise<void> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  await start();
  vi.useRealTimers();
}
async function start(): Promise<void> {
  vi.resetModules();
  ({ handler } = await import('./handler.ts'));
}
const ask = () =>
  call(handler, {
    method: 'POST',
    pathParameters: { chain: 'local' },
    body: JSON.stringify({ method: 'eth_blockNumber' }),
  });

describe('before the first request', () => {
  it('the secret is fetched and the node’s chain checked, so that the request is one call on an open connection', async () => {
    await coldStart();
    expect([manager.asked, methods]).toEqual([[SECRET], ['eth_chainId']]);

    expect(await ask()).toMatchObject({ status: 200, body: { data: '0x10' } });
    expect([manager.asked, methods]).toEqual([[SECRET], ['eth_chainId', 'eth_blockNumber']]);
    expect(node.connections).toBe(1);
  });

  it('nothing is fetched if no chain is configured', async () => {
    vi.stubEnv('LOCAL_RPC_URL', '');
    await coldStart();
    expect([manager.asked, methods]).toEqual([[], []]);
  });
});

describe('a node that is unusable before the first request', () => {
  it('is checked again by the request if it failed', async () => {
    node.answer(respond(503, {}, ''));
    await coldStart();
    node.answer(nodeOf('0x7a69'));

    expect(await ask()).toMatchObject({ status: 200 });
    expect(methods).toEqual(['eth_chainId', 'eth_blockNumber']);
  });

  it('does not delay the start if it is silent', async () => {
    const waiting: ServerResponse[] = [];
    node.answer((_request, response) => waiting.push(response));
    await start();
    await expect.poll(() => waiting.map(({ destroyed }) => destroyed)).toEqual([false]);
    node.answer(nodeOf('0x7a69'));

    expect(await ask()).toMatchObject({ status: 200 });
  });

  it('is a 500 of each request if it belongs to another chain', async () => {
    node.answer(nodeOf('0x1'));
    await coldStart();

    expect(await ask()).toMatchObject({ status: 500, body: failure('Server configuration error') });
  });

  it('is a 500 of each request if its secret cannot be read', async () => {
    vi.stubEnv('LOCAL_RPC_URL', 'secretsmanager:no-such-secret');
    await coldStart();

    expect(await ask()).toMatchObject({ status: 500 });
    expect(methods).toEqual([]);
  });
});
