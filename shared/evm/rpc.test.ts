import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeAt, type RpcCall, respondRpc, soon } from '../../test/evm/node.ts';
import { type Loopback, respond, startLoopback } from '../../test/pipeline/loopback.ts';
import type { Rpc } from './rpc.ts';

let server: Loopback;
let rpc: Rpc;
beforeEach(async () => {
  server = await startLoopback();
  ({ rpc } = nodeAt(server.url));
});
afterEach(() => server.close());

const ask = () => rpc('eth_gasPrice', [], { deadline: soon() });
const unusable = (what: string) => ({
  statusCode: 502,
  message: `The local node gave an unusable answer: ${what}`,
});
const nested = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);

describe('the id of a call', () => {
  it('is another one each time, and the answer repeats it', async () => {
    const calls: RpcCall[] = [];
    server.answer(
      respondRpc((call) => {
        calls.push(call);
        return { result: call.id };
      }),
    );

    expect([await ask(), await ask()]).toEqual([1, 2]);
    expect(calls[0]).toEqual({ jsonrpc: '2.0', id: 1, method: 'eth_gasPrice', params: [] });
  });

  it.each([
    ['of another call', { id: 2, result: '0x1' }],
    ['of the same digits as a text', { id: '1', result: '0x1' }],
    ['that is null', { id: null, result: '0x1' }],
    ['that is left out', { id: undefined, result: '0x1' }],
    ['of another call, with an error', { id: 2, error: { code: 3, message: 'execution reverted' } }],
  ])('makes an answer unusable if it is one %s', async (_what, answer) => {
    server.answer(respondRpc(() => answer));

    await expect(ask()).rejects.toMatchObject(unusable('its id is not that of the request'));
  });

  it.each([null, undefined])('may be %s in an error: the node may have read none', async (id) => {
    server.answer(respondRpc(() => ({ id, error: { code: -32602, message: 'invalid params' } })));

    await expect(ask()).rejects.toMatchObject({
      statusCode: 400,
      message: 'The local node refused the parameters (error -32602)',
    });
  });
});

describe('an answer', () => {
  it.each([
    ['[{"jsonrpc":"2.0","id":1,"result":"0x1"}]', 'a batch'],
    ['[{"jsonrpc":"2.0","id":1,"error":{"code":3,"message":"x"}}]', 'a batch'],
    ['', 'broken JSON'],
    ['<html>', 'broken JSON'],
    ['null', 'broken JSON'],
  ])('is unusable if it is no JSON object: %s', async (body, what) => {
    server.answer(respond(200, {}, body));

    await expect(ask()).rejects.toMatchObject(unusable(what));
  });

  it('is told of by its status if that is not 200 and no error is of this call', async () => {
    server.answer(respond(503, {}, '[{"error":{"code":3,"message":"x"}}]'));

    await expect(ask()).rejects.toMatchObject({ statusCode: 502, message: 'The local node answered 503' });
  });

  it('may be nested 64 levels deep', async () => {
    server.answer(respondRpc(() => ({ result: nested(64) })));

    expect(await ask()).toEqual(nested(64));
  });

  it.each([65, 30_000, 400_000])('is unusable if it is nested %i levels deep', async (levels) => {
    server.answer(respond(200, {}, `{"id":1,"result":${'['.repeat(levels)}${']'.repeat(levels)}}`));

    await expect(ask()).rejects.toMatchObject(unusable('nested more than 64 levels deep'));
  });
});

describe('the limit of the node', () => {
  const limited = (seconds: number) => ({
    statusCode: 429,
    message: `Rate limit exceeded: the limit of the local node; try again in ${seconds} s`,
    headers: { 'retry-after': String(seconds) },
  });

  it.each([
    ['as long as a 429 asks for', { 'retry-after': '42' }, 42],
    ['at least a second', { 'retry-after': '0' }, 1],
    ['ten seconds if a 429 tells no time', {}, 10],
    ['ten seconds if a 429 tells a date', { 'retry-after': 'Sun, 22 Nov 2026 12:00:00 GMT' }, 10],
  ])('is to be waited for %s', async (_how, headers, seconds) => {
    server.answer(respond(429, headers as Record<string, string>, '{}'));

    await expect(ask()).rejects.toMatchObject(limited(seconds));
  });

  it('is to be waited for ten seconds if only the error tells of it', async () => {
    server.answer(respondRpc(() => ({ error: { code: -32005, message: 'daily request count exceeded' } })));

    await expect(ask()).rejects.toMatchObject(limited(10));
  });
});
