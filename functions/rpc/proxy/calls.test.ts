import { describe, expect, it } from 'vitest';
import { failure } from '../../../test/pipeline/event.ts';
import { type LoadedProxy, useProxy } from '../fixtures/proxy.ts';

const account = `0x${'aB'.repeat(20)}`;
/** JUMPDEST, PUSH1 0, JUMP: without end. */
const LOOP = '0x5b600056';
const call = { to: account, data: '0x' };

/** Its answer is the params that reached the node. */
let proxy: LoadedProxy;
useProxy(
  ({ params }) => params,
  (loaded) => {
    proxy = loaded;
  },
);

const ask = (method: string, ...params: unknown[]) => proxy.ask(JSON.stringify({ method, params }));
const calls = ['eth_call', 'eth_estimateGas', 'eth_createAccessList'];

async function expectRefused(asked: ReturnType<typeof ask>, error: string): Promise<void> {
  expect(await asked).toMatchObject({ status: 400, body: failure(error) });
  expect(proxy.node.requests).toHaveLength(1); // of the chain's id
}

describe('the history of fees that reaches the node', () => {
  it.each([[['0x400', 'latest', [0, 12.5, 100]]], [['0x1', '0x5']], [['0x2', 'latest', []]]])(
    'is the caller’s: %j',
    async (params) => {
      expect((await ask('eth_feeHistory', ...params)).body).toEqual({ success: true, data: params });
    },
  );
});

describe('a history of fees is refused', () => {
  it.each([
    ['0x401', '"0x401"'],
    ['0xffffffffffffffff', '"0xffffffffffffffff"'],
    [`0x${'f'.repeat(40)}`, `"0x${'f'.repeat(40)}"`],
    ['2000', '"2000"'],
    [1e9, '1000000000'],
    [null, 'null'],
  ])('of %j blocks', async (count, shown) => {
    const allowed = 'a number in hexadecimal, at most 0x400 (1024)';
    await expectRefused(
      ask('eth_feeHistory', count, 'latest'),
      `Invalid parameter blockCount: ${shown}; allowed: ${allowed}`,
    );
  });

  it.each([
    ['101 percentiles', Array(101).fill(50), 'eth_feeHistory of 101 percentiles; allowed: at most 100'],
    [
      'percentiles that are none',
      [50, 101],
      /^Invalid parameter percentiles: \[50,101\]; allowed: a list of num/,
    ],
    ['percentiles that are no list', '50', /^Invalid parameter percentiles: "50"; allowed: a list of num/],
  ])('with %s', async (_what, percentiles, error) => {
    const text = typeof error === 'string' ? error : expect.stringMatching(error);
    await expectRefused(ask('eth_feeHistory', '0x2', 'latest', percentiles), text);
  });

  it('with more params than it has', async () => {
    await expectRefused(
      ask('eth_feeHistory', '0x2', 'latest', [], 1),
      expect.stringMatching(/^Invalid parameter params: /),
    );
  });
});

describe.each(calls)('%s', (method) => {
  it.each([
    ['with as much gas as a call may have', [{ ...call, gas: '0x2faf080' }, 'latest']],
    ['with replaced state', [call, '0x5', { [account]: { balance: '0x1', stateDiff: { '0x0': '0x1' } } }]],
    ['in another block', [call, 'latest', null, { number: '0x5', time: '0x6' }]],
    ['without a block', [call]],
    ['without anything', []],
  ])('reaches the node as it is %s', async (_what, params) => {
    expect((await ask(method, ...params)).body).toEqual({ success: true, data: params });
  });

  it.each([
    ['with one more gas', '0x2faf081', '"0x2faf081"'],
    ['with gas without end', '0xffffffffffff', '"0xffffffffffff"'],
    ['with gas that is no text', 50_000_001, '50000001'],
  ])('is refused %s', async (_what, gas, shown) => {
    const allowed = 'a number in hexadecimal, at most 0x2faf080 (50000000)';
    await expectRefused(
      ask(method, { ...call, gas }, 'latest'),
      `Invalid parameter gas: ${shown}; allowed: ${allowed}`,
    );
  });

  it.each([
    ['gas in another case', [{ ...call, Gas: '0xffffffffffff' }], /^Unknown field "Gas" in a call of /],
    [
      'code that loops',
      [call, 'latest', { [account]: { code: LOOP } }],
      /^Unknown field "code" in stateOverrides of eth_\w+; allowed: balance, nonce, state, stateDiff$/,
    ],
    [
      'overrides that are none',
      [call, 'latest', [1]],
      /^Invalid parameter stateOverrides: \[1\]; allowed: an/,
    ],
    ['more params', [call, 'latest', {}, {}, {}], /^Invalid parameter params: /],
    [
      'gas without end of its block',
      [call, 'latest', null, { gasLimit: '0xffffffffffff' }],
      /^Invalid parameter gasLimit: "0xffffffffffff"; allowed: a number in/,
    ],
  ])('is refused with %s', async (_what, params, error) => {
    await expectRefused(ask(method, ...params), expect.stringMatching(error));
  });
});
