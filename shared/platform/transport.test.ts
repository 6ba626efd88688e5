import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Loopback, respond, respondJson, startLoopback } from '../../test/pipeline/loopback.ts';
import { AnswerTooLarge, createPost, createTransport, persistent, TransportError } from './transport.ts';

const MEGABYTE = 1024 * 1024;

let server: Loopback;
beforeEach(async () => {
  server = await startLoopback();
});
afterEach(() => server.close());

const transportTo = (baseUrl = server.url) =>
  persistent(createTransport({ baseUrl, headers: { 'user-agent': 'test/1' } }), baseUrl);
const get = (path = '/x', timeoutMs = 15_000) => transportTo().get(path, timeoutMs);

describe('an answer', () => {
  it('comes whole, with its status and headers, for a request below the base URL with the given headers', async () => {
    let sent: unknown;
    server.answer((request, response) => {
      sent = [request.method, request.url, request.headers['user-agent']];
      respond(404, { 'content-type': 'text/plain', 'x-more': 'yes' }, 'nothing here')(request, response);
    });

    const { status, headers, body } = await transportTo(`${server.url}/v1/`).get('/tickers/a%3F?b=1', 5_000);

    expect(sent).toEqual(['GET', '/v1/tickers/a%3F?b=1', 'test/1']);
    expect(status).toBe(404);
    expect(headers).toMatchObject({ 'content-type': 'text/plain', 'x-more': 'yes' });
    expect(body.toString()).toBe('nothing here');
  });

  // RFC 9110, 8.4.1: codings are case-insensitive, and x-gzip is another name of gzip.
  it.each(['gzip', 'X-GZip', 'Identity', ''])('is unpacked if its coding says so: %j', async (coding) => {
    const packed = /gzip/i.test(coding) ? gzipSync('{"price":1}') : '{"price":1}';
    server.answer(respond(200, { 'content-encoding': coding }, packed));

    expect((await get()).body.toString()).toBe('{"price":1}');
  });

  it('may have up to 8 MB', async () => {
    server.answer(respond(200, {}, Buffer.alloc(8 * MEGABYTE)));

    expect((await get()).body).toHaveLength(8 * MEGABYTE);
  });

  it.each([
    ['is larger than 8 MB', {}, Buffer.alloc(8 * MEGABYTE + 1), 'the answer is larger than 8 MB'],
    [
      'unpacks to more than 8 MB',
      { 'content-encoding': 'gzip' },
      gzipSync(Buffer.alloc(64 * MEGABYTE)),
      'the answer is larger than 8 MB',
    ],
    ['is no gzip', { 'content-encoding': 'gzip' }, Buffer.from('{}'), 'the answer is not valid gzip'],
    [
      'is half of a gzip',
      { 'content-encoding': 'gzip' },
      gzipSync('{"price":1}').subarray(0, 20),
      'the answer is not valid gzip',
    ],
    [
      'is packed otherwise',
      { 'content-encoding': 'br' },
      Buffer.from('x'),
      'the answer is encoded, but not as gzip',
    ],
    [
      'is packed twice',
      { 'content-encoding': 'gzip, gzip' },
      gzipSync(gzipSync('x')),
      'the answer is encoded, but not as gzip',
    ],
  ])('is refused where it %s', async (_what, headers, body, message) => {
    server.answer(respond(200, headers as Record<string, string>, body));

    await expect(get()).rejects.toEqual(new TransportError('answer', message));
  });

  it('is refused if it breaks off', async () => {
    server.answer((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"price":', () => response.destroy());
    });

    await expect(get()).rejects.toEqual(new TransportError('answer', 'the answer broke off'));
  });
});

describe('time', () => {
  it('runs out if nothing is answered', async () => {
    server.answer(() => {});

    await expect(get('/x', 50)).rejects.toEqual(
      new TransportError('timeout', 'no answer within 0.1 s', 'whole'),
    );
  });

  it('runs out if the answer drips', async () => {
    let drip: NodeJS.Timeout | undefined;
    server.answer((_request, response) => {
      response.writeHead(200);
      drip = setInterval(() => response.write('x'), 5);
    });

    await expect(get('/x', 200)).rejects.toEqual(
      new TransportError('timeout', 'no answer within 0.2 s', 'whole'),
    );
    clearInterval(drip);
  });

  it('has not run out for an answer that arrives while this thread is busy', async () => {
    const worker = new Worker(
      `const { parentPort } = require('node:worker_threads');
       const server = require('node:http').createServer((_, response) => setTimeout(() => response.end('there'), 20));
       server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`,
      { eval: true },
    );
    const [port] = (await once(worker, 'message')) as [number];
    const answer = transportTo(`http://127.0.0.1:${port}`).get('/x', 100);
    await sleep(10);
    await nextTurn(); // whereafter the event loop looks at timers first
    const until = performance.now() + 300;
    while (performance.now() < until);

    expect((await answer).body.toString()).toBe('there');
    await worker.terminate();
  });

  it('is one for the request and its redirect', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      server.answer((request, response) => {
        if (request.url !== '/x') return;
        vi.setSystemTime(Date.now() + 900);
        response.writeHead(302, { location: '/y' }).end();
      });

      await expect(get('/x', 1_000)).rejects.toEqual(
        new TransportError('timeout', 'no answer within 0.1 s', 'whole'),
      );
      expect(server.requests).toEqual(['/x', '/y']);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a redirect', () => {
  const location = (to: string) => respond(301, { location: to });

  it.each([
    ['a path', '/y?b=1'],
    ['a whole URL of the same host', 'self'],
  ])('is followed to %s', async (_what, to) => {
    server.answer((request, response) => {
      if (request.url === '/y?b=1') return respondJson({ found: true })(request, response);
      location(to === 'self' ? `${server.url}/y?b=1` : to)(request, response);
    });

    const { status, body } = await get();

    expect([status, body.toString()]).toEqual([200, '{"found":true}']);
  });

  it('is followed once only', async () => {
    server.answer((request, response) => location(`${request.url}x`)(request, response));

    const { status } = await get();

    expect(status).toBe(301);
    expect(server.requests).toEqual(['/x', '/xx']);
  });

  it.each(['http://elsewhere.invalid/x', 'https://127.0.0.1/x', '//elsewhere.invalid/x'])(
    'is refused to another host: %s',
    async (to) => {
      server.answer(location(to));

      await expect(get()).rejects.toEqual(new TransportError('answer', 'it redirects to another host'));
      expect(server.requests).toHaveLength(1);
    },
  );

  it('is refused to another port of the host', async () => {
    const other = await startLoopback();
    server.answer(location(`${other.url}/x`));

    await expect(get()).rejects.toEqual(new TransportError('answer', 'it redirects to another host'));
    expect(other.requests).toEqual([]);
    await other.close();
  });

  it.each(['', 'http://['])('stays an answer if it leads nowhere: %j', async (to) => {
    server.answer(location(to));

    expect(await get()).toMatchObject({ status: 301 });
  });
});

describe('a POST', () => {
  const limits = { timeoutMs: 15_000, maxBytes: MEGABYTE };

  it('carries its JSON to the very URL', async () => {
    let seen: unknown;
    server.answer(async (request, response) => {
      const { method, url, headers } = request;
      seen = [method, url, headers['content-type'], headers['content-length'], await text(request)];
      response.end('{}');
    });

    await createPost(`${server.url}/v2/?key=k`)('{"price":"1 €"}', limits);

    expect(seen).toEqual(['POST', '/v2/?key=k', 'application/json', '17', '{"price":"1 €"}']);
  });

  it('takes no more than its caller allows', async () => {
    server.answer(respond(200, {}, Buffer.alloc(MEGABYTE + 1)));

    await expect(createPost(server.url)('{}', limits)).rejects.toBeInstanceOf(AnswerTooLarge);
  });

  it('is not sent elsewhere', async () => {
    server.answer(respond(307, { location: '/other' }, ''));

    expect(await createPost(server.url)('{}', limits)).toMatchObject({ status: 307 });
    expect(server.requests).toEqual(['/']);
  });
});
