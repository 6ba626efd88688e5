import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { serveFixture } from './fixture.ts';

const spender = `let spent = 0; export const handler = async () => ({ spent: ++spent });`;
const cors = { AllowOrigins: ['https://app.example'], AllowMethods: ['POST'] };

const fixture = { routes: { $default: 'Spender' }, functions: { Spender: { code: spender } }, cors };

const serve = (env: Record<string, string> = {}) => serveFixture(fixture, { env });

/** One request with these headers as they are; fetch sets `host` and forbids `origin`. */
async function send(url: string, headers: Record<string, string>, method = 'POST') {
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number | undefined;
    allowed: string | undefined;
    body: unknown;
  }>();
  const sent = request(url, { method, headers, agent: false }, (response) => {
    const allowed = response.headers['access-control-allow-origin'];
    const read = response.statusCode === 204 ? Promise.resolve('') : json(response);
    read.then((body) => resolve({ status: response.statusCode, allowed, body }), reject);
  });
  sent.on('error', reject);
  sent.end(method === 'POST' ? '{}' : undefined);
  return await promise;
}

test('requests from foreign pages, or to foreign hosts, reach no function', async () => {
  const { url } = await serve();
  for (const [method, origin] of [
    ['POST', 'https://evil.example'],
    ['POST', 'null'],
    ['POST', 'http://localhost.evil.example'],
    ['POST', 'http://127.0.0.1.nip.io'],
    ['POST', 'http://evil.example/localhost'],
    ['GET', 'https://evil.example'],
    ['OPTIONS', 'https://evil.example'],
  ] as const)
    expect(await send(url, { origin, 'access-control-request-method': 'POST' }, method)).toEqual({
      status: 403,
      allowed: undefined,
      body: {
        success: false,
        error: `Forbidden: web pages of ${origin} may not call this service; to let them, start it with CORS_ORIGINS=${origin}`,
      },
    });
  // Even as a page of that host.
  for (const host of [
    'evil.example',
    'evil.example:3000',
    '127.0.0.1.nip.io:3000',
    '192.0.2.1',
    '[2001:db8::1]:80',
  ])
    expect(await send(url, { host, origin: `http://${host}` })).toEqual({
      status: 403,
      allowed: undefined,
      body: {
        success: false,
        error: `Forbidden: ${host} is no name of this service; to call it so, start it with ALLOWED_HOSTS=${host.replace(/:\d+$/, '')}`,
      },
    });
  expect(await send(url, {})).toMatchObject({ status: 200, body: { spent: 1 } });
});

test('the names of this machine, and the origins that CORS allows, are accepted', async () => {
  const { url } = await serve();
  for (const [host, origin] of [
    ['localhost:3000', 'http://localhost:5173'],
    ['127.0.0.1', 'http://127.0.0.1:8080'],
    ['127.9.9.9:1', 'https://localhost'],
    ['[::1]:3000', 'http://[::1]:3000'],
    ['API.localhost', 'http://app.localhost:1234'],
    ['localhost', 'https://app.example'],
  ] as const)
    expect([host, await send(url, { host, origin })]).toMatchObject([host, { status: 200 }]);
});

test('ALLOWED_HOSTS adds names of this machine, whose own pages may call', async () => {
  const { url } = await serve({ ALLOWED_HOSTS: 'host.docker.internal, Devbox' });
  expect(await send(url, { host: 'host.docker.internal:3000' })).toMatchObject({ status: 200 });
  expect(await send(url, { host: 'devbox:80', origin: 'http://devbox:80' })).toMatchObject({ status: 200 });
  expect(await send(url, { host: 'other' })).toMatchObject({ status: 403 });
});

test('CORS_ORIGINS adds origins whose pages may call and read responses', async () => {
  const { url } = await serve({ CORS_ORIGINS: 'http://devbox:5173,https://preview.example' });
  for (const origin of ['http://devbox:5173', 'https://preview.example', 'https://app.example'])
    expect(await send(url, { origin })).toMatchObject({ status: 200, allowed: origin });
  expect(await send(url, { origin: 'http://devbox:5174' })).toMatchObject({ status: 403 });
  const preflight = { origin: 'http://devbox:5173', 'access-control-request-method': 'POST' };
  expect(await send(url, preflight, 'OPTIONS')).toMatchObject({ status: 204, allowed: preflight.origin });
});
