import { request } from 'node:http';
import { expect, test } from 'vitest';
import { type Fixture, get, serveFixture } from './fixture.ts';

const echo: Fixture = {
  routes: { $default: 'Fallback', 'GET /coins/{id}': 'Coin', 'POST /coins': 'Create' },
  functions: { Fallback: {}, Coin: {}, Create: {} },
};

/** Sends exactly these headers and this target: `fetch` would join and normalise them. */
async function send(url: string, target: string, headers: string[], method = 'GET', body?: Buffer | string) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number | undefined; body: string }>();
  const { hostname, port } = new URL(url);
  const sent = request({ hostname, port, path: target, method, headers, agent: false }, async (response) => {
    let text = '';
    for await (const chunk of response) text += chunk;
    resolve({ status: response.statusCode, body: text });
  });
  sent.on('error', reject);
  sent.end(body);
  return promise;
}

test('the function gets the whole event that API Gateway would send', async () => {
  const { url } = await serveFixture(echo);
  const host = new URL(url).host;

  const headers = [
    'Host',
    host,
    'X-Key',
    'a',
    'x-key',
    'b',
    'Cookie',
    'one=1; two=2',
    'User-Agent',
    'test/1',
  ];
  const before = Date.now();
  const { body } = await send(url, '/coins/btc-bitcoin?a=1&a=2&b=x%20y&c', headers);
  const event = JSON.parse(body);

  expect(event).toEqual({
    version: '2.0',
    routeKey: 'GET /coins/{id}',
    rawPath: '/coins/btc-bitcoin',
    rawQueryString: 'a=1&a=2&b=x%20y&c',
    cookies: ['one=1', 'two=2'],
    headers: {
      'content-length': '0',
      host,
      'user-agent': 'test/1',
      'x-amzn-trace-id': expect.stringMatching(/^Root=1-[0-9a-f]{8}-[0-9a-f]{24}$/),
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-port': new URL(url).port,
      'x-forwarded-proto': 'http',
      'x-key': 'a,b',
    },
    queryStringParameters: { a: '1,2', b: 'x y', c: '' },
    pathParameters: { id: 'btc-bitcoin' },
    requestContext: {
      accountId: '123456789012',
      apiId: 'local',
      domainName: host,
      domainPrefix: '127',
      http: {
        method: 'GET',
        path: '/coins/btc-bitcoin',
        protocol: 'HTTP/1.1',
        sourceIp: '127.0.0.1',
        userAgent: 'test/1',
      },
      requestId: expect.stringMatching(/^[\w+/]{15}=$/),
      routeKey: 'GET /coins/{id}',
      stage: '$default',
      time: expect.stringMatching(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/),
      timeEpoch: expect.any(Number),
    },
    isBase64Encoded: false,
  });
  expect(event.requestContext.timeEpoch).toBeGreaterThanOrEqual(before);
  expect(event.requestContext.timeEpoch).toBeLessThanOrEqual(Date.now());
});

test('the source address is the socket’s, regardless of headers', async () => {
  const { url } = await serveFixture(echo);
  const { body } = await get(`${url}/x`, { headers: { 'x-forwarded-for': '203.0.113.9' } });
  expect(body.requestContext.http.sourceIp).toBe('127.0.0.1');
  expect(body.headers['x-forwarded-for']).toBe('203.0.113.9, 127.0.0.1');
});

test('a path segment arrives decoded once', async () => {
  const { url } = await serveFixture(echo);
  for (const [segment, id] of [
    ['toto-totoro-inu-%3F', 'toto-totoro-inu-?'],
    ['%E6%88%98%E6%97%97-%E6%88%98%E6%97%97', '战旗-战旗'],
    ['a%2Fb', 'a/b'],
    ['100%2525', '100%25'],
    ['bad%zz', 'bad%zz'],
    ['cut%E6%88', 'cut%E6%88'],
    ['a+b', 'a+b'],
  ]) {
    const event = JSON.parse((await send(url, `/coins/${segment}`, ['Host', 'localhost'])).body);
    expect(event).toMatchObject({ pathParameters: { id }, rawPath: `/coins/${id}` });
  }
});

test('a path of raw UTF-8 is a 400 of the gateway’s own', async () => {
  const { url } = await serveFixture(echo);
  const segment = Buffer.from('战旗').toString('latin1');
  expect(await send(url, `/coins/${segment}`, ['Host', 'localhost'])).toEqual({
    status: 400,
    body: '{"message":"Bad Request"}',
  });
});

test('a text body arrives as text, others as base64', async () => {
  const { url } = await serveFixture(echo);
  const post = async (type: string, body: Buffer | string) => {
    const headers = [
      'Host',
      'localhost',
      'Content-Type',
      type,
      'Content-Length',
      String(Buffer.byteLength(body)),
    ];
    const event = JSON.parse((await send(url, '/coins', headers, 'POST', body)).body);
    return { body: event.body, isBase64Encoded: event.isBase64Encoded };
  };

  const json = '{"name":"战旗"}';
  expect(await post('application/json; charset=utf-8', json)).toEqual({ body: json, isBase64Encoded: false });
  expect(await post('text/plain', 'hello')).toEqual({ body: 'hello', isBase64Encoded: false });
  const bytes = Buffer.from([0, 255, 128, 10]);
  const base64 = { body: bytes.toString('base64'), isBase64Encoded: true };
  expect(await post('application/octet-stream', bytes)).toEqual(base64);
});
