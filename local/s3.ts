import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredObjects } from './object-folder.ts';
import { VersionedObjects } from './versioned-objects.ts';

export interface S3Server<Objects extends StoredObjects = Map<string, Buffer>> {
  /** For AWS_ENDPOINT_URL_S3. */
  readonly url: string;
  /** Objects by `/<bucket>/<key>`. */
  readonly objects: Objects;
  /** `<method> <path>` of every request, in order. */
  readonly requests: string[];
  /** Milliseconds before each answer; Infinity: none. */
  delayMs: number;
  /** Milliseconds between an answer's head and its content. */
  contentDelayMs: number;
  /** A path that is answered 500; empty: none. */
  failing: string;
  close(): Promise<void>;
}

/** An S3 that keeps its objects in memory, with all their versions if told. */
export async function startS3Server({ port = 0, versioned = false } = {}): Promise<S3Server> {
  return serveObjects(versioned ? new VersionedObjects() : new Map<string, Buffer>(), port);
}

/** As much of S3 over HTTP as is used: put and get, under conditions and by range, list, and delete, with S3's errors. */
export async function serveObjects<Objects extends StoredObjects>(
  objects: Objects,
  port = 0,
): Promise<S3Server<Objects>> {
  const requests: string[] = [];
  const state = { delayMs: 0, contentDelayMs: 0, failing: '' };
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      console.error('The local S3 failed:', error);
      if (response.headersSent) response.destroy();
      else refuse(response, ...internalError);
    });
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://s3');
    requests.push(`${request.method} ${pathname}`);
    const path = encodedOnce(pathname);
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      return; // whoever asks has gone away
    }
    if (state.delayMs === Number.POSITIVE_INFINITY) return;
    if (state.delayMs > 0) await sleep(state.delayMs);
    if (path === state.failing) return refuse(response, ...internalError);
    if (request.method === 'PUT') {
      const content = unchunked(Buffer.concat(chunks), request.headers['content-encoding']);
      const refusal = refusalOf(request.headers, objects.get(path));
      if (refusal) return refuse(response, ...refusal);
      objects.set(path, content);
      return response.writeHead(200, { etag: etagOf(content) }).end();
    }
    if (request.method === 'DELETE') {
      const refusal = refusalOf(request.headers, objects.get(path));
      if (refusal) return refuse(response, ...refusal);
      objects.delete(path);
      return response.writeHead(204).end();
    }
    if (searchParams.has('versions')) {
      const list = listedVersions(path, searchParams, objects);
      return response.writeHead(200, { 'content-type': 'application/xml' }).end(list);
    }
    if (searchParams.get('list-type') === '2') {
      const list = listed(path, searchParams, objects);
      return response.writeHead(200, { 'content-type': 'application/xml' }).end(list);
    }
    const versionId = searchParams.get('versionId');
    const isOld = versionId !== null && objects instanceof VersionedObjects;
    const object = isOld ? objects.version(path, versionId) : objects.get(path);
    if (object) {
      const etag = etagOf(object);
      if (request.headers['if-none-match'] === etag) return response.writeHead(304, { etag }).end();
      const part = rangeOf(request.headers.range, object.length);
      if (part && part.first > part.last) return refuse(response, ...invalidRange);
      const head = { 'content-type': 'application/octet-stream', etag };
      const range = part && { 'content-range': `bytes ${part.first}-${part.last}/${object.length}` };
      response.writeHead(part ? 206 : 200, { ...head, ...range }).flushHeaders();
      if (state.contentDelayMs > 0) await sleep(state.contentDelayMs);
      return response.end(part ? object.subarray(part.first, part.last + 1) : object);
    }
    refuse(response, ...noSuchKey);
  }

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

type Refusal = readonly [status: number, code: string, message: string];

const noSuchKey: Refusal = [404, 'NoSuchKey', 'The specified key does not exist.'];
const internalError: Refusal = [500, 'InternalError', 'We encountered an internal error. Please try again.'];
const preconditionFailed: Refusal = [
  412,
  'PreconditionFailed',
  'At least one of the pre-conditions you specified did not hold',
];

const invalidRange: Refusal = [416, 'InvalidRange', 'The requested range is not satisfiable'];
const PAGE = 1000;

/** The bytes that a `Range` asks for, of an object of so many; undefined without one. */
function rangeOf(header: string | undefined, length: number): { first: number; last: number } | undefined {
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === undefined) return undefined;
  return { first: Number(first), last: Math.min(last ? Number(last) : Number.POSITIVE_INFINITY, length - 1) };
}

/** A page of the objects of a bucket, in the order of their names, as XML (S3 API reference, "ListObjectsV2"). */
function listed(bucket: string, query: URLSearchParams, objects: StoredObjects): string {
  const folder = `${bucket.replace(/\/$/, '')}/`;
  const prefix = query.get('prefix') ?? '';
  const after = query.get('continuation-token') ?? query.get('start-after') ?? '';
  const keys = [...objects.keys(folder + prefix.split('/').map(encodeURIComponent).join('/'))]
    .filter((path) => path.startsWith(folder))
    .map((path) => decodeURIComponent(path.slice(folder.length)))
    .filter((key) => key.startsWith(prefix) && key > after)
    .sort();
  const page = keys.slice(0, Number(query.get('max-keys') ?? PAGE));
  const isWhole = page.length === keys.length;
  const next = isWhole ? '' : `<NextContinuationToken>${inXml(page.at(-1) ?? '')}</NextContinuationToken>`;
  const contents = page.map((key) => `<Contents><Key>${inXml(key)}</Key></Contents>`).join('');
  return `<ListBucketResult><IsTruncated>${!isWhole}</IsTruncated>${next}${contents}</ListBucketResult>`;
}

/**
 * A page of the versions of a bucket's objects (S3 API reference, "ListObjectVersions"). Without versions each object is
 * one, which S3 calls `null`.
 */
function listedVersions(bucket: string, query: URLSearchParams, objects: StoredObjects): string {
  const folder = `${bucket.replace(/\/$/, '')}/`;
  const beginning = folder + (query.get('prefix') ?? '').split('/').map(encodeURIComponent).join('/');
  const all = objects instanceof VersionedObjects ? [...objects.versions(beginning)] : unversioned();
  const marker = query.get('version-id-marker');
  const start = marker === null ? 0 : all.findIndex(({ id }) => id === marker) + 1;
  const page = all.slice(start, start + Number(query.get('max-keys') ?? PAGE));
  const last = start + page.length < all.length ? page.at(-1) : undefined;
  const keyOf = (path: string) => inXml(decodeURIComponent(path.slice(folder.length)));
  const next = last
    ? `<NextKeyMarker>${keyOf(last.path)}</NextKeyMarker><NextVersionIdMarker>${last.id}</NextVersionIdMarker>`
    : '';
  const entries = page.map(({ path, id, isLatest, at, content }) => {
    const kind = content ? 'Version' : 'DeleteMarker';
    const size = content ? `<ETag>${etagOf(content)}</ETag><Size>${content.length}</Size>` : '';
    return `<${kind}><Key>${keyOf(path)}</Key><VersionId>${id}</VersionId><IsLatest>${isLatest}</IsLatest><LastModified>${new Date(at).toISOString()}</LastModified>${size}</${kind}>`;
  });
  return `<ListVersionsResult><IsTruncated>${last !== undefined}</IsTruncated>${next}${entries.join('')}</ListVersionsResult>`;

  function unversioned() {
    const paths = [...objects.keys(beginning)].filter((path) => path.startsWith(beginning)).sort();
    return paths.map((path) => ({
      ...{ path, id: 'null', isLatest: true, at: 0 },
      content: objects.get(path),
    }));
  }
}

function inXml(text: string): string {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** What a put with `If-Match` or `If-None-Match: *` is refused with; undefined if it may go on. */
function refusalOf(headers: IncomingHttpHeaders, object: Buffer | undefined): Refusal | undefined {
  if (headers['if-none-match'] === '*' && object) return preconditionFailed;
  const expected = headers['if-match'];
  if (expected === undefined) return undefined;
  if (!object) return noSuchKey;
  return expected === etagOf(object) ? undefined : preconditionFailed;
}

function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  const error = `<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  response.writeHead(status, { 'content-type': 'application/xml' }).end(error);
}

/** The SDK encodes more characters than others do, and it is the same name. */
function encodedOnce(pathname: string): string {
  return pathname
    .split('/')
    .map((name) => encodeURIComponent(decodeURIComponent(name)))
    .join('/');
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
