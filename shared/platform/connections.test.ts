import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Loopback, respondJson, startLoopback } from '../../test/pipeline/loopback.ts';
import { slowLookups } from '../../test/pipeline/slow-lookups.ts';
import { createPost, createTransport, persistent, send, TransportError } from './transport.ts';

const ok = respondJson({});
const SLOW_CONNECTION_MS = 150;
const ANSWERED_AFTER_MS = 60;

/** Answers the first `times` requests of a connection and cuts it at the next. */
function cutAfter(times: number): RequestListener {
  const counts = new WeakMap<Socket, number>();
  return (request, response) => {
    const count = (counts.get(request.socket) ?? 0) + 1;
    counts.set(request.socket, count);
    if (count > times) request.socket.destroy();
    else ok(request, response);
  };
}

let server: Loopback;
beforeEach(async () => {
  server = await startLoopback(ok);
});
afterEach(async () => {
  vi.useRealTimers();
  await server.close();
});

const transport = () => persistent(createTransport({ baseUrl: server.url, headers: {} }), server.url);

describe('a connection', () => {
  it('is kept for the next request, and replaced without an error if it turns out to be dead', async () => {
    server.answer(cutAfter(2));
    const { get } = transport();
    await get('/1', 15_000);
    await get('/2', 15_000);
    expect(server.connections).toBe(1);

    expect((await get('/3', 15_000)).status).toBe(200);
    expect(server.requests).toEqual(['/1', '/2', '/3', '/3']);
    expect(server.connections).toBe(2);
  });

  it('is replaced together with all others that were kept, and those in use go on', async () => {
    const { get } = transport();
    await Promise.all(['/1', '/2', '/3'].map((path) => get(path, 15_000)));
    const held = Promise.withResolvers<void>();
    const cut = cutAfter(0);
    const kept = server.connections;
    let dead = 0;
    server.answer((request, response) => {
      if (request.url === '/slow') void held.promise.then(() => ok(request, response));
      else if (server.connections === kept && ++dead > 0) cut(request, response);
      else ok(request, response);
    });

    const slow = get('/slow', 15_000);
    while (!server.requests.includes('/slow')) await new Promise(setImmediate);
    const quick = await get('/quick', 15_000);
    held.resolve();

    expect(quick.status).toBe(200);
    expect((await slow).status).toBe(200);
    expect(dead).toBe(1);
    expect(server.requests.filter((path) => path === '/slow')).toHaveLength(1);
  });

  it('is not used again after a pause of more than 15 s, as of a frozen container', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { get } = transport();
    await get('/1', 15_000);

    vi.setSystemTime(Date.now() + 15_001);
    await get('/2', 15_000);

    expect(server.connections).toBe(2);
  });

  it('is shared by everything that sends requests to a host', async () => {
    const others = [createTransport({ baseUrl: `${server.url}/v2`, headers: {} }), createPost(server.url)];
    await transport().get('/1', 15_000);
    for (const other of others)
      await ('get' in other ? other.get('/2', 15_000) : other('{}', { timeoutMs: 15_000, maxBytes: 100 }));

    expect(server.requests).toHaveLength(3);
    expect(server.connections).toBe(1);
  });

  it('leaves a response its whole time, however long it took to open, the first time and after a pause', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    slowLookups(SLOW_CONNECTION_MS);
    server.answer((request, response) => void setTimeout(() => ok(request, response), ANSWERED_AFTER_MS));
    const url = new URL(server.url.replace('127.0.0.1', 'localhost'));
    const limits = { timeoutMs: 15_000, answerWithinMs: SLOW_CONNECTION_MS, maxBytes: 100 };

    expect((await send({ url, ...limits })).status).toBe(200);
    vi.setSystemTime(Date.now() + 15_001);
    expect((await send({ url, ...limits })).status).toBe(200);
    expect(server.connections).toBe(2);
    const late = send({ url, ...limits, answerWithinMs: ANSWERED_AFTER_MS / 2 });
    await expect(late).rejects.toMatchObject({ kind: 'timeout', timeOut: 'whole' });
  });

  it('is an error if a new one is cut', async () => {
    server.answer(cutAfter(0));

    await expect(transport().get('/x', 15_000)).rejects.toEqual(
      new TransportError('connection', 'ECONNRESET'),
    );
    expect(server.requests).toEqual(['/x']);
  });

  it('is an error if nobody listens', async () => {
    const { url, close } = await startLoopback();
    await close();

    await expect(createTransport({ baseUrl: url, headers: {} }).get('/x', 15_000)).rejects.toEqual(
      new TransportError('connection', 'ECONNREFUSED'),
    );
  });

  it('is given up after 2 s if the other side does not take it', async () => {
    const deaf = await startDeafServer();

    const failure = createTransport({ baseUrl: `http://127.0.0.1:${deaf.port}`, headers: {} }).get(
      '/x',
      15_000,
    );

    await expect(failure).rejects.toEqual(
      new TransportError('connection', 'no connection within 2 s', 'whole'),
    );
    await deaf.close();
  });
});

/** A port whose queue of connections is full and that nobody takes any from: its thread sleeps. */
async function startDeafServer() {
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads');
     const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
       parentPort.postMessage(server.address().port);
       Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20_000);
     });`,
    { eval: true },
  );
  const [port] = (await once(worker, 'message')) as [number];
  const fillers = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  // The kernel has queued then what it takes of them.
  await expect.poll(() => fillers.some(({ connecting }) => !connecting)).toBe(true);
  return {
    port,
    async close() {
      for (const filler of fillers) filler.destroy();
      await worker.terminate();
    },
  };
}
