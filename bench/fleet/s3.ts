import type { Received, Sent } from './network.ts';

interface StoredObject {
  readonly bytes: Buffer;
  readonly etag: string;
}

interface Answer extends Received {
  readonly kind: 'get' | 'put' | 'list';
  /** Of the content. */
  readonly bytes: number;
}

const PAGE = 1000;

/** A bucket of S3 in memory: get and put, by range and under conditions, and list, with its errors. */
export class Bucket {
  readonly objects = new Map<string, StoredObject>();
  #version = 0;

  answer(sent: Sent): Answer {
    const [, , ...names] = sent.url.pathname.split('/').map(decodeURIComponent);
    const object = this.objects.get(names.join('/'));
    if (sent.method === 'PUT') return this.#put(names.join('/'), object, sent);
    if (sent.method !== 'GET') throw new Error(`The simulated S3 does not know ${sent.method}`);
    if (sent.url.searchParams.has('list-type')) return this.#list(sent.url.searchParams);
    return { kind: 'get', bytes: 0, ...(object ? read(object, sent) : refusal(404, 'NoSuchKey')) };
  }

  #put(name: string, before: StoredObject | undefined, { headers, body }: Sent): Answer {
    const { 'if-match': expected, 'if-none-match': none } = headers;
    if (headers['content-encoding']?.includes('aws-chunked')) throw new Error('Bodies come whole');
    if (expected && !before) return { kind: 'put', bytes: 0, ...refusal(404, 'NoSuchKey') };
    if ((none === '*' && before) || (expected && before?.etag !== expected))
      return { kind: 'put', bytes: 0, ...refusal(412, 'PreconditionFailed') };
    this.#version += 1;
    const etag = `"${this.#version.toString(16).padStart(32, '0')}"`;
    this.objects.set(name, { bytes: body, etag });
    return { kind: 'put', bytes: body.length, status: 200, headers: { etag } };
  }

  #list(query: URLSearchParams): Answer {
    const prefix = query.get('prefix') ?? '';
    const after = query.get('continuation-token') ?? query.get('start-after') ?? '';
    const names = [...this.objects.keys()].filter((name) => name.startsWith(prefix) && name > after).sort();
    const page = names.slice(0, Number(query.get('max-keys') ?? PAGE));
    const isCut = page.length < names.length;
    const next = isCut ? `<NextContinuationToken>${inXml(page.at(-1))}</NextContinuationToken>` : '';
    const contents = page.map((name) => `<Contents><Key>${inXml(name)}</Key></Contents>`).join('');
    const body = `<ListBucketResult><IsTruncated>${isCut}</IsTruncated>${next}${contents}</ListBucketResult>`;
    return { kind: 'list', bytes: 0, status: 200, headers: { 'content-type': 'application/xml' }, body };
  }
}

function read({ bytes, etag }: StoredObject, { headers }: Sent): Partial<Answer> & Received {
  if (headers['if-none-match'] === etag) return { status: 304, headers: { etag } };
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? [];
  if (first === undefined) return { bytes: bytes.length, status: 200, headers: { etag }, body: bytes };
  const part = bytes.subarray(Number(first), last ? Number(last) + 1 : undefined);
  if (part.length === 0) return refusal(416, 'InvalidRange');
  const range = `bytes ${first}-${Number(first) + part.length - 1}/${bytes.length}`;
  return { bytes: part.length, status: 206, headers: { etag, 'content-range': range }, body: part };
}

function refusal(status: number, code: string): Received {
  const body = `<Error><Code>${code}</Code><Message>${code}</Message></Error>`;
  return { status, headers: { 'content-type': 'application/xml' }, body };
}

function inXml(text = ''): string {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
