/** The one S3 client: objects of a bucket below a prefix, read and written over signed requests. */
import type { AwsAnswer, AwsRequest } from './aws-requests.ts';
import { type HttpAnswer, TransportError } from './transport.ts';

export interface StoredObject {
  readonly bytes: Uint8Array;
  /** Changes with the content. */
  readonly etag: string | undefined;
}

/** Both inclusive, as HTTP has them (RFC 9110, "Range"). */
export type ByteRange = readonly [first: number, last: number];

/** What has to hold for a put: the object still has this ETag, or there is none yet. */
export type PutCondition = { readonly ifMatch: string } | { readonly ifNoneMatch: '*' };

/** Replaces an object in one step: a reader gets the old content or the new, never a part. */
export type PutObject = (
  name: string,
  content: Uint8Array | string,
  contentType: string,
  condition?: PutCondition,
) => Promise<void>;

/** The names of all objects below the prefix that begin so, ascending. */
export type ListObjects = (beginning: string) => Promise<string[]>;

/** Throws S3Error for what S3 answers against a request, and TransportError if it does not answer. */
export interface Objects {
  get(name: string, signal: AbortSignal): Promise<StoredObject>;
  /** The bytes from the first to the last one, or to the object's end. */
  getRange(name: string, range: ByteRange, signal: AbortSignal): Promise<StoredObject>;
  /** Undefined if the object still has that ETag. Throws also if S3 does not begin to answer in time. */
  getNewer(
    name: string,
    etag: string | undefined,
    options: { readonly answerWithinMs: number; readonly signal: AbortSignal },
  ): Promise<StoredObject | undefined>;
}

/** The same for jobs, which write and list. Both are tried twice; a put throws ConditionFailed if its condition does not hold. */
export interface WritableObjects extends Objects {
  readonly put: PutObject;
  readonly list: ListObjects;
}

/** Named by S3's own code, such as `NoSuchKey`. */
export class S3Error extends Error {
  constructor({ status, body }: Pick<HttpAnswer, 'status' | 'body'>) {
    const text = body.toString();
    const message = contentOf(text, 'Message');
    super(`S3 answered ${status}${message && `: ${message}`}`);
    this.name = contentOf(text, 'Code') || `S3Error${status}`;
  }
}

/** The condition of a put does not hold: another writer has put or deleted the object meanwhile. */
export class ConditionFailed extends Error {
  override readonly name = 'ConditionFailed';
}

/** An object of 14,000 tickers has 10 MB, the registry's 7. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Readers have a signal of their own, and stop waiting before that. */
const TIMEOUT_MS = 30_000;
const READ_TIMEOUT_MS = 10_000;
/** Between the two tries of a write or a list. */
const RETRY_MS = { from: 50, to: 250 };
/**
 * S3's answers if the condition does not hold, if somebody else puts or deletes the object at the same time, and if an
 * object with that ETag was deleted (Amazon S3 User Guide, "Conditional write behavior").
 */
const failedConditions: readonly string[] = ['PreconditionFailed', 'ConditionalRequestConflict', 'NoSuchKey'];

/** Sends a request for a path below the bucket. */
type SendToBucket = (path: string, request: Partial<AwsRequest>) => Promise<AwsAnswer>;

/** The code that signs requests is loaded with the first one. */
function bucketSender(bucket: string): SendToBucket {
  let opened: ReturnType<typeof open> | undefined;

  async function open() {
    const { accessOfLambda, awsRequests } = await import('./aws-requests.ts');
    const access = accessOfLambda('s3');
    // A local server in place of S3 has no host name for each bucket.
    const address = access.endpoint ?? `https://${bucket}.s3.${access.region}.amazonaws.com`;
    const root = access.endpoint ? `/${bucket}/` : '/';
    return { request: awsRequests('s3', address, access), root };
  }

  return async (path, request) => {
    opened ??= open();
    const { request: sendSigned, root } = await opened;
    return sendSigned({ path: root + path, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, ...request });
  };
}

function pathOf(key: string): string {
  return key.split('/').map(encodeURIComponent).join('/');
}

/** Opens a bucket for reading. */
export function objectsOf(bucket: string, prefix: string): Objects {
  return reading(bucketSender(bucket), prefix);
}

function reading(send: SendToBucket, prefix: string): Objects {
  const get = (name: string, request: Partial<AwsRequest>) => send(pathOf(prefix + name), request);
  return {
    get: async (name, signal) => objectIn(await get(name, { signal })),
    getRange: async (name, [first, last], signal) =>
      objectIn(await get(name, { signal, headers: { range: `bytes=${first}-${last}` } })),
    async getNewer(name, etag, limits) {
      const answer = await get(name, {
        ...limits,
        headers: etag === undefined ? {} : { 'if-none-match': etag },
      });
      return answer.status === 304 ? undefined : objectIn(answer);
    },
  };
}

/** Opens a bucket for reading and writing. */
export function writableObjectsOf(bucket: string, prefix: string): WritableObjects {
  const send = bucketSender(bucket);
  const objects = reading(send, prefix);

  /** False also if that cannot be found out. */
  async function isStored(name: string, content: Uint8Array | string): Promise<boolean> {
    const stored = await objects.get(name, AbortSignal.timeout(READ_TIMEOUT_MS)).catch(() => undefined);
    return stored !== undefined && Buffer.compare(stored.bytes, Buffer.from(content)) === 0;
  }

  return {
    ...objects,

    async put(name, content, contentType, condition) {
      const headers = { 'content-type': contentType, ...inHeaders(condition) };
      const request = { method: 'PUT', body: content, headers } as const;
      const answer = await twice(() => send(pathOf(prefix + name), request));
      if (answer.status === 200) return;
      const error = new S3Error(answer);
      if (!condition || !failedConditions.includes(error.name)) throw error;
      // The answer to a first try may have been lost: then this very content is stored.
      if (answer.isRepeated && (await isStored(name, content))) return;
      throw new ConditionFailed(`${name} in S3 was changed by somebody else meanwhile`, { cause: error });
    },

    async list(beginning) {
      const names: string[] = [];
      const query: Record<string, string> = { 'list-type': '2', prefix: prefix + beginning };
      for (;;) {
        const answer = await twice(() => send('', { query }));
        if (answer.status !== 200) throw new S3Error(answer);
        const page = answer.body.toString();
        for (const [, key = ''] of page.matchAll(/<Key>([^<]*)<\/Key>/g))
          names.push(fromXml(key).slice(prefix.length));
        const next = contentOf(page, 'NextContinuationToken');
        if (!next) return names;
        query['continuation-token'] = fromXml(next);
      }
    },
  };
}

/** One more try after a broken connection, a time-out, a 5xx or a 429. */
async function twice(send: () => Promise<AwsAnswer>): Promise<AwsAnswer> {
  const first = await send().catch((error: unknown) => {
    if (error instanceof TransportError && error.kind !== 'answer') return undefined;
    throw error;
  });
  if (first && first.status < 500 && first.status !== 429) return first;
  const waitMs = RETRY_MS.from + Math.random() * (RETRY_MS.to - RETRY_MS.from);
  await new Promise((resolve) => setTimeout(resolve, waitMs));
  return { ...(await send()), isRepeated: true };
}

/** In place of the object with this ETag and no other; undefined: if there is none. */
export function replacing(etag: string | undefined): PutCondition {
  return etag === undefined ? { ifNoneMatch: '*' } : { ifMatch: etag };
}

/** Two jobs that write the same object at once are rare, three of them more so. */
const ATTEMPTS = 5;

/** Looks again, and does what is left to do then, if another writer has put the object meanwhile. */
export async function again<T>(lookAndPut: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await lookAndPut();
    } catch (error) {
      if (!(error instanceof ConditionFailed) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** For `catch`: nothing was published yet. S3 says so only to functions that may list; others get AccessDenied. */
export function nothingYet(error: unknown): undefined {
  if (error instanceof Error && error.name === 'NoSuchKey') return undefined;
  throw error;
}

/** The same for functions that may not list. */
export function nothingToRead(error: unknown): undefined {
  if (error instanceof Error && error.name === 'AccessDenied') return undefined;
  return nothingYet(error);
}

function objectIn(answer: HttpAnswer): StoredObject {
  if (answer.status !== 200 && answer.status !== 206) throw new S3Error(answer);
  return { bytes: answer.body, etag: answer.headers.etag };
}

function inHeaders(condition: PutCondition | undefined): Record<string, string> {
  if (!condition) return {};
  return 'ifMatch' in condition
    ? { 'if-match': condition.ifMatch }
    : { 'if-none-match': condition.ifNoneMatch };
}

/** The content of an element of S3's XML; empty if there is none. */
function contentOf(xml: string, element: string): string {
  return new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1] ?? '';
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** XML's own entities, and characters by their number. */
function fromXml(text: string): string {
  return text.replace(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name) => {
    if (name) return entities[name] ?? whole;
    return String.fromCodePoint(hex ? Number.parseInt(hex, 16) : Number(decimal));
  });
}
