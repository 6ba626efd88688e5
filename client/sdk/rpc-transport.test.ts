import { describe, expect, expectTypeOf, test } from 'vitest';
import { createClient, type RpcTransport, rpcTransport } from './index.ts';

/** A transport whose requests get this answer; `sent` fills with the bodies. */
function transportOf(answer: () => Response) {
  const sent: unknown[] = [];
  const client = createClient({
    baseUrl: 'http://service',
    fetch: async (_url, init) => {
      sent.push(JSON.parse(String(init?.body)));
      return answer();
    },
  });
  return { transport: rpcTransport(client, 'mainnet'), sent };
}

const result = (data: unknown) => Response.json({ success: true, data });
const refusal = (status: number, error: string, headers: Record<string, string> = {}) =>
  Response.json({ success: false, error }, { status, headers });
const call = { method: 'eth_call', params: [{ to: '0x0' }, 'latest'] };

describe('rpcTransport', () => {
  test('gives the result of the node', async () => {
    const { transport, sent } = transportOf(() => result('0x2a'));
    expect(await transport.request(call)).toBe('0x2a');
    expect(await transport.request({ method: 'eth_blockNumber' })).toBe('0x2a');
    expect(sent).toEqual([call, { method: 'eth_blockNumber', params: [] }]);
  });

  test('asks for the id of the chain once, unless that fails', async () => {
    const answers = [refusal(504, 'no'), result('0x1')];
    const { transport, sent } = transportOf(() => answers.shift() ?? result('0x2'));
    const chainId = () => transport.request({ method: 'eth_chainId' });
    await expect(chainId()).rejects.toThrow('no');
    expect([await chainId(), ...(await Promise.all([chainId(), chainId()]))]).toEqual(['0x1', '0x1', '0x1']);
    expect(sent).toHaveLength(2);
  });

  test('has the bytes of a revert where the service has them', async () => {
    const headers = { 'x-revert-data': '0x08C379a0' };
    const { transport } = transportOf(() => refusal(400, 'Execution reverted: K', headers));
    await expect(transport.request(call)).rejects.toMatchObject({
      name: 'ProviderRpcError',
      message: 'Execution reverted: K',
      code: 3,
      data: '0x08C379a0',
    });
  });

  test.each<Record<string, string>>([
    { 'x-revert-data': '' },
    { 'x-revert-data': '0x0' },
    { 'x-revert-data': '0xgg' },
    { 'x-revert-data': '0x590a5151', 'x-revert-data-bytes': '5000' }, // cut
  ])('takes %o for no bytes of a revert', async (headers) => {
    const { transport } = transportOf(() => refusal(400, 'Execution reverted', headers));
    await expect(transport.request(call)).rejects.toMatchObject({ code: 3, data: undefined });
  });

  test.each([
    [400, 'Insufficient funds for value and gas', -32000],
    [401, 'Unauthorized', 4100],
    [403, 'Method not allowed: eth_sign', 4200],
    [429, 'Rate limit exceeded', -32005],
    [500, 'Server configuration error', -32603],
    [502, 'The mainnet node failed (error -32000)', -32603],
  ])('says a %i (%s) with the code %i, in the words of the service', async (status, message, code) => {
    const { transport } = transportOf(() => refusal(status, message));
    await expect(transport.request(call)).rejects.toMatchObject({ message, code, data: undefined });
  });

  test('ends a request with its signal, as viem gives it', async () => {
    const { transport, sent } = transportOf(() => result('0x1'));
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(transport.request(call, { signal })).rejects.toThrow('enough');
    expect(sent).toEqual([]);
  });

  test('is not connected while the service does not answer', async () => {
    const { transport } = transportOf(() => {
      throw new TypeError('fetch failed');
    });
    await expect(transport.request(call)).rejects.toMatchObject({ code: 4900 });
  });

  test('has the shape that BrowserProvider of ethers documents as Eip1193Provider', async () => {
    type Call = { method: string; params?: unknown[] | Record<string, unknown> };
    expectTypeOf<RpcTransport>().toExtend<{ request(call: Call): Promise<unknown> }>();
    // It calls `request` alone, and copies these fields; a revert is one for it if the text says so and data are bytes.
    const headers = { 'x-revert-data': '0x590a5151' };
    const { transport } = transportOf(() => refusal(400, 'Execution reverted', headers));
    await expect(transport.request({ method: 'eth_call', params: [] })).rejects.toMatchObject({
      code: 3,
      message: expect.stringMatching(/revert/i),
      data: '0x590a5151',
    });
  });
});
