import { type AddressInfo, connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createGateway, createGatewayServer, type Handle } from './gateway.ts';

async function serve(handle: Handle): Promise<number> {
  const server = createGatewayServer(handle);
  onTestFinished(() => void server.close().closeAllConnections());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port; // it listens on TCP
}

/** The whole response to a request that no HTTP client would send. */
async function rawResponse(port: number, lines: readonly string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.end([...lines, 'Connection: close', '', ''].join('\r\n'));
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) text += chunk;
  return text;
}

it.each([
  ['two hosts', ['Host: localhost', 'Host: evil.example']],
  ['the same host twice', ['Host: localhost', 'host: localhost']],
  ['three hosts', ['Host: localhost', 'Host: localhost', 'HOST: localhost']],
  ['no host', []],
])('a request with %s is a 400, and reaches nothing', async (_what, hosts) => {
  const requests: unknown[] = [];
  const port = await serve(async (request, response) => {
    requests.push(request.url);
    response.end('answered');
  });

  expect(await rawResponse(port, ['GET / HTTP/1.1', ...hosts])).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(requests).toEqual([]);
  expect(await rawResponse(port, ['GET / HTTP/1.1', 'Host: localhost'])).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
});

it('a response varies on everything that the function, CORS and the compression depend on', async () => {
  const result = {
    statusCode: 200,
    headers: { vary: 'x-api-key, authorization', 'content-type': 'application/json' },
    body: JSON.stringify('x'.repeat(2000)),
  };
  const handle = createGateway({
    template: {
      routes: [{ key: 'GET /x', functionId: 'f', timeoutMs: 1000 }],
      cors: { AllowOrigins: ['https://page.example'] },
    },
    invoke: async () => ({ kind: 'answer', result }),
    check: () => [],
    log: () => {},
  });
  const port = await serve(handle);

  const plain = await fetch(`http://127.0.0.1:${port}/x`);
  expect(plain.headers.get('vary')).toBe('x-api-key, authorization, accept-encoding');
  const fromPage = await fetch(`http://127.0.0.1:${port}/x`, { headers: { origin: 'https://page.example' } });
  expect(fromPage.headers.get('vary')).toBe('x-api-key, authorization, Origin, accept-encoding');
});
