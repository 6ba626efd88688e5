import type { AwsRequest } from './aws-requests.ts';
import type { Condition, ObjectChanges } from './object-changes.ts';
import type { HttpAnswer } from './transport.ts';

export type { Condition };

export interface StoredObject {
  readonly bytes: Uint8Array;
  /** Changes with the content. */
  readonly etag: string | undefined;
}

/** The first and the last byte, both included, as HTTP has them (RFC 9110, "Range"). */
export type ByteRange = readonly [first: number, last: number];

/**
 * The objects of one S3 bucket below a prefix. Throws S3Error for what S3 answers against a request, TransportError if it
 * does not answer, and ConditionFailed for a change under a condition that does not hold.
 */
export interface Objects extends ObjectChanges {
  get(name: string, signal: AbortSignal): Promise<StoredObject>;
  /** The bytes from the first to the last one, or to the object's end; undefined if the object still has `heldEtag`. */
  getRange(
    name: string,
    range: ByteRange,
    signal: AbortSignal,
    heldEtag?: string,
  ): Promise<StoredObject | undefined>;
  /** Undefined if the object still has that ETag. Throws also if S3 does not begin to answer in time. */
  getNewer(
    name: string,
    etag: string | undefined,
    options: { readonly answerWithinMs?: number | undefined; readonly signal: AbortSignal },
  ): Promise<StoredObject | undefined>;
}

/** The condition that the object still has this ETag; undefined: that there is none. */
export function replacing(etag: string | undefined): Condition {
  return etag === undefined ? { ifNoneMatch: '*' } : { ifMatch: etag };
}

/** Two writers of the same object at once are rare, and three even more so. */
const ATTEMPTS = 5;

/** Repeats the work if another process has put the object meanwhile. */
export async function retryOnConflict<T>(lookAndPut: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await lookAndPut();
    } catch (error) {
      const isConflict = error instanceof Error && error.name === 'ConditionFailed';
      if (!isConflict || attempt === ATTEMPTS) throw error;
    }
  }
}

/** The hours of a day of 100,000 coins. */
const MAX_BYTES = 256 * 1024 * 1024;
/** Callers have a signal of their own, and stop waiting earlier. */
const TIMEOUT_MS = 30_000;
let registered: ((bucket: string, prefix: string) => Objects) | undefined;

/** Opens all buckets from now on in place of S3's. For a server of one's own, before it imports the first handler. */
export function useObjects(open: typeof registered): void {
  registered = open;
}

/** Opens a bucket. The code that signs requests is loaded with the first one. */
export function objectsOf(bucket: string, prefix: string): Objects {
  if (registered) return registered(bucket, prefix);
  let opened: ReturnType<typeof open> | undefined;

  async function open() {
    const { accessOfLambda, awsRequests } = await import('./aws-requests.ts');
    const access = accessOfLambda('s3');
    // A local server in place of S3 has no host name for each bucket.
    const address = access.endpoint ?? `https://${bucket}.s3.${access.region}.amazonaws.com`;
    const root = access.endpoint ? `/${bucket}/` : '/';
    return { send: awsRequests('s3', address, access), root };
  }

  /** Sends a request about the object with this key; without one, about the bucket. */
  async function request(key: string, given: Partial<AwsRequest>): Promise<HttpAnswer> {
    opened ??= open();
    const { send, root } = await opened;
    return send({ path: root + key, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, ...given });
  }

  const get = (name: string, given: Partial<AwsRequest>) => request(prefix + name, given);

  /** Loaded only by functions that change or list objects. */
  const changes = async () => (await import('./object-changes.ts')).changesOf({ request, prefix });

  return {
    get: async (name, signal) => objectIn(await get(name, { signal })),
    getRange: async (name, [first, last], signal, etag) =>
      newerIn(await get(name, { signal, headers: { range: `bytes=${first}-${last}`, ...unless(etag) } })),
    getNewer: async (name, etag, limits) => newerIn(await get(name, { ...limits, headers: unless(etag) })),
    put: async (...of) => (await changes()).put(...of),
    remove: async (...of) => (await changes()).remove(...of),
    list: async (...of) => (await changes()).list(...of),
  };
}

/** A handler for `catch`: undefined if the object does not exist, as S3 says to functions that may list its kind. */
export function ifMissing(error: unknown): undefined {
  if (error instanceof Error && error.name === 'NoSuchKey') return undefined;
  throw error;
}

const unless = (etag: string | undefined) => (etag === undefined ? undefined : { 'if-none-match': etag });

async function newerIn(answer: HttpAnswer): Promise<StoredObject | undefined> {
  return answer.status === 304 ? undefined : objectIn(answer);
}

async function objectIn(answer: HttpAnswer): Promise<StoredObject> {
  if (answer.status !== 200 && answer.status !== 206) throw (await import('./s3-answers.ts')).errorIn(answer);
  return { bytes: answer.body, etag: answer.headers.etag };
}
