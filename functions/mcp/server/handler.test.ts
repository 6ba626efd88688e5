import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { failure, refusalHeaders, type TestRequest } from '../../../test/pipeline/event.ts';
import { underTest } from '../../../test/pipeline/under-test.ts';
import { listedTools } from '../listed-tools.ts';
import { tools } from '../tools.ts';
import { route } from './route.ts';

const served = underTest(route, () => import('./handler.ts'));
beforeEach(() => void vi.stubEnv('NODE_ENV', 'test'));
afterEach(() => {
  vi.unstubAllEnvs();
  // The next file's own import must not meet a handler that was opened with these settings.
  vi.resetModules();
});

const json = { 'content-type': 'application/json' };

/** Status, headers and body of the answer to a message, or to a text as it is. */
async function send(
  message: unknown,
  given: Pick<TestRequest, 'headers' | 'sourceIp' | 'isBase64Encoded'> = {},
) {
  const body = typeof message === 'string' ? message : JSON.stringify(message);
  const answer = await served.send({ headers: json, body, ...given });
  return { ...answer, body: answer.body === '' ? undefined : JSON.parse(answer.body) };
}

const request = (method: string, params?: object) => ({ jsonrpc: '2.0', id: 7, method, params });
const callOf = (name: string, args?: object) => request('tools/call', { name, arguments: args });
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const newest = (method: string, name?: string) => ({
  headers: {
    ...json,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(name && { 'mcp-name': name }),
  },
});

describe('the tools', () => {
  it.each([
    ['get_tickers', 'ids', { type: 'array', items: { type: 'string' }, maxItems: 100 }],
    ['get_tickers', 'symbols', { type: 'array', items: { type: 'string' }, maxItems: 100 }],
    ['get_price_at', 'at', { type: 'array', items: { type: 'string' }, maxItems: 100 }],
    ['convert_amount', 'amount', { type: ['number', 'string'] }],
  ])('take lists as arrays and amounts as numbers: %s, %s', (tool, parameter, schema) => {
    const { inputSchema } = listedTools.find(({ name }) => name === tool) ?? {};
    expect(inputSchema?.properties?.[parameter]).toMatchObject(schema);
  });

  it('name their routes’ parameters and no others, in few enough words for all', () => {
    expect(Buffer.byteLength(JSON.stringify(listedTools))).toBeLessThanOrEqual(12_000);
    const listed = listedTools.map(({ inputSchema }) => [
      Object.keys(inputSchema.properties ?? {}),
      inputSchema.required,
      inputSchema.additionalProperties,
    ]);
    const ofRoutes = tools.map(({ route: { parameters } }) => [
      parameters.map(({ name }) => name),
      parameters.filter(({ required }) => required).map(({ name }) => name),
      false,
    ]);
    expect(listed).toEqual(ofRoutes);
  });

  it('refuse an unknown parameter in a result that names the allowed ones', async () => {
    const { status, body } = await send(callOf('get_coin', { coin: 'btc-bitcoin' }));

    expect([status, body.result]).toEqual([
      200,
      { content: [{ type: 'text', text: 'Unknown parameter: coin; allowed: id' }], isError: true },
    ]);
  });

  it.each([
    ['nothing', {}, 'Missing parameter: q'],
    ['null', { q: null }, 'Missing parameter: q'],
    [
      'a number out of bounds',
      { q: 'x', limit: 0 },
      'Invalid parameter limit: 0; allowed: an integer from 1 to 100',
    ],
    [
      'an object',
      { q: 'x', limit: { a: 1 } },
      'Invalid parameter limit: "{\\"a\\":1}"; allowed: an integer from 1 to 100',
    ],
  ])('return their route’s error text: %s', async (_case, args, words) => {
    const { body } = await send(callOf('search_coins', args));

    expect(body.result).toEqual({
      content: [{ type: 'text', text: `${words}\nHTTP 400` }],
      isError: true,
    });
  });

  it('have one limit together', async () => {
    const sourceIp = '192.0.2.1';
    for (let n = 0; n < 50; n += 1) {
      await send(callOf('search_coins', {}), { sourceIp });
      await send(callOf('get_coin', {}), { sourceIp });
    }
    const { status, headers, body } = await send(callOf('get_ticker', {}), { sourceIp });
    const seconds = headers['retry-after'];
    expect([status, seconds]).toEqual([429, headers['ratelimit-reset']]);
    expect(body).toEqual(
      failure(`Rate limit exceeded: this client's, 100 requests a minute; try again in ${seconds} s`),
    );
  });
});

describe('a message', () => {
  it('is answered with the headers of every answer, and by no cache', async () => {
    expect(await send(request('ping'))).toEqual({
      status: 200,
      headers: { ...refusalHeaders(100), 'content-type': 'application/json' },
      body: { jsonrpc: '2.0', id: 7, result: {} },
    });
  });

  it.each([
    ['no JSON', '{"jsonrpc":', 400, -32700],
    ['a batch', [request('ping'), request('ping')], 400, -32600],
    ['null', null, 400, -32600],
    ['another JSON-RPC', { jsonrpc: '1.0', method: 'ping', id: 7 }, 400, -32600],
    [
      'nested too deeply',
      `{"jsonrpc":"2.0","id":7,"method":"ping","params":${'{"a":'.repeat(70)}1${'}'.repeat(71)}`,
      400,
      -32600,
    ],
    ['a method that is not there', request('resources/list'), 200, -32601],
    ['a tool that is not there', callOf('get_rich'), 200, -32602],
    ['a call of no tool', request('tools/call', {}), 200, -32602],
    ['arguments that are a list', request('tools/call', { name: 'get_coin', arguments: ['x'] }), 200, -32602],
  ])('that is %s is a JSON-RPC error', async (_case, message, status, code) => {
    const answer = await send(message);

    expect(answer).toMatchObject({ status, body: { jsonrpc: '2.0', error: { code } } });
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it.each(['notifications/initialized', 'notifications/cancelled', 'notifications/other'])(
    'that needs no response is accepted without one: %s',
    async (method) => {
      const answer = await send({ jsonrpc: '2.0', method, params: { requestId: 7 } });
      expect([answer.status, answer.body]).toEqual([202, undefined]);
    },
  );

  it('may come base64-encoded', async () => {
    const encoded = Buffer.from(JSON.stringify(request('ping'))).toString('base64');
    expect((await send(encoded, { isBase64Encoded: true })).status).toBe(200);
  });

  it('is answered with JSON if the client accepts it, and refused otherwise', async () => {
    const statuses = [];
    for (const accept of [undefined, '*/*', 'application/json, text/event-stream', 'text/event-stream'])
      statuses.push(
        (await send(request('ping'), { headers: { ...json, ...(accept && { accept }) } })).status,
      );
    statuses.push((await send(request('ping'), { headers: { 'content-type': 'text/plain' } })).status);
    expect(statuses).toEqual([200, 200, 200, 406, 415]);
  });
});

describe('a message of the newest version', () => {
  it('gets the server’s capabilities, which are tools only', async () => {
    const { status, body } = await send(
      request('server/discover', { _meta: meta }),
      newest('server/discover'),
    );

    expect(status).toBe(200);
    expect(body.result).toMatchObject({
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      instructions: expect.stringContaining('btc-bitcoin'),
    });
    expect(Object.keys(body.result.capabilities)).toEqual(['tools']);
  });

  it('has its headers, or is refused', async () => {
    const { status, body } = await send(request('tools/list', { _meta: meta }), newest('tools/call'));
    expect([status, body.error.code]).toEqual([400, -32020]);
  });

  it('never opens a stream', async () => {
    const message = request('subscriptions/listen', { notifications: {}, _meta: meta });
    const { headers, body } = await send(message, newest('subscriptions/listen'));

    expect(headers['content-type']).toBe('application/json');
    expect(body.error.code).toBe(-32603);
  });

  it.each([
    [
      'a method that is not there',
      request('prompts/list', { _meta: meta }),
      newest('prompts/list'),
      404,
      -32601,
    ],
    [
      'a tool that is not there',
      request('tools/call', { name: 'get_rich', _meta: meta }),
      newest('tools/call', 'get_rich'),
      200,
      -32602,
    ],
  ])('that is %s is a JSON-RPC error', async (_case, message, sent, status, code) => {
    expect(await send(message, sent)).toMatchObject({ status, body: { id: 7, error: { code } } });
  });
});

describe('a web page', () => {
  const from = (origin: string) => send(request('ping'), { headers: { ...json, origin } });

  it.each(['http://localhost:6274', 'https://localhost', 'http://127.0.0.1:3000', 'http://[::1]:8080'])(
    'of this machine is accepted: %s',
    async (origin) => {
      expect((await from(origin)).status).toBe(200);
    },
  );

  it.each(['https://evil.example', 'http://localhost.evil.example', 'http://127.0.0.1.nip.io', 'null'])(
    'of another machine is refused without a key: %s',
    async (origin) => {
      expect(await from(origin)).toMatchObject({
        status: 403,
        body: failure(`Forbidden: web pages of ${origin} may not use this server`),
      });
    },
  );
});
