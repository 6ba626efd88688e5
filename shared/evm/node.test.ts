import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeAt, type RpcCall, respondRpc, soon } from '../../test/evm/node.ts';
import { type Loopback, respond, startLoopback } from '../../test/pipeline/loopback.ts';
import type { Node } from './node.ts';

const to = '0x00000000000000000000000000000000000000A1';
const request = { to, data: '0x' } as const;

let server: Loopback;
let node: Node;
beforeEach(async () => {
  server = await startLoopback();
  node = nodeAt(server.url);
});
afterEach(() => server.close());

const read = () => node.rpc('eth_gasPrice', [], { deadline: soon() });
const refuse = (code: number, message: string, data?: unknown) =>
  server.answer(respondRpc(() => ({ error: { code, message, data } })));
const unusable = (what: string) => ({
  statusCode: 502,
  message: `The local node gave an unusable answer: ${what}`,
});
const nested = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);

describe('the id of a call', () => {
  it('is new for each call, and is repeated by the response', async () => {
    const calls: RpcCall[] = [];
    server.answer(
      respondRpc((call) => {
        calls.push(call);
        return { result: call.id };
      }),
    );

    expect([await read(), await read()]).toEqual([1, 2]);
    expect(calls[0]).toEqual({ jsonrpc: '2.0', id: 1, method: 'eth_gasPrice', params: [] });
  });

  it.each([
    ['of another call', { id: 2, result: '0x1' }],
    ['with the same digits as a string', { id: '1', result: '0x1' }],
    ['that is null', { id: null, result: '0x1' }],
    ['that is missing', { id: undefined, result: '0x1' }],
    ['of another call, with an error', { id: 2, error: { code: 3, message: 'execution reverted' } }],
  ])('makes a response unusable if it is an id %s', async (_what, answer) => {
    server.answer(respondRpc(() => answer));

    await expect(read()).rejects.toMatchObject(unusable('its id is not that of the request'));
  });

  it.each([null, undefined])(
    'may be %s in an error, because the node may not have parsed the request',
    async (id) => {
      server.answer(respondRpc(() => ({ id, error: { code: -32602, message: 'invalid params' } })));

      await expect(read()).rejects.toMatchObject({
        statusCode: 400,
        message: 'The local node refused the parameters (error -32602)',
      });
    },
  );
});

describe('a response', () => {
  it.each([
    ['[{"jsonrpc":"2.0","id":1,"result":"0x1"}]', 'a batch'],
    ['[{"jsonrpc":"2.0","id":1,"error":{"code":3,"message":"x"}}]', 'a batch'],
    ['', 'broken JSON'],
    ['<html>', 'broken JSON'],
    ['null', 'broken JSON'],
  ])('is unusable if it is not a JSON object: %s', async (body, what) => {
    server.answer(respond(200, {}, body));

    await expect(read()).rejects.toMatchObject(unusable(what));
  });

  it('with another status than 200 and without an error for this call is reported by its status', async () => {
    server.answer(respond(503, {}, '[{"error":{"code":3,"message":"x"}}]'));

    await expect(read()).rejects.toMatchObject({ statusCode: 502, message: 'The local node answered 503' });
  });

  it('may be nested 64 levels deep', async () => {
    server.answer(respondRpc(() => ({ result: nested(64) })));

    expect(await read()).toEqual(nested(64));
  });

  it.each([65, 30_000, 400_000])('is unusable if it is nested %i levels deep', async (levels) => {
    server.answer(respond(200, {}, `{"id":1,"result":${'['.repeat(levels)}${']'.repeat(levels)}}`));

    await expect(read()).rejects.toMatchObject(unusable('nested more than 64 levels deep'));
  });
});

describe('the limit of the node', () => {
  const limited = (seconds: number) => ({
    statusCode: 429,
    message: `Rate limit exceeded: the limit of the local node; try again in ${seconds} s`,
    headers: { 'retry-after': String(seconds) },
  });

  it.each([
    ['as long as a 429 requests', { 'retry-after': '42' }, 42],
    ['at least a second', { 'retry-after': '0' }, 1],
    ['ten seconds if a 429 has no time', {}, 10],
    ['ten seconds if a 429 has a date', { 'retry-after': 'Sun, 22 Nov 2026 12:00:00 GMT' }, 10],
  ])('has a retry-after of %s', async (_how, headers, seconds) => {
    server.answer(respond(429, headers as Record<string, string>, '{}'));

    await expect(read()).rejects.toMatchObject(limited(seconds));
  });

  it('has a retry-after of ten seconds if it is an error of JSON-RPC', async () => {
    server.answer(respondRpc(() => ({ error: { code: -32005, message: 'daily request count exceeded' } })));

    await expect(read()).rejects.toMatchObject(limited(10));
  });
});

describe('a refusal of a node', () => {
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
    ['a contract with this reason', 3, 'execution reverted: out of gas', 'reverted'],
    ['a contract with a reason about limits', -32000, 'execution reverted: rate limit', 'reverted'],
    ['geth, of a block to come', -32000, 'header not found', 'unknown-block'],
    ['a provider, of logs', -32005, 'query returned more than 10000 results', 'too-much'],
    ['a provider, of its key', -32000, 'Invalid API key', 'key-refused'],
    ['a provider, of a request without one', -32600, 'Must be authenticated!', 'key-refused'],
    ['any node, of parameters', -32602, 'invalid argument 0', 'parameters'],
    ['geth, of a sender with code', -32000, 'err: sender not an eoa: address 0x70…', 'parameters'],
    ['revm, of the same', -32003, 'reject transactions from senders with deployed code', 'parameters'],
  ])('is recognized by its text: %s', async (_who, code, message, kind) => {
    refuse(code, message);

    await expect(read()).rejects.toMatchObject({ kind });
  });

  it('is read in time even if its text is long', async () => {
    refuse(-32000, 'gas limit '.repeat(300_000));

    await expect(read()).rejects.toMatchObject({ kind: 'other' });
  });

  it.each([
    ['0x08c379a0', '0x08c379a0'],
    ['Reverted 0x', '0x'],
    ['0x0', undefined],
    ['0xzz', undefined],
    [{ data: '0x12' }, undefined],
    [undefined, undefined],
  ])('has the bytes of a revert if they are valid: %j', async (data, bytes) => {
    refuse(3, 'execution reverted', data);

    await expect(read()).rejects.toMatchObject({ kind: 'reverted', statusCode: 400, data: bytes });
  });
});

describe('a call of the service itself', () => {
  it('is a 502 if the node refuses it, and keeps its kind', async () => {
    for (const call of [
      () => node.call(request, 'latest', soon()),
      () => node.block(soon()),
      () => node.quantity('eth_gasPrice', [], soon()),
    ]) {
      for (const [text, kind] of [
        ['header not found', 'unknown-block'],
        ['execution reverted', 'reverted'],
      ] as const) {
        refuse(-32000, text, '0x08c379a0');
        const message = expect.stringMatching(/^A call of this service failed: /);
        await expect(call()).rejects.toMatchObject({ statusCode: 502, kind, message });
      }
    }
  });

  it.each([401, 403])('is a 502 if a %i comes with an error of JSON-RPC', async (status) => {
    server.answer(respond(status, {}, '{"id":1,"error":{"code":-32602,"message":"execution reverted"}}'));

    await expect(read()).rejects.toMatchObject({
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
    'is a 502 if the node returns %j',
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
  ])('is a 400 only if the transaction fails: %s', async (message, statusCode, kind) => {
    refuse(-32000, message);

    await expect(node.estimateGas(request, soon())).rejects.toMatchObject({ statusCode, kind });
  });
});
