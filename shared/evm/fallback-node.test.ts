import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { nodeAt, type RpcCall, respondRpc, soon } from '../../test/evm/node.ts';
import { type Loopback, respond, startLoopback } from '../../test/pipeline/loopback.ts';
import { takeMetrics } from '../platform/metrics.ts';
import type { Node } from './node.ts';

const LOCAL = '0x7a69';
const to = '0x00000000000000000000000000000000000000A1';

/** A node of the chain `local` that answers everything else with `answer`. */
const nodeThat = (answer: (call: RpcCall) => object, chainId = LOCAL) =>
  respondRpc((call) => (call.method === 'eth_chainId' ? { result: chainId } : answer(call)));
const refusal = (code: number, message: string, data?: string) =>
  nodeThat(() => ({ error: { code, message, data } }));

let first: Loopback;
let second: Loopback;
let node: Node;
beforeEach(async () => {
  first = await startLoopback(nodeThat(() => ({ result: '0x1' })));
  second = await startLoopback(nodeThat(() => ({ result: '0x2' })));
  node = nodeAt(`${first.url}/k3y-of-the-first , ${second.url}/k3y-of-the-second`);
  takeMetrics('test');
});
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all([first.close(), second.close()]);
});

const read = () => node.quantity('eth_blockNumber', [], soon());
const fallbacks = () => JSON.parse(takeMetrics('test') ?? '{}').NodeFallback ?? 0;

describe('the second of two nodes', () => {
  it('gets no request while the first works', async () => {
    expect(await read()).toBe(1n);
    expect([second.requests, fallbacks()]).toEqual([[], 0]);
  });

  it.each([
    ['a refused key', respond(401, {}, '{"id":1,"error":{"code":-32602,"message":"key"}}')],
    ['a 429', respond(429, {}, '{}')],
    ['a fault', respond(500, {}, '')],
    ['HTML', respond(200, {}, '<html>')],
    ['a limit as an error', refusal(-32005, 'daily request count exceeded')],
    ['an internal error', refusal(-32603, 'internal error')],
    ['no number', nodeThat(() => ({ result: 'soon' }))],
    ['no result', nodeThat(() => ({}))],
  ])('answers if the first returns %s, and is counted', async (_what, listener) => {
    first.answer(listener);

    expect(await read()).toBe(2n);
    expect(fallbacks()).toBe(1);
  });

  it('answers if the first is unreachable', async () => {
    await first.close();

    expect(await read()).toBe(2n);
    first = await startLoopback();
  });

  it('answers before the caller’s deadline if the first is silent', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    first.answer(() => {});

    const answer = node.quantity('eth_blockNumber', [], Date.now() + 600);
    await expect.poll(() => first.requests.length).toBe(1);
    await vi.advanceTimersByTimeAsync(300);
    expect(await answer).toBe(2n);
  });

  it.each([
    ['a revert', 3, 'execution reverted', 400, 'reverted'],
    ['lack of gas', -32000, 'out of gas', 400, 'out-of-gas'],
    ['an unknown block', -32000, 'header not found', 400, 'unknown-block'],
    ['a method that it does not have', -32601, 'no such method', 502, 'method'],
  ])('gets no request after %s', async (_what, code, message, statusCode, kind) => {
    first.answer(refusal(code, message));

    const result = node.rpc('eth_call', [], { deadline: soon() });

    await expect(result).rejects.toMatchObject({ statusCode, kind });
    expect(second.requests).toEqual([]);
  });

  it('gets no request after a response above the caller’s limit', async () => {
    first.answer(nodeThat(() => ({ result: 'x'.repeat(2_000) })));

    const result = node.rpc('eth_call', [], { deadline: soon(), maxBytes: 1_000 });

    await expect(result).rejects.toMatchObject({ statusCode: 400, kind: 'too-large' });
    expect(second.requests).toEqual([]);
  });

  it('determines the result, and is tried once', async () => {
    first.answer(respond(503, {}));
    second.answer(refusal(3, 'execution reverted', '0x08c379a0'));

    await expect(node.call({ to, data: '0x' }, 'latest', soon())).rejects.toMatchObject({ kind: 'reverted' });
    second.answer(respond(500, {}));
    await expect(read()).rejects.toMatchObject({ statusCode: 502, message: 'The local node answered 503' });
    expect(second.requests).toHaveLength(3);
  });

  it('goes first for ten seconds after a failure of the first, which is then its fallback', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    first.answer(respond(503, {}));
    await read();
    first.answer(nodeThat(() => ({ result: '0x1' })));

    expect(await read()).toBe(2n);
    second.answer(respond(503, {}));
    expect(await read()).toBe(1n);
    second.answer(nodeThat(() => ({ result: '0x2' })));
    vi.setSystemTime(Date.now() + 10_000);
    expect(await read()).toBe(1n);
  });
});

describe('the chain', () => {
  it('of the first is checked, and the second does not hide a wrong one', async () => {
    first.answer(nodeThat(() => ({ result: '0x1' }), '0x1'));

    await expect(read()).rejects.toMatchObject({
      statusCode: 500,
      cause: 'LOCAL_RPC_URL belongs to chain 1',
    });
  });

  it('of the second is checked before its first request', async () => {
    const methods: string[] = [];
    second.answer(
      respondRpc(({ method }) => {
        methods.push(method);
        return { result: '0x1' };
      }),
    );
    first.answer(respond(503, {}));

    await expect(read()).rejects.toMatchObject({
      statusCode: 500,
      cause: 'LOCAL_RPC_URL belongs to chain 1',
    });
    expect(methods).toEqual(['eth_chainId']);

    first.answer(nodeThat(() => ({ result: '0x1' })));
    expect(await read()).toBe(1n);
  });
});

describe('the secret', () => {
  it.each([
    '',
    'http://a.example,',
    'http://a.example,http://b.example,http://c.example',
    'http://a.example,wss://b.example',
    'http://a.example;http://b.example,x',
  ])('is refused with the name of its variable if it is %j', (secret) => {
    const wrong = {
      statusCode: 500,
      message: 'Server configuration error',
      cause: 'LOCAL_RPC_URL must be an http:// or https:// URL, or two of them separated by a comma',
    };
    expect(() => nodeAt(secret)).toThrow(expect.objectContaining(wrong));
  });

  it('is cut from the responses of both nodes, whole or in part', async () => {
    const leak = `${first.url}/k3y-of-the-first,${second.url}/k3y-of-the-second k3y-of-the-first k3y-of-the-second`;
    first.answer(nodeThat(() => ({ result: leak })));
    const answers = [await node.rpc('eth_call', [], { deadline: soon() })];
    first.answer(respond(503, {}));
    second.answer(nodeThat(() => ({ result: leak })));
    answers.push(await node.rpc('eth_call', [], { deadline: soon() }));

    for (const answer of answers) expect(answer).not.toMatch(/k3y/);
  });
});
