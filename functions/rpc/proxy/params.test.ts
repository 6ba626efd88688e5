import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { LambdaHandler } from '../../../shared/http/endpoint.ts';
import { respondRpc } from '../../../test/evm/node.ts';
import { call, failure } from '../../../test/pipeline/event.ts';
import { type Loopback, startLoopback } from '../../../test/pipeline/loopback.ts';

const LATEST = '0x5dc';
const account = `0x${'aB'.repeat(20)}`;
const hash = `0x${'cD'.repeat(32)}`;

/** Returns the params that reached it, except for its chain's id and its newest block. */
let node: Loopback;
let handler: LambdaHandler;
beforeAll(async () => {
  const results: Readonly<Record<string, unknown>> = {
    eth_chainId: '0x7a69',
    eth_getBlockByNumber: { number: LATEST },
  };
  node = await startLoopback(respondRpc(({ method, params }) => ({ result: results[method] ?? params })));
  vi.stubEnv('NODE_ENV', 'test');
  vi.stubEnv('LOCAL_RPC_URL', node.url);
  vi.resetModules();
  ({ handler } = await import('./handler.ts'));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await node.close();
});

let clients = 0;
/**
 * Calls as a new client each time, because each has a limit. `params` may be JSON text, because an object of JavaScript
 * cannot hold every field.
 */
const ask = (method: string, params: readonly unknown[] | string) => {
  const text = typeof params === 'string' ? params : JSON.stringify(params);
  const body = `{"method":"${method}","params":${text}}`;
  clients += 1;
  const sourceIp = `10.0.${clients >> 8}.${clients & 255}`;
  return call(handler, { method: 'POST', pathParameters: { chain: 'local' }, body, sourceIp });
};

async function expectRefused(
  method: string,
  params: readonly unknown[] | string,
  error: string | RegExp,
): Promise<void> {
  const { length } = node.requests;
  const text = typeof error === 'string' ? error : expect.stringMatching(error);
  expect(await ask(method, params)).toMatchObject({ status: 400, body: failure(text) });
  expect(node.requests).toHaveLength(length);
}

const transfer = { to: account, data: '0x' };
const calls = ['eth_call', 'eth_estimateGas', 'eth_createAccessList'];
const latest = { fromBlock: LATEST, toBlock: LATEST };
const blocks = (count: number, callsOfEach: number) => ({
  blockStateCalls: Array.from({ length: count }, () => ({ calls: Array(callsOfEach).fill({ to: account }) })),
});
const simulation = {
  blockStateCalls: [
    {
      blockOverrides: { time: '0x6', baseFeePerGas: '0x0' },
      stateOverrides: { [account]: { balance: '0x1', code: '0x' } },
      calls: [{ from: account, to: account, value: '0x1', data: '0x', accessList: [] }],
    },
  ],
  traceTransfers: true,
  validation: false,
};

describe('what reaches the node', () => {
  it.each<[string, unknown[], unknown[]?]>([
    ['eth_feeHistory', ['0x400', 'latest', [0, 12.5, 100]]],
    ['eth_feeHistory', ['0x1', '0x5']],
    ...calls.flatMap((method): [string, unknown[]][] => [
      [method, [{ ...transfer, gas: '0x2faf080' }, 'latest']],
      [method, [transfer, '0x5', { [account]: { balance: '0x1', stateDiff: { '0x0': '0x1' } } }]],
      [method, [transfer, 'latest', null, { number: '0x5', time: '0x6' }]],
      [method, []],
    ]),
    ['eth_simulateV1', [simulation, '0x5']],
    ['eth_simulateV1', [{ ...simulation, returnFullTransactions: null }], [simulation]],
    ['eth_getLogs', [{}], [latest]],
    ['eth_getLogs', [{ fromBlock: '0x5d0', toBlock: 'pending' }], [{ fromBlock: '0x5d0', toBlock: LATEST }]],
    ['eth_getLogs', [{ blockHash: hash, fromBlock: null, address: null }], [{ blockHash: hash }]],
    ['eth_getLogs', [{ address: [account, account] }], [{ ...latest, address: [account, account] }]],
    [
      'eth_getLogs',
      [{ address: account, topics: [null, hash, [hash, hash], []] }],
      [{ ...latest, address: account, topics: [null, hash, [hash, hash], []] }],
    ],
  ])('is what the caller sends for %s: %j', async (method, params, sent = params) => {
    expect((await ask(method, params)).body).toEqual({ success: true, data: sent });
  });

  it('may be a simulation of 8 blocks with 32 calls in all', async () => {
    expect(await ask('eth_simulateV1', [blocks(8, 4)])).toMatchObject({ status: 200 });
  });
});

describe('params are refused', () => {
  const blockCount = (shown: string) =>
    `Invalid parameter blockCount: ${shown}; allowed: a number in hexadecimal, at most 0x400 (1024)`;
  const noGas = (shown: string) =>
    `Invalid parameter gas: ${shown}; allowed: a number in hexadecimal, at most 0x2faf080 (50000000)`;

  it.each<[string, unknown[], string | RegExp]>([
    ['eth_feeHistory', ['0x401', 'latest'], blockCount('"0x401"')],
    ['eth_feeHistory', [`0x${'f'.repeat(40)}`, 'latest'], blockCount(`"0x${'f'.repeat(40)}"`)],
    ['eth_feeHistory', ['2000', 'latest'], blockCount('"2000"')],
    ['eth_feeHistory', [1e9, 'latest'], blockCount('1000000000')],
    ['eth_feeHistory', [null, 'latest'], blockCount('null')],
    [
      'eth_feeHistory',
      ['0x2', 'latest', Array(101).fill(50)],
      'eth_feeHistory of 101 percentiles; allowed: at most 100',
    ],
    [
      'eth_feeHistory',
      ['0x2', 'latest', [50, 101]],
      /^Invalid parameter percentiles: \[50,101\]; allowed: a list/,
    ],
    [
      'eth_feeHistory',
      ['0x2', 'latest', '50'],
      /^Invalid parameter percentiles: "50"; allowed: a list of num/,
    ],
    ['eth_feeHistory', ['0x2', 'latest', [], 1], /^Invalid parameter params: /],
    ...calls.map((method): [string, unknown[], string] => [
      method,
      [{ ...transfer, gas: '0x2faf081' }, 'latest'],
      noGas('"0x2faf081"'),
    ]),
    ['eth_call', [{ ...transfer, gas: 50_000_001 }, 'latest'], noGas('50000001')],
    ['eth_call', [{ ...transfer, Gas: '0xffffffffffff' }], /^Unknown field "Gas" in a call of eth_call/],
    [
      'eth_call',
      [transfer, 'latest', { [account]: { code: '0x5b600056' } }], // JUMPDEST, PUSH1 0, JUMP: without end
      'Unknown field "code" in stateOverrides of eth_call; allowed: balance, nonce, state, stateDiff',
    ],
    ['eth_call', [transfer, 'latest', [1]], /^Invalid parameter stateOverrides: \[1\]; allowed: an object/],
    ['eth_call', [transfer, 'latest', {}, {}, {}], /^Invalid parameter params: /],
    [
      'eth_call',
      [transfer, 'latest', null, { gasLimit: '0xffffffffffff' }],
      /^Invalid parameter gasLimit: "0xffffffffffff"; allowed: a number in/,
    ],
    ['eth_simulateV1', [blocks(9, 1)], 'eth_simulateV1 of 9 blocks; allowed: at most 8'],
    ['eth_simulateV1', [blocks(3, 11)], 'eth_simulateV1 of 33 calls; allowed: at most 32'],
    [
      'eth_simulateV1', // all blocks up to a number
      [{ blockStateCalls: [{ blockOverrides: { number: '0xffffff' } }] }],
      /^Unknown field "number" in blockOverrides of eth_simulateV1; allowed: time, gasLimit, /,
    ],
    ['eth_simulateV1', [{ BlockStateCalls: [] }], /^Unknown field "BlockStateCalls" in the simulation of /],
    ['eth_simulateV1', [{ blockStateCalls: [{ Calls: [] }] }], /^Unknown field "Calls" in a block of eth_/],
    [
      'eth_simulateV1',
      [{ blockStateCalls: [{ calls: [{ blobs: [] }] }] }],
      /^Unknown field "blobs" in a call/,
    ],
    [
      'eth_simulateV1',
      [{ blockStateCalls: [{ stateOverrides: { [account]: { storage: {} } } }] }],
      /^Unknown field "storage" in stateOverrides of eth_simulateV1; allowed: balance, /,
    ],
    [
      'eth_simulateV1',
      [{ blockStateCalls: [{ stateOverrides: { nobody: {} } }] }],
      'Invalid parameter stateOverrides: {"nobody":{}}; allowed: an object for each address',
    ],
    ['eth_simulateV1', [{}], 'Invalid parameter blockStateCalls: undefined; allowed: a list of objects'],
    [
      'eth_simulateV1',
      [{ blockStateCalls: [{ calls: [1] }] }],
      'Invalid parameter calls: [1]; allowed: a list of objects',
    ],
    [
      'eth_simulateV1',
      [blocks(1, 1), 'latest', 'x'],
      /^Invalid parameter params: .* a simulation and a block/,
    ],
    [
      'eth_simulateV1',
      [{ blockStateCalls: [{ calls: [{ to: account, gas: '0xffffffffffff' }] }] }],
      noGas('"0xffffffffffff"'),
    ],
    [
      'eth_simulateV1',
      [{ blockStateCalls: [{ blockOverrides: { gasLimit: '0xffffffffffff' } }] }],
      /^Invalid parameter gasLimit: "0xffffffffffff"/,
    ],
    ['eth_getLogs', [], /^Invalid parameter params: \[\]; allowed: one filter object for eth_getLogs$/],
    ['eth_getLogs', [{}, {}], /allowed: one filter object for eth_getLogs$/],
    [
      'eth_getLogs',
      [{ fromBlock: '0x0', toBlock: '0x3e8' }],
      'eth_getLogs over 1001 blocks; allowed: at most 1000',
    ],
    ['eth_getLogs', [{ fromBlock: '0x2', toBlock: '0x1' }], /a toBlock that is not before fromBlock$/],
    [
      'eth_getLogs',
      [{ fromBlock: 5 }],
      /^Invalid parameter fromBlock: 5; allowed: a block number in hexadecimal, e/,
    ],
    ['eth_getLogs', [{ fromBlock: '0x0', toBlock: '0x' }], /^Invalid parameter toBlock: "0x"; allowed/],
    ['eth_getLogs', [{ blockHash: hash, fromBlock: '0x0' }], /; allowed: without fromBlock and toBlock$/],
    ['eth_getLogs', [{ blockHash: hash, toBlock: 1 }], /; allowed: without fromBlock and toBlock$/],
    [
      'eth_getLogs',
      [{ blockHash: '0x1' }],
      /^Invalid parameter blockHash: "0x1"; allowed: 0x and 64 hexadec/,
    ],
    ['eth_getLogs', [{ blockHash: [hash] }], /^Invalid parameter blockHash: \[/],
    [
      'eth_getLogs',
      [{ address: '0x1' }],
      /^Invalid parameter address: "0x1"; allowed: an address, or a list of/,
    ],
    ['eth_getLogs', [{ address: [account, null] }], /^Invalid parameter address: /],
    ['eth_getLogs', [{ address: [[account]] }], /^Invalid parameter address: /],
    ['eth_getLogs', [{ address: Array(1_001).fill(account) }], /^Invalid parameter address: .{80}…; allowed/],
    [
      'eth_getLogs',
      [{ topics: hash }],
      /^Invalid parameter topics: .*; allowed: a list of up to 4, each null, a/,
    ],
    ['eth_getLogs', [{ topics: [null, null, null, null, null] }], /^Invalid parameter topics: \[null,/],
    ['eth_getLogs', [{ topics: ['0x1'] }], /^Invalid parameter topics: \["0x1"\]/],
    ['eth_getLogs', [{ topics: [[[hash]]] }], /^Invalid parameter topics: /],
  ])('of %s: %j', (method, params, error) => expectRefused(method, params, error));

  it.each([
    ['{"fromBlock":"latest","FromBlock":"0x0"}', '"FromBlock"'],
    ['{"":5}', '""'],
    ['{"__proto__":{"fromBlock":"0x0"}}', '"__proto__"'],
    [`{"${'x'.repeat(90)}":1}`, `"${'x'.repeat(80)}"`],
  ])('for the unknown field of a filter: %s', (filter, shown) => {
    const allowed = 'allowed: fromBlock, toBlock, blockHash, address, topics';
    const error = `Unknown field ${shown} in the filter of eth_getLogs; ${allowed}`;
    return expectRefused('eth_getLogs', `[${filter}]`, error);
  });

  it.each([65, 30_000])('that are nested %i levels deep', async (levels) => {
    const error = 'Invalid parameter params: a value nested too deeply; allowed: at most 64 levels';
    const nested = '['.repeat(levels) + ']'.repeat(levels);
    expect(await ask('eth_getBalance', nested)).toMatchObject({ status: 400, body: failure(error) });
  });
});
