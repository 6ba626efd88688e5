import { json } from 'node:stream/consumers';
import type { Hex } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type LocalChain, startLocalChain } from '../../../local/evm/index.ts';
import { DEPLOYER } from '../../../local/evm/json-rpc.ts';
import { contracts } from '../../../local/evm/uniswap/deploy.ts';
import type { LambdaHandler } from '../../../shared/http/endpoint.ts';
import { type RpcCall, respondRpc } from '../../../test/evm/node.ts';
import { revertingCode } from '../../../test/evm/reverting-code.ts';
import { call, commonHeaders, failure, refusalHeaders } from '../../../test/pipeline/event.ts';
import { respond, startLoopback } from '../../../test/pipeline/loopback.ts';
import { readMethods } from './read-methods.ts';

const { alpha } = contracts;
const KEY = 'k3y-of-the-provider';

let chain: LocalChain;
let handler: LambdaHandler;
beforeAll(async () => {
  chain = await startLocalChain();
});
afterAll(() => chain.close());
beforeEach(async () => {
  vi.stubEnv('NODE_ENV', 'test');
  vi.stubEnv('LOCAL_RPC_URL', `${chain.url}/?key=${KEY}`);
  vi.resetModules();
  ({ handler } = await import('./handler.ts'));
});
afterEach(() => {
  vi.unstubAllEnvs();
});

let clients = 0;
/** From a client of its own each time: ten requests a minute are soon used up. */
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
    ['eth_blockNumber', []],
    ['net_version', []],
    ['eth_gasPrice', []],
    ['eth_getBalance', [DEPLOYER, 'latest']],
    ['eth_getCode', [alpha, 'latest']],
    ['eth_getBlockByNumber', ['0x1', true]],
    ['eth_getTransactionByHash', [`0x${'0'.repeat(64)}`]],
    ['eth_call', [{ to: alpha, data: '0x18160ddd' }, 'latest']],
    ['eth_estimateGas', [{ from: DEPLOYER, to: alpha, data: transfer }]],
    ['eth_feeHistory', ['0x2', 'latest', [50]]],
    ['web3_clientVersion', undefined],
    ['eth_syncing', []],
    ['eth_createAccessList', [{ from: DEPLOYER, to: alpha, data: transfer }, 'latest']],
  ])('%s answers what the node answers', async (method, params) => {
    expect(await ask(method, params)).toEqual({
      status: 200,
      headers: commonHeaders(10),
      body: { success: true, data: await chain.rpc(method, params) },
    });
  });

  it('of what calls would do answers what the node answers', async () => {
    const simulated = [{ blockStateCalls: [{ calls: [{ from: DEPLOYER, to: alpha, data: transfer }] }] }];

    expect(await ask('eth_simulateV1', simulated)).toMatchObject({
      status: 200,
      body: { data: [{ calls: [{ status: '0x1', returnData: `0x${'1'.padStart(64, '0')}` }] }] },
    });
  });

  it.each(['1', 1, 1.5, null])('may have the id %j', async (id) => {
    expect(await send(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_chainId' }))).toMatchObject({
      status: 200,
    });
  });

  it('of logs of some topics answers what the node answers', async () => {
    const range = { fromBlock: '0x0', toBlock: '0x2' };
    const logs = (await chain.rpc('eth_getLogs', [range])) as { address: string; topics: string[] }[];
    const [topic] = logs[0]?.topics ?? [];
    const filter = { ...range, address: [alpha, logs[0]?.address], topics: [[topic]] };

    const answer = await ask('eth_getLogs', [filter]);

    expect(answer).toMatchObject({ body: { data: await chain.rpc('eth_getLogs', [filter]) } });
    expect(answer).not.toMatchObject({ body: { data: [] } });
  });

  it('of logs answers what the node answers, whatever names the blocks', async () => {
    const filter = { address: alpha };
    const expected = await chain.rpc('eth_getLogs', [{ ...filter, fromBlock: '0x0', toBlock: '0x2' }]);
    const { hash } = (await chain.rpc('eth_getBlockByNumber', ['0x2', false])) as { hash: string };
    const inBlock = await chain.rpc('eth_getLogs', [{ ...filter, blockHash: hash }]);

    for (const range of [
      { fromBlock: 'earliest', toBlock: 'latest' },
      { fromBlock: '0x0', toBlock: 'pending' },
      { fromBlock: 'earliest' },
    ]) {
      expect(await ask('eth_getLogs', [{ ...filter, ...range }])).toMatchObject({ body: { data: expected } });
    }
    expect(expected).not.toEqual([]);
    expect(await ask('eth_getLogs', [{ ...filter, blockHash: hash }])).toMatchObject({
      body: { data: inBlock },
    });
  });
});

describe('a refusal', () => {
  it.each([
    'eth_sendRawTransaction',
    'eth_sendTransaction',
    'eth_sign',
    'eth_signTransaction',
    'eth_signTypedData_v4',
    'personal_unlockAccount',
    'eth_accounts',
    'eth_newFilter',
    'eth_subscribe',
    'debug_traceTransaction',
    'txpool_content',
    'admin_addPeer',
    'anvil_setBalance',
    'evm_mine',
    'ETH_CALL',
    'eth_call ',
    'constructor',
    '__proto__',
  ])('is a 403 for the method %s', async (method) => {
    expect(readMethods.has(method)).toBe(false);
    expect(await ask(method, [])).toEqual({
      status: 403,
      headers: refusalHeaders(10),
      body: failure(`Method not allowed: ${method}`),
    });
  });

  it.each([
    ['no method', '{}', 'Missing required parameter: method'],
    ['an empty method', '{"method":""}', 'Missing required parameter: method'],
    [
      'a method that is no text',
      '{"method":1}',
      'Invalid parameter method: 1; allowed: a JSON-RPC method such as eth_blockNumber',
    ],
    [
      'params that are no list',
      '{"method":"eth_call","params":{"a":1}}',
      'Invalid parameter params: {"a":1}; allowed: a list, as the method has it',
    ],
    [
      'an id that is neither a text nor a number',
      '{"id":{},"method":"eth_call"}',
      'Invalid parameter id: {}; allowed: a text or a number, as JSON-RPC has it; not repeated in the answer',
    ],
    [
      'another version',
      '{"jsonrpc":"1.0","method":"eth_call"}',
      'Invalid parameter jsonrpc: "1.0"; allowed: 2.0',
    ],
    [
      'params that are no list, nested deeper than JSON.stringify reaches',
      `{"method":"eth_call","params":{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}}`,
      'Invalid parameter params: a value nested too deeply; allowed: a list, as the method has it',
    ],
    ['a batch', '[{"method":"eth_chainId"}]', 'Request body must be a JSON object, such as {"name":"value"}'],
    [
      'no JSON',
      'eth_chainId',
      'Request body is not valid JSON; send a JSON object, such as {"name":"value"}',
    ],
  ])('is a 400 for %s', async (_what, body, error) => {
    expect(await send(body)).toEqual({ status: 400, headers: refusalHeaders(10), body: failure(error) });
  });

  it.each([
    [[{ fromBlock: '0x0', toBlock: '0x3e8' }], 'eth_getLogs over 1001 blocks; allowed: at most 1000'],
    [[{ fromBlock: '0x2', toBlock: '0x1' }], /a toBlock that is not before fromBlock$/],
    [
      [{ fromBlock: 5 }],
      /^Invalid parameter fromBlock: 5; allowed: a block number in hexadecimal, earliest, latest/,
    ],
    [[{ toBlock: '0x' }], /^Invalid parameter toBlock: "0x"; allowed/],
    [
      [{ blockHash: '0x1', fromBlock: 'x' }],
      /^Invalid parameter blockHash: "0x1"; allowed: without fromBlock/,
    ],
    [
      [{ fromBlock: 'latest', FromBlock: '0x0' }],
      /^Unknown field "FromBlock" in the filter of eth_getLogs; allowed: fromBlock, /,
    ],
    [[], /^Invalid parameter params: \[\]; allowed: one filter object/],
    [['0x0', '0x1'], /allowed: one filter object for eth_getLogs$/],
    [[{}, {}], /allowed: one filter object for eth_getLogs$/],
  ])('is a 400 for the logs %j', async (params, error) => {
    const text = typeof error === 'string' ? error : expect.stringMatching(error);
    expect(await ask('eth_getLogs', params)).toMatchObject({ status: 400, body: failure(text) });
  });

  it.each([
    [65, 'eth_call'],
    [65, 'eth_getLogs'],
    [30_000, 'eth_getBalance'],
  ])('is a 400 for params nested %i levels deep of %s', async (levels, method) => {
    const params = '['.repeat(levels) + ']'.repeat(levels);

    expect(await send(`{"method":"${method}","params":${params}}`)).toEqual({
      status: 400,
      headers: refusalHeaders(10),
      body: failure('Invalid parameter params: a value nested too deeply; allowed: at most 64 levels'),
    });
  });

  it.each([
    ['eth_feeHistory', ['0xffffffff', 'latest', [50]], 'blockCount: "0xffffffff"'],
    ['eth_call', [{ to: alpha, gas: '0xffffffffffff' }, 'latest'], 'gas: "0xffffffffffff"'],
  ])('is a 400 for what would cost the node too much: %s of %j', async (method, params, given) => {
    expect(await ask(method, params)).toMatchObject({
      status: 400,
      body: failure(
        expect.stringContaining(`Invalid parameter ${given}; allowed: a number in hexadecimal, at most `),
      ),
    });
  });

  it('is a 400 for a call of code that its caller made up, which loops', async () => {
    const params = [{ to: alpha }, 'latest', { [alpha]: { code: '0x5b600056' } }];
    expect(await ask('eth_call', params)).toMatchObject({
      status: 400,
      body: failure(expect.stringMatching(/^Unknown field "code" in stateOverrides of eth_call; allowed: /)),
    });
  });

  it('names the chains that there are for one that it does not know or does not serve', async () => {
    expect(await ask('eth_chainId', [], 'polygon')).toMatchObject({
      status: 400,
      body: failure('Invalid parameter chain: "polygon"; allowed: mainnet, base, arbitrum, sepolia, local'),
    });
    vi.stubEnv('SEPOLIA_RPC_URL', 'http://127.0.0.1:9');
    expect(await ask('eth_chainId', [], 'base')).toMatchObject({
      status: 400,
      body: failure(
        'Invalid parameter chain: "base"; allowed: sepolia, local (the chains that this service serves)',
      ),
    });
  });

  it('of the node is told of in our words, with the reason of a revert', async () => {
    const tooMuch = { to: alpha, data: `0xa9059cbb${alpha.slice(2).padStart(64, '0')}${'f'.repeat(64)}` };

    expect(await ask('eth_call', [tooMuch, 'latest'])).toMatchObject({
      status: 400,
      body: failure('Execution reverted: ds-math-sub-underflow'),
    });
    expect(await ask('eth_getBalance', ['nobody', 'latest'])).toMatchObject({
      status: 400,
      body: failure('The local node refused the parameters (error -32602)'),
    });
    const broke = { from: `0x${'12'.repeat(20)}`, to: alpha, value: '0x1' };
    expect(await ask('eth_estimateGas', [broke])).toMatchObject({
      status: 400,
      body: failure('Insufficient funds for value and gas'),
    });
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
  ])('are a header of the answer to %s', async (method, params) => {
    await revertWith(bytes(68));

    expect(await ask(method, params)).toEqual({
      status: 400,
      headers: { ...refusalHeaders(10), 'x-revert-data': bytes(68) },
      body: failure('Execution reverted: custom error 0x5a5a5a5a'),
    });
  });

  it('are none if the contract gives none', async () => {
    await revertWith('0x');

    expect(await ask('eth_call', [{ to: contract }, 'latest'])).toMatchObject({
      headers: { 'x-revert-data': '0x' },
      body: failure('Execution reverted'),
    });
  });

  it('are 4 KB of text at most, and a second header says how many there were', async () => {
    await revertWith(bytes(2_047));
    const whole = await ask('eth_call', [{ to: contract }, 'latest']);
    await revertWith(bytes(2_048));
    const cut = await ask('eth_call', [{ to: contract }, 'latest']);

    expect(whole.headers).toEqual({ ...refusalHeaders(10), 'x-revert-data': bytes(2_047) });
    expect(cut.headers).toEqual({ ...whole.headers, 'x-revert-data-bytes': '2048' });
  });

  it.each(['0xzz', `0x12\r\nset-cookie: a=b`, '0x1', 'text', { a: 1 }, null])(
    'are not told if a node says %j',
    async (data) => {
      const node = await startLoopback(
        respondRpc(({ method }) =>
          method === 'eth_chainId' ? { result: '0x7a69' } : { error: { code: 3, message: 'reverted', data } },
        ),
      );
      vi.stubEnv('LOCAL_RPC_URL', node.url);

      expect(await ask('eth_call', [])).toEqual({
        status: 400,
        headers: refusalHeaders(10),
        body: failure('Execution reverted'),
      });
      await node.close();
    },
  );
});

it('a node of another chain is asked nothing but for its id', async () => {
  const asked: string[] = [];
  const node = await startLoopback(
    respondRpc(({ method }) => {
      asked.push(method);
      return { result: '0x1' };
    }),
  );
  vi.stubEnv('LOCAL_RPC_URL', node.url);

  expect(await ask('eth_blockNumber')).toMatchObject({
    status: 500,
    body: failure('Server configuration error'),
  });
  expect(asked).toEqual(['eth_chainId']);
  await node.close();
});

describe('a second node', () => {
  it.each([
    ['refuses its key', respond(401, {}, '{"id":1,"error":{"code":-32000,"message":"invalid key"}}')],
    ['answers HTML', respond(200, {}, '<html>')],
    ['answers nothing', respond(200, {}, '')],
    ['does not answer', () => {}],
  ])('answers if the first %s', async (_what, listener) => {
    const node = await startLoopback(listener);
    vi.stubEnv('LOCAL_RPC_URL', `${node.url}, ${chain.url}`);
    vi.stubEnv('UPSTREAM_TIMEOUT_MS', '5000'); // for the second too
    vi.resetModules();
    ({ handler } = await import('./handler.ts'));

    expect(await ask('eth_getCode', [alpha, 'latest'])).toMatchObject({
      status: 200,
      body: { data: await chain.rpc('eth_getCode', [alpha, 'latest']) },
    });
    await node.close();
  });

  it('is not asked about a revert of the first', async () => {
    const node = await startLoopback();
    vi.stubEnv('LOCAL_RPC_URL', `${chain.url},${node.url}`);
    const contract = `0x${'c2'.repeat(20)}`;
    await chain.rpc('anvil_setCode', [contract, revertingCode('0x')]);

    expect(await ask('eth_call', [{ to: contract }, 'latest'])).toMatchObject({ status: 400 });
    expect(node.requests).toEqual([]);
    await node.close();
  });

  it.each(['http://a.example,', 'http://a.example,http://b.example,http://c.example', 'http://a.example,b'])(
    'that cannot be is a 500 that does not name it: %s',
    async (secret) => {
      vi.stubEnv('LOCAL_RPC_URL', secret);

      expect(await ask('eth_chainId', [])).toMatchObject({
        status: 500,
        body: failure('Server configuration error'),
      });
    },
  );
});

it('an answer above 1 MB is a 400, and ends the connection', async () => {
  const node = await startLoopback(
    respondRpc(({ method }) => ({ result: method === 'eth_chainId' ? '0x7a69' : 'x'.repeat(1_100_000) })),
  );
  vi.stubEnv('LOCAL_RPC_URL', node.url);

  expect(await ask('eth_getCode', [alpha, 'latest'])).toMatchObject({
    status: 400,
    body: failure('The answer is larger than the limit of 1024 KB: ask for less'),
  });
  await node.close();
});

it('an answer nested too deeply to be written is a 502', async () => {
  const node = await startLoopback(async (request, response) => {
    const { id, method } = (await json(request)) as RpcCall; // our own client's
    const result = method === 'eth_chainId' ? '"0x7a69"' : '['.repeat(30_000) + ']'.repeat(30_000);
    response.end(`{"jsonrpc":"2.0","id":${id},"result":${result}}`);
  });
  vi.stubEnv('LOCAL_RPC_URL', node.url);

  expect(await ask('eth_call', [{ to: alpha }, 'latest'])).toEqual({
    status: 502,
    headers: refusalHeaders(10),
    body: failure('The local node gave an unusable answer: nested more than 64 levels deep'),
  });
  await node.close();
});

it('a provider that quotes its own key does not give it away', async () => {
  const node = await startLoopback(
    respondRpc(({ method }) => {
      const error = { code: -32000, message: `upgrade at ${node.url}/${KEY}`, data: KEY };
      return method === 'eth_chainId' ? { result: '0x7a69' } : { error };
    }),
  );
  vi.stubEnv('LOCAL_RPC_URL', `${node.url}/${KEY}`);

  const answer = await ask('eth_gasPrice', []);

  expect(answer).toMatchObject({ status: 502, body: failure('The local node failed (error -32000)') });
  await node.close();
});

it('allows nothing that writes, signs, traces or keeps state with the node', () => {
  expect(
    [...readMethods].filter(
      (name) =>
        !/^(eth_(get|call$|estimateGas$|createAccessList$|simulateV1$|feeHistory$|block|blob|chainId$|gasPrice$|max|syncing$)|net_version$|web3_clientVersion$)/.test(
          name,
        ),
    ),
  ).toEqual([]);
});
