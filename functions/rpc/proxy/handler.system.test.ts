import type { Hex } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type LocalChain, startLocalChain } from '../../../local/evm/index.ts';
import { DEPLOYER } from '../../../local/evm/json-rpc.ts';
import { contracts } from '../../../local/evm/uniswap/deploy.ts';
import type { LambdaHandler } from '../../../shared/http/endpoint.ts';
import { type RpcCall, respondRpc } from '../../../test/evm/node.ts';
import { revertingCode } from '../../../test/evm/reverting-code.ts';
import { call, commonHeaders, failure, refusalHeaders } from '../../../test/pipeline/event.ts';
import { type Loopback, startLoopback } from '../../../test/pipeline/loopback.ts';

const { alpha } = contracts;
const KEY = 'k3y-of-the-provider';

let chain: LocalChain;
let handler: LambdaHandler;
let node: Loopback | undefined;
beforeAll(async () => {
  chain = await startLocalChain();
  serve(`${chain.url}/?key=${KEY}`);
  vi.resetModules();
  ({ handler } = await import('./handler.ts'));
});
afterAll(() => chain.close());
beforeEach(() => serve(`${chain.url}/?key=${KEY}`));
afterEach(async () => {
  vi.unstubAllEnvs();
  await node?.close();
  node = undefined;
});

function serve(urls: string): void {
  vi.stubEnv('NODE_ENV', 'test');
  vi.stubEnv('LOCAL_RPC_URL', urls);
}

/** Serves a node of the local chain that answers everything but the chain's id with `answer`. */
async function serveNode(answer: (rpc: RpcCall) => object): Promise<Loopback> {
  const ofChain = ({ method }: RpcCall) => (method === 'eth_chainId' ? { result: '0x7a69' } : undefined);
  node = await startLoopback(respondRpc((rpc) => ofChain(rpc) ?? answer(rpc)));
  serve(`${node.url}/${KEY}`);
  return node;
}

let clients = 0;
/** Sends as a new client each time, because each has a limit. */
function send(body: string, name = 'local') {
  clients += 1;
  return call(handler, {
    method: 'POST',
    path: `/api/rpc/${name}`,
    pathParameters: { chain: name },
    body,
    sourceIp: `10.0.${clients >> 8}.${clients & 255}`,
  });
}
const ask = (method: unknown, params?: unknown, name?: string) =>
  send(JSON.stringify({ method, params }), name);

describe('a read', () => {
  const transfer = `0xa9059cbb${DEPLOYER.slice(2).padStart(64, '0')}${'1'.padStart(64, '0')}`;
  it.each([
    ['eth_chainId', undefined],
    ['eth_getBalance', [DEPLOYER, 'latest']],
    ['eth_getBlockByNumber', ['0x1', true]],
    ['eth_getTransactionByHash', [`0x${'0'.repeat(64)}`]],
    ['eth_call', [{ to: alpha, data: '0x18160ddd' }, 'latest']],
    ['eth_estimateGas', [{ from: DEPLOYER, to: alpha, data: transfer }]],
    ['eth_feeHistory', ['0x2', 'latest', [50]]],
    ['eth_syncing', []],
    ['eth_createAccessList', [{ from: DEPLOYER, to: alpha, data: transfer }, 'latest']],
  ])('%s returns the result of the node', async (method, params) => {
    expect(await ask(method, params)).toEqual({
      status: 200,
      headers: commonHeaders(10),
      body: { success: true, data: await chain.rpc(method, params) },
    });
  });

  it('of a simulation returns the result of the node', async () => {
    const simulated = [{ blockStateCalls: [{ calls: [{ from: DEPLOYER, to: alpha, data: transfer }] }] }];

    expect(await ask('eth_simulateV1', simulated)).toMatchObject({
      status: 200,
      body: { data: [{ calls: [{ status: '0x1', returnData: `0x${'1'.padStart(64, '0')}` }] }] },
    });
  });

  it.each(['1', 1.5, null])('may have the id %j', async (id) => {
    const answer = await send(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_chainId' }));
    expect(answer).toMatchObject({ status: 200 });
  });

  it('of logs returns the result of the node, with any notation of blocks', async () => {
    const filter = { address: alpha };
    const range = { fromBlock: '0x0', toBlock: '0x2' };
    const expected = (await chain.rpc('eth_getLogs', [{ ...filter, ...range }])) as { topics: string[] }[];
    const { hash } = (await chain.rpc('eth_getBlockByNumber', ['0x2', false])) as { hash: string };

    expect(expected).not.toEqual([]);
    for (const blocks of [range, { fromBlock: 'earliest', toBlock: 'latest' }, { fromBlock: 'earliest' }]) {
      expect(await ask('eth_getLogs', [{ ...filter, ...blocks }])).toMatchObject({
        body: { data: expected },
      });
    }
    for (const other of [
      { ...filter, blockHash: hash },
      { ...range, topics: [expected[0]?.topics] },
    ]) {
      const data = await chain.rpc('eth_getLogs', [other]);
      expect(await ask('eth_getLogs', [other])).toMatchObject({ body: { data } });
    }
  });
});

describe('a refusal', () => {
  it.each(['eth_sendRawTransaction', 'eth_newFilter', 'debug_traceTransaction', 'ETH_CALL', '__proto__'])(
    'is a 403 for the method %s',
    async (method) => {
      expect(await ask(method, [])).toEqual({
        status: 403,
        headers: refusalHeaders(10),
        body: failure(`Method not allowed: ${method}`),
      });
    },
  );

  const deep = `{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
  it.each([
    ['no method', '{}', 'Missing required parameter: method'],
    [
      'a method that is not a string',
      '{"method":1}',
      'Invalid parameter method: 1; allowed: a JSON-RPC method such as eth_blockNumber',
    ],
    [
      'params that are not a list',
      '{"method":"eth_call","params":{"a":1}}',
      'Invalid parameter params: {"a":1}; allowed: the method’s parameters as a list',
    ],
    [
      'an id that is neither a string nor a number',
      '{"id":{},"method":"eth_call"}',
      'Invalid parameter id: {}; allowed: a JSON-RPC id, a text or a number; not repeated in the response',
    ],
    [
      'another version',
      '{"jsonrpc":"1.0","method":"eth_call"}',
      'Invalid parameter jsonrpc: "1.0"; allowed: 2.0',
    ],
    [
      'params that are not a list, nested deeper than JSON.stringify reaches',
      `{"method":"eth_call","params":${deep}}`,
      'Invalid parameter params: a value nested too deeply; allowed: the method’s parameters as a list',
    ],
    ['a batch', '[{"method":"eth_chainId"}]', 'Request body must be a JSON object, such as {"name":"value"}'],
  ])('is a 400 for %s', async (_what, body, error) => {
    expect(await send(body)).toEqual({ status: 400, headers: refusalHeaders(10), body: failure(error) });
  });

  it('lists the chains if the requested one is unknown or not served', async () => {
    expect(await ask('eth_chainId', [], 'polygon')).toMatchObject({
      status: 400,
      body: failure('Invalid parameter chain: "polygon"; allowed: mainnet, base, arbitrum, sepolia, local'),
    });
    expect(await ask('eth_chainId', [], 'base')).toMatchObject({
      status: 400,
      body: failure('Invalid parameter chain: "base"; allowed: local (the chains that this service serves)'),
    });
  });

  it.each([
    [
      'eth_call',
      [{ to: alpha, data: `0xa9059cbb${alpha.slice(2).padStart(64, '0')}${'f'.repeat(64)}` }, 'latest'],
      'Execution reverted: ds-math-sub-underflow',
    ],
    ['eth_getBalance', ['nobody', 'latest'], 'The local node refused the parameters (error -32602)'],
    [
      'eth_estimateGas',
      [{ from: `0x${'12'.repeat(20)}`, to: alpha, value: '0x1' }],
      'Insufficient funds for value and gas',
    ],
  ])('of the node to %s is in our own words', async (method, params, error) => {
    expect(await ask(method, params)).toMatchObject({ status: 400, body: failure(error) });
  });
});

describe('the bytes of a revert', () => {
  const contract = `0x${'c1'.repeat(20)}`;
  const revertWith = (data: Hex) => chain.rpc('anvil_setCode', [contract, revertingCode(data)]);
  const bytes = (count: number): Hex => `0x${'5a'.repeat(count)}`;

  it.each([
    ['eth_call', [{ to: contract }, 'latest']],
    ['eth_estimateGas', [{ to: contract }]],
    ['eth_createAccessList', [{ to: contract }, 'latest']],
  ])('are a header of the response to %s', async (method, params) => {
    await revertWith(bytes(68));

    expect(await ask(method, params)).toEqual({
      status: 400,
      headers: { ...refusalHeaders(10), 'x-revert-data': bytes(68) },
      body: failure('Execution reverted: custom error 0x5a5a5a5a'),
    });
  });

  it('are at most 4 KB of text, and a second header has their number', async () => {
    const headersOf = async (data: Hex) => {
      await revertWith(data);
      return (await ask('eth_call', [{ to: contract }, 'latest'])).headers;
    };

    expect(await headersOf('0x')).toMatchObject({ 'x-revert-data': '0x' });
    const whole = { ...refusalHeaders(10), 'x-revert-data': bytes(2_047) };
    expect(await headersOf(bytes(2_047))).toEqual(whole);
    expect(await headersOf(bytes(2_048))).toEqual({ ...whole, 'x-revert-data-bytes': '2048' });
  });

  it.each([`0x12\r\nset-cookie: a=b`, '0x1', { a: 1 }, null])(
    'are omitted if a node returns %j',
    async (data) => {
      await serveNode(() => ({ error: { code: 3, message: 'reverted', data } }));

      expect(await ask('eth_call', [])).toEqual({
        status: 400,
        headers: refusalHeaders(10),
        body: failure('Execution reverted'),
      });
    },
  );
});

it('a response above 1 MB is a 400', async () => {
  await serveNode(() => ({ result: 'x'.repeat(1_100_000) }));

  expect(await ask('eth_getCode', [alpha, 'latest'])).toMatchObject({
    status: 400,
    body: failure('The answer is larger than the limit of 1024 KB: ask for less'),
  });
});

it('a key that a provider repeats is not in the response', async () => {
  await serveNode(() => ({ error: { code: -32000, message: `upgrade at http://a/${KEY}`, data: KEY } }));

  const answer = await ask('eth_gasPrice', []);

  expect(answer).toMatchObject({ status: 502, body: failure('The local node failed (error -32000)') });
  expect(JSON.stringify(answer)).not.toContain(KEY);
});
