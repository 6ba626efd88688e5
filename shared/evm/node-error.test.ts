import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeAt, respondRpc, soon } from '../../test/evm/node.ts';
import { type Loopback, respond, startLoopback } from '../../test/pipeline/loopback.ts';
import type { Node } from './node.ts';
import type { NodeError } from './node-error.ts';

const to = '0x00000000000000000000000000000000000000A1';
const call = { to, data: '0x' } as const;

let server: Loopback;
let node: Node;
beforeEach(async () => {
  server = await startLoopback();
  node = nodeAt(server.url);
});
afterEach(() => server.close());

const thrownBy = (attempt: Promise<unknown>): Promise<unknown> =>
  attempt.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  );
const refuse = (code: number, message: string, data?: unknown) =>
  server.answer(respondRpc(() => ({ error: { code, message, data } })));

describe('what a node refuses', () => {
  it.each([
    ['geth', -32000, 'out of gas', 'out-of-gas'],
    ['geth, of gas that no number holds', -32000, 'gas uint64 overflow', 'out-of-gas'],
    ['reth', -32003, 'out of gas: gas required exceeds: 50000000', 'out-of-gas'],
    ['reth, of its cap', -32003, 'intrinsic gas too high', 'out-of-gas'],
    ['anvil', -32603, 'EVM error OutOfGas', 'out-of-gas'],
    ['anvil, of its cap', -32003, 'Out of gas: gas required exceeds allowance: 100000000', 'out-of-gas'],
    ['a provider', -32000, 'gas limit 90000000 exceeds the maximum of 50000000', 'out-of-gas'],
    ['another provider', -32000, 'call exceeds RPC gas cap', 'out-of-gas'],
    ['geth, of an account without ether', -32000, 'gas required exceeds allowance (0)', 'insufficient-funds'],
    ['a contract that says so', 3, 'execution reverted: out of gas', 'reverted'],
    ['a contract that speaks of limits', -32000, 'execution reverted: rate limit', 'reverted'],
    ['geth, of a block to come', -32000, 'header not found', 'unknown-block'],
    ['a provider, of logs', -32005, 'query returned more than 10000 results', 'too-much'],
    ['a provider, of its key', -32000, 'Invalid API key', 'key-refused'],
    ['a provider, of a request without one', -32600, 'Must be authenticated!', 'key-refused'],
    ['anybody, of parameters', -32602, 'invalid argument 0', 'parameters'],
    ['geth, of a sender with code', -32000, 'err: sender not an eoa: address 0x70…', 'parameters'],
    ['revm, of the same', -32003, 'reject transactions from senders with deployed code', 'parameters'],
  ])('is known by its text: %s', async (_who, code, message, kind) => {
    refuse(code, message);

    expect(await thrownBy(node.rpc('eth_call', [], { deadline: soon() }))).toMatchObject({ kind });
  });

  it('is read in time, however long its text is', async () => {
    refuse(-32000, 'gas limit '.repeat(300_000));

    expect(await thrownBy(node.rpc('eth_call', [], { deadline: soon() }))).toMatchObject({ kind: 'other' });
  });

  it.each([
    ['0x08c379a0', '0x08c379a0'],
    ['Reverted 0x', '0x'],
    ['0x0', undefined],
    ['0xzz', undefined],
    [{ data: '0x12' }, undefined],
    [undefined, undefined],
  ])('has the bytes of a revert if they are such: %j', async (data, bytes) => {
    refuse(3, 'execution reverted', data);

    const error = await thrownBy(node.rpc('eth_call', [], { deadline: soon() }));

    expect(error).toMatchObject({ kind: 'reverted', statusCode: 400 });
    expect((error as NodeError).data).toBe(bytes);
  });
});

describe('a call that the service makes by itself', () => {
  it('is a 502 if the node refuses it, and keeps its kind', async () => {
    for (const ask of [
      () => node.call(call, 'latest', soon()),
      () => node.block(soon()),
      () => node.quantity('eth_gasPrice', [], soon()),
    ]) {
      for (const [text, kind] of [
        ['header not found', 'unknown-block'],
        ['execution reverted', 'reverted'],
      ] as const) {
        refuse(-32000, text, '0x08c379a0');
        const message = expect.stringMatching(/^A call of this service failed: /);
        expect(await thrownBy(ask())).toMatchObject({ statusCode: 502, kind, message });
      }
    }
  });

  it.each([401, 403])('is a 502 if a %i comes with an error of JSON-RPC', async (status) => {
    server.answer(respond(status, {}, '{"id":1,"error":{"code":-32602,"message":"execution reverted"}}'));

    expect(await thrownBy(node.rpc('eth_call', [], { deadline: soon() }))).toMatchObject({
      statusCode: 502,
      kind: 'key-refused',
      message: `The local node answered ${status}`,
    });
  });
});

describe('the newest block', () => {
  const hash = `0x${'1'.padStart(64, '0')}`;

  it('is read with its number, hash, base fee and time; the fee is 0 on a chain without one', async () => {
    server.answer(
      respondRpc(() => ({ result: { number: '0x1', hash, baseFeePerGas: '0x7', timestamp: '0x2' } })),
    );
    const block = { number: 1n, hash, baseFeePerGas: 7n, timestamp: 2 };
    expect(await node.block(soon())).toEqual(block);

    server.answer(respondRpc(() => ({ result: { number: '0x1', hash, timestamp: '0x2' } })));
    expect(await node.block(soon())).toEqual({ ...block, baseFeePerGas: 0n });
  });

  it.each([null, '0x1', {}, { number: '0x1', hash: '0x1' }, { number: 1, hash }])(
    'is a 502 if the node says %j',
    async (result) => {
      server.answer(respondRpc(() => ({ result })));

      await expect(node.block(soon())).rejects.toMatchObject({ statusCode: 502 });
    },
  );
});

describe('an estimate of gas', () => {
  it.each([
    ['execution reverted', 400, 'reverted'],
    ['out of gas', 400, 'out-of-gas'],
    ['insufficient funds for transfer', 400, 'insufficient-funds'],
    ['header not found', 502, 'unknown-block'],
    ['response size exceeded', 502, 'too-much'],
  ])('is the caller’s fault if his transaction is: %s', async (message, statusCode, kind) => {
    refuse(-32000, message);

    expect(await thrownBy(node.estimateGas(call, soon()))).toMatchObject({ statusCode, kind });
  });
});
