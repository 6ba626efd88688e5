import { describe, expect, it } from 'vitest';
import { failure } from '../../../test/pipeline/event.ts';
import { type LoadedProxy, useProxy } from '../fixtures/proxy.ts';

const account = `0x${'aB'.repeat(20)}`;

/** Its answer is the params that reached the node. */
let proxy: LoadedProxy;
useProxy(
  ({ params }) => params,
  (loaded) => {
    proxy = loaded;
  },
);

const ask = (...params: unknown[]) => proxy.ask(JSON.stringify({ method: 'eth_simulateV1', params }));
const calls = (count: number) => Array.from({ length: count }, () => ({ to: account }));
const blocks = (count: number, callsOfEach: number) => ({
  blockStateCalls: Array.from({ length: count }, () => ({ calls: calls(callsOfEach) })),
});

describe('the simulation that reaches the node', () => {
  it('is the caller’s, without what is null', async () => {
    const block = {
      blockOverrides: { time: '0x6', baseFeePerGas: '0x0' },
      stateOverrides: { [account]: { balance: '0x1', code: '0x' } },
      calls: [{ from: account, to: account, value: '0x1', data: '0x', accessList: [] }],
    };
    const simulation = { blockStateCalls: [block], traceTransfers: true, validation: false };

    const answer = await ask({ ...simulation, returnFullTransactions: null }, '0x5');

    expect(answer.body).toEqual({ success: true, data: [simulation, '0x5'] });
  });

  it('may have 8 blocks with 32 calls in all', async () => {
    expect(await ask(blocks(8, 4))).toMatchObject({ status: 200 });
  });
});

describe('a simulation is refused', () => {
  it.each([
    ['of nine blocks', blocks(9, 1), 'eth_simulateV1 of 9 blocks; allowed: at most 8'],
    ['of 33 calls', blocks(3, 11), 'eth_simulateV1 of 33 calls; allowed: at most 32'],
    [
      'that makes all blocks up to a number',
      { blockStateCalls: [{ blockOverrides: { number: '0xffffff' } }] },
      'Unknown field "number" in blockOverrides of eth_simulateV1; allowed: time, gasLimit, feeRecipient, prevRandao, baseFeePerGas, blobBaseFee',
    ],
    [
      'with its field in another case',
      { BlockStateCalls: [] },
      'Unknown field "BlockStateCalls" in the simulation of eth_simulateV1; allowed: blockStateCalls, traceTransfers, validation, returnFullTransactions',
    ],
    [
      'with the calls of a block in another case',
      { blockStateCalls: [{ calls: [], Calls: [] }] },
      'Unknown field "Calls" in a block of eth_simulateV1; allowed: blockOverrides, stateOverrides, calls',
    ],
    [
      'with a blob',
      { blockStateCalls: [{ calls: [{ blobs: [] }] }] },
      expect.stringMatching(/^Unknown field "blobs" in a call of eth_simulateV1; allowed: from, to, /),
    ],
    [
      'with an unknown override',
      { blockStateCalls: [{ stateOverrides: { [account]: { storage: {} } } }] },
      expect.stringMatching(
        /^Unknown field "storage" in stateOverrides of eth_simulateV1; allowed: balance, /,
      ),
    ],
    [
      'with an override of nobody',
      { blockStateCalls: [{ stateOverrides: { nobody: {} } }] },
      'Invalid parameter stateOverrides: {"nobody":{}}; allowed: an object for each address',
    ],
    ['without blocks', {}, 'Invalid parameter blockStateCalls: undefined; allowed: a list of objects'],
    [
      'with a call that is none',
      { blockStateCalls: [{ calls: [1] }] },
      'Invalid parameter calls: [1]; allowed: a list of objects',
    ],
    [
      'that is none',
      [],
      'Invalid parameter params: [[]]; allowed: a simulation and a block for eth_simulateV1',
    ],
  ])('%s', async (_what, simulation, error) => {
    expect(await ask(simulation)).toMatchObject({ status: 400, body: failure(error) });
    expect(proxy.node.requests).toHaveLength(1); // of the chain's id
  });

  it('with more params than it has', async () => {
    expect(await ask(blocks(1, 1), 'latest', 'x')).toMatchObject({ status: 400 });
  });
});

it.each([
  ['a call', { calls: [{ to: account, gas: '0xffffffffffff' }] }, 'gas'],
  ['a block', { blockOverrides: { gasLimit: '0xffffffffffff' } }, 'gasLimit'],
])('a simulation is refused with gas without end of %s', async (_what, block, name) => {
  expect(await ask({ blockStateCalls: [block] })).toMatchObject({
    status: 400,
    body: failure(
      expect.stringMatching(`^Invalid parameter ${name}: "0xffffffffffff"; allowed: a number in`),
    ),
  });
});
