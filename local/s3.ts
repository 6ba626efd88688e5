import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface S3Server {
  /** For AWS_ENDPOINT_URL_S3. */
  readonly url: string;
  /** Objects by `/<bucket>/<key>`. */
  readonly objects: Map<string, Buffer>;
  /** `<method> <path>` of every request, in order. */
  readonly requests: string[];
  /** Milliseconds before each answer; Infinity: none. */
  delayMs: number;
  /** Milliseconds between an answer's head and its content. */
  contentDelayMs: number;
  close(): Promise<void>;
}

/** As much of S3 over HTTP as an object's put and (conditional) get need, with its error for a missing key. */
export async function startS3Server(port = 0): Promise<S3Server> {
  const objects = new Map<string, Buffer>();
  const requests: string[] = [];
  const state = { delayMs: 0, contentDelayMs: 0 };
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://s3').pathname;
    requests.push(`${request.method} ${path}`);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (state.delayMs === Number.POSITIVE_INFINITY) return;
    await new Promise((resolve) => setTimeout(resolve, state.delayMs));
    if (request.method === 'PUT') {
      const content = unchunked(Buffer.concat(chunks), request.headers['content-encoding']);
      objects.set(path, content);
      return response.writeHead(200, { etag: etagOf(content) }).end();
    }
    const object = objects.get(path);
    if (object) {
      const etag = etagOf(object);
      if (request.headers['if-none-match'] === etag) return response.writeHead(304, { etag }).end();
      response.writeHead(200, { 'content-type': 'application/octet-stream', etag }).flushHeaders();
      await new Promise((resolve) => setTimeout(resolve, state.contentDelayMs));
      return response.end(object);
    }
    const error = '<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message></Error>';
    response.writeHead(404, { 'content-type': 'application/xml' }).end(error);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(state, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // TCP, so never a string
    objects,
    requests,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  });
}

/** As S3 makes it of an object that was put whole. */
function etagOf(content: Buffer): string {
  return `"${createHash('md5').update(content).digest('hex')}"`;
}

/** The SDK sends bodies in signed chunks: `<hex size>;…\r\n<bytes>\r\n` up to one of size 0. */
function unchunked(body: Buffer, encoding: string | undefined): Buffer {
  if (!encoding?.includes('aws-chunked')) return body;
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const lineEnd = body.indexOf('\r\n', at);
    const size = Number.parseInt(body.toString('latin1', at, lineEnd), 16);
    if (!size) break;
    parts.push(body.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
  return Buffer.concat(parts);
}
