import type { AwsRequest } from './aws-requests.ts';
import type { HttpAnswer } from './transport.ts';

export interface StoredObject {
  readonly bytes: Uint8Array;
  /** Changes with the content. */
  readonly etag: string | undefined;
}

/** Both inclusive, as HTTP has them (RFC 9110, "Range"). */
export type ByteRange = readonly [first: number, last: number];

/**
 * Reads the objects of one S3 bucket below a prefix. Throws S3Error for what S3 answers against it, and
 * TransportError if it does not answer.
 */
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

/** Named by S3's own code, such as `NoSuchKey`. */
export class S3Error extends Error {
  constructor({ status, body }: Pick<HttpAnswer, 'status' | 'body'>) {
    const text = body.toString();
    super(`S3 answered ${status}${wordOf(text, 'Message')}`);
    this.name = wordOf(text, 'Code').slice(2) || `S3Error${status}`;
  }
}

/** An object of 14,000 tickers has 10 MB, the registry's 7. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Whoever asks has a signal of its own, and stops waiting before that. */
const TIMEOUT_MS = 30_000;

/** Opens a bucket for reading. What signs requests is loaded with the first one. */
export function objectsOf(bucket: string, prefix: string): Objects {
  let opened: ReturnType<typeof open> | undefined;

  async function open() {
    const { accessOfLambda, awsRequests } = await import('./aws-requests.ts');
    const access = accessOfLambda('s3');
    // A local server in place of S3 has no host name for each bucket.
    const address = access.endpoint ?? `https://${bucket}.s3.${access.region}.amazonaws.com`;
    const root = access.endpoint ? `/${bucket}/` : '/';
    return { ask: awsRequests('s3', address, access), root };
  }

  async function get(name: string, request: Partial<AwsRequest>): Promise<HttpAnswer> {
    opened ??= open();
    const { ask, root } = await opened;
    const path = root + (prefix + name).split('/').map(encodeURIComponent).join('/');
    return ask({ path, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, ...request });
  }

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

/** `: ` and the content of an element of S3's XML, which has these two unpacked by nobody; empty if there is none. */
function wordOf(xml: string, element: string): string {
  const [, content] = new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml) ?? [];
  return content ? `: ${content}` : '';
}
