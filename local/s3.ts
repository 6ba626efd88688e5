/** The subset of S3 over HTTP in use: put, get and delete, with conditions and ranges, and list, with S3's errors. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from './loopback.ts';
import type { ObjectVersion, StoredObjects } from './object-folder.ts';

export interface S3Server<Objects extends StoredObjects = Map<string, Buffer>> {
  /** The address for AWS_ENDPOINT_URL_S3. */
  readonly url: string;
  /** Objects by `/<bucket>/<key>`. */
  readonly objects: Objects;
  /** `<method> <path>` of every request, in order. */
  readonly requests: string[];
  /** Milliseconds before each response; Infinity: no response. */
  delayMs: number;
  /** Milliseconds between a response's headers and its body. */
  contentDelayMs: number;
  /** A path that returns 500; empty: none. */
  failing: string;
  close(): Promise<void>;
}

/** An S3 that keeps its objects in memory. */
export async function startS3Server(): Promise<S3Server> {
  return serveObjects(new Map<string, Buffer>());
}

/** The subset of S3 over HTTP in use: put and get, with conditions and ranges, list, and delete, with S3's errors. */
export async function serveObjects<Objects extends StoredObjects>(
  objects: Objects,
): Promise<S3Server<Objects>> {
  const requests: string[] = [];
  const state = { delayMs: 0, contentDelayMs: 0, failing: '' };
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      console.error('The local S3 failed:', error);
      if (response.headersSent) response.destroy();
      else refuse(response, internalError);
    });
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const { method, headers } = request;
    const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://s3');
    requests.push(`${method} ${pathname}`);
    const path = encodedOnce(pathname);
    const body = await buffer(request).catch(() => undefined);
    if (!body || state.delayMs === Number.POSITIVE_INFINITY) return; // the client has gone or is meant to wait
    if (state.delayMs > 0) await sleep(state.delayMs);
    if (path === state.failing) return refuse(response, internalError);
    const list = method === 'GET' && listOf(path, query, objects);
    if (list) return response.writeHead(200, { 'content-type': 'application/xml' }).end(list);

    const id = query.get('versionId');
    const version =
      id === null ? undefined : [...(objects.versions?.(path) ?? [])].find((one) => one.id === id);
    const object = id === null || !objects.versions ? objects.get(path) : version?.content;
    const refusal = object ? preconditionOf(headers, object) : absenceOf(method, headers);
    if (refusal) return refuse(response, refusal);
    if (method === 'PUT') {
      const content = unchunked(body, headers['content-encoding']);
      objects.set(path, content);
      return response.writeHead(200, { etag: etagOf(content) }).end();
    }
    if (method === 'DELETE') {
      objects.delete(path);
      return response.writeHead(204).end();
    }
    if (object) return sendObject(object, headers, response);
  }

  async function sendObject(object: Buffer, headers: IncomingHttpHeaders, response: ServerResponse) {
    const etag = etagOf(object);
    if (headers['if-none-match'] === etag) return response.writeHead(304, { etag }).end();
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? [];
    const first = Number(from ?? 0);
    const last = Math.min(to ? Number(to) : Number.POSITIVE_INFINITY, object.length - 1);
    if (from !== undefined && first > last) return refuse(response, invalidRange);
    const head = { 'content-type': 'application/octet-stream', etag };
    const range = from !== undefined && { 'content-range': `bytes ${first}-${last}/${object.length}` };
    response.writeHead(range ? 206 : 200, { ...head, ...range }).flushHeaders();
    if (state.contentDelayMs > 0) await sleep(state.contentDelayMs);
    return response.end(range ? object.subarray(first, last + 1) : object);
  }

  return Object.assign(state, {
    ...{ url: await listen(server), objects, requests },
    close: async () => server.close().closeAllConnections(),
  });
}

type Refusal = readonly [status: number, code: string, message: string];

const noSuchKey: Refusal = [404, 'NoSuchKey', 'The specified key does not exist.'];
const internalError: Refusal = [500, 'InternalError', 'We encountered an internal error. Please try again.'];
const invalidRange: Refusal = [416, 'InvalidRange', 'The requested range is not satisfiable'];
const preconditionFailed: Refusal = [
  ...([412, 'PreconditionFailed'] as const),
  'At least one of the pre-conditions you specified did not hold',
];

function refuse(response: ServerResponse, [status, code, message]: Refusal): void {
  const error = `<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  response.writeHead(status, { 'content-type': 'application/xml' }).end(error);
}

/** The error that `If-Match` or `If-None-Match: *` requires for an object; undefined if there is none. */
function preconditionOf(headers: IncomingHttpHeaders, object: Buffer): Refusal | undefined {
  const expected = headers['if-match'];
  const differs = expected !== undefined && expected !== '*' && expected !== etagOf(object);
  return differs || headers['if-none-match'] === '*' ? preconditionFailed : undefined;
}

/** A put with `If-Match` replaces an object and never creates one. */
function absenceOf(method: string | undefined, headers: IncomingHttpHeaders): Refusal | undefined {
  const isNoError = method === 'DELETE' || (method === 'PUT' && headers['if-match'] === undefined);
  return isNoError ? undefined : noSuchKey;
}

const PAGE = 1000;

/** A page of a bucket's objects, or of their versions, as XML; undefined if the request is for an object. */
function listOf(bucket: string, query: URLSearchParams, objects: StoredObjects): string | undefined {
  const folder = `${bucket.replace(/\/$/, '')}/`;
  const prefix = folder + (query.get('prefix') ?? '').split('/').map(encodeURIComponent).join('/');
  const most = Number(query.get('max-keys') ?? PAGE);
  const paths = () => [...objects.keys(prefix)].filter((path) => path.startsWith(prefix)).sort();
  const keyOf = (path: string) => decodeURIComponent(path.slice(folder.length));
  if (query.has('versions')) {
    // S3 gives an object without versions the version id `null`.
    const own = (path: string) => ({ path, id: 'null', isLatest: true, at: 0, content: objects.get(path) });
    return listOfVersions([...(objects.versions?.(prefix) ?? paths().map(own))], query, most, keyOf);
  }
  if (query.get('list-type') !== '2') return undefined;
  const after = query.get('continuation-token') ?? query.get('start-after') ?? '';
  const keys = paths()
    .map(keyOf)
    .filter((key) => key > after)
    .sort();
  const page = keys.slice(0, most);
  const isWhole = page.length === keys.length;
  const next = isWhole ? '' : `<NextContinuationToken>${inXml(page.at(-1) ?? '')}</NextContinuationToken>`;
  const contents = page.map((key) => `<Contents><Key>${inXml(key)}</Key></Contents>`).join('');
  return `<ListBucketResult><IsTruncated>${!isWhole}</IsTruncated>${next}${contents}</ListBucketResult>`;
}

/** S3 API reference, "ListObjectVersions". */
function listOfVersions(
  all: readonly ObjectVersion[],
  query: URLSearchParams,
  most: number,
  keyOf: (path: string) => string,
): string {
  const marker = query.get('version-id-marker');
  const start = marker === null ? 0 : all.findIndex(({ id }) => id === marker) + 1;
  const page = all.slice(start, start + most);
  const last = start + page.length < all.length ? page.at(-1) : undefined;
  const next = last
    ? `<NextKeyMarker>${inXml(keyOf(last.path))}</NextKeyMarker><NextVersionIdMarker>${last.id}</NextVersionIdMarker>`
    : '';
  const entries = page.map(({ path, id, isLatest, at, content }) => {
    const kind = content ? 'Version' : 'DeleteMarker';
    const size = content ? `<ETag>${etagOf(content)}</ETag><Size>${content.length}</Size>` : '';
    return `<${kind}><Key>${inXml(keyOf(path))}</Key><VersionId>${id}</VersionId><IsLatest>${isLatest}</IsLatest><LastModified>${new Date(at).toISOString()}</LastModified>${size}</${kind}>`;
  });
  return `<ListVersionsResult><IsTruncated>${last !== undefined}</IsTruncated>${next}${entries.join('')}</ListVersionsResult>`;
}

function inXml(text: string): string {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Normalizes a name: the SDK encodes more characters than other clients. */
function encodedOnce(pathname: string): string {
  return pathname
    .split('/')
    .map((name) => encodeURIComponent(decodeURIComponent(name)))
    .join('/');
}

/** The ETag that S3 computes for an object put in one request. */
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
