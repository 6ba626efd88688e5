import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Kept {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
  readonly at: number;
  readonly freshUntil: number;
}

export interface EdgeCache {
  /** Without a slash at its end. */
  readonly url: string;
  /** How many requests the cache answered with what had expired. */
  readonly givenLate: number;
  /** From now on the service is not reached any more. */
  cutOff(): void;
  close(): Promise<void>;
}

/**
 * A cache before the service that treats a failing one as CloudFront does by default: an expired answer goes out as long
 * as the service answers 5xx or not at all, here in spite of `stale-if-error=0`. It goes by the test's `Date`. With
 * `tellsAge: false` it does not say for how long it had an answer.
 */
export async function startEdgeCache(origin: string, { tellsAge = true } = {}): Promise<EdgeCache> {
  const kept = new Map<string, Kept>();
  let isCutOff = false;
  let givenLate = 0;

  async function ask({ url = '/', headers }: IncomingMessage): Promise<Kept | undefined> {
    if (isCutOff) return undefined;
    const { 'x-api-key': key } = headers;
    const response = await fetch(
      origin + url,
      typeof key === 'string' ? { headers: { 'x-api-key': key } } : {},
    );
    const [, seconds = '0'] = /\bmax-age=(\d+)/.exec(response.headers.get('cache-control') ?? '') ?? [];
    const unlike = ['connection', 'keep-alive', 'transfer-encoding', 'content-encoding', 'content-length'];
    return {
      status: response.status,
      headers: [...response.headers].filter(([name]) => !unlike.includes(name)),
      body: Buffer.from(await response.arrayBuffer()),
      at: Date.now(),
      freshUntil: Date.now() + Number(seconds) * 1000,
    };
  }

  function give(response: ServerResponse, { status, headers, body, at }: Kept, isHit: boolean): void {
    response.statusCode = status;
    for (const [name, value] of headers) response.setHeader(name, value);
    if (isHit && tellsAge) response.setHeader('age', Math.floor((Date.now() - at) / 1000));
    response.setHeader('x-cache', isHit ? 'Hit from cloudfront' : 'Miss from cloudfront');
    response.setHeader('via', '1.1 example.cloudfront.net (CloudFront)');
    response.end(body);
  }

  const server = createServer(async (request, response) => {
    const held = kept.get(request.url ?? '/');
    if (held && Date.now() < held.freshUntil) return give(response, held, true);
    const answer = await ask(request).catch(() => undefined);
    if (answer && answer.status < 500) {
      if (answer.freshUntil > answer.at) kept.set(request.url ?? '/', answer);
      return give(response, answer, false);
    }
    if (!held) return void response.writeHead(502).end();
    givenLate += 1;
    give(response, held, true);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // it listens on TCP
    get givenLate() {
      return givenLate;
    },
    cutOff() {
      isCutOff = true;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
