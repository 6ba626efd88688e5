import type { S3Client } from '@aws-sdk/client-s3';

export interface StoredObject {
  readonly bytes: Uint8Array;
  /** Changes with the content. */
  readonly etag: string | undefined;
}

/** What has to hold for a put: the object still has this ETag, or there is none yet. */
export type PutCondition = { readonly ifMatch: string } | { readonly ifNoneMatch: '*' };

/** The condition of a put does not hold: somebody else has put or deleted the object meanwhile. */
export class ConditionFailed extends Error {
  override readonly name = 'ConditionFailed';
}

/** The objects of one S3 bucket below a prefix. Throws what the AWS SDK throws. */
export interface Objects {
  get(name: string, signal: AbortSignal): Promise<StoredObject>;
  /** Undefined if the object still has that ETag. Throws also if S3 does not begin to answer in time. */
  getNewer(
    name: string,
    etag: string | undefined,
    options: { readonly answerWithinMs: number; readonly signal: AbortSignal },
  ): Promise<StoredObject | undefined>;
  /**
   * Replaces the object in one step: a reader sees the old content or the new, never a part. Throws ConditionFailed if
   * there is a condition that does not hold.
   */
  put(
    name: string,
    content: Uint8Array | string,
    contentType: string,
    condition?: PutCondition,
  ): Promise<void>;
}

/** Opens a bucket. The SDK is loaded at the first use: no cold start pays for it. */
export function objectsOf(bucket: string, prefix: string): Objects {
  let client: Promise<{ s3: S3Client; sdk: typeof import('@aws-sdk/client-s3') }> | undefined;

  async function connect() {
    const sdk = await import('@aws-sdk/client-s3');
    // A local server in place of S3 has no host name for each bucket.
    const forcePathStyle = process.env.AWS_ENDPOINT_URL_S3 !== undefined;
    return { s3: new sdk.S3Client({ forcePathStyle, maxAttempts: 2 }), sdk };
  }

  async function get(
    name: string,
    signal: AbortSignal,
    { etag, answerWithinMs }: { readonly etag?: string; readonly answerWithinMs?: number } = {},
  ): Promise<StoredObject> {
    client ??= connect();
    const { s3, sdk } = await client;
    const slow = new AbortController();
    const timer = answerWithinMs === undefined ? undefined : setTimeout(() => slow.abort(), answerWithinMs);
    const object = { Bucket: bucket, Key: prefix + name, IfNoneMatch: etag };
    const abortSignal = AbortSignal.any([signal, slow.signal]);
    const { Body, ETag } = await s3
      .send(new sdk.GetObjectCommand(object), { abortSignal })
      .finally(() => clearTimeout(timer));
    if (!Body) throw new Error(`${name} in S3 has no content`);
    return { bytes: await Body.transformToByteArray(), etag: ETag };
  }

  return {
    get: (name, signal) => get(name, signal),
    getNewer: (name, etag, { answerWithinMs, signal }) =>
      get(name, signal, { etag, answerWithinMs }).catch(unlessModified),
    async put(name, content, contentType, condition) {
      client ??= connect();
      const { s3, sdk } = await client;
      const object = { Bucket: bucket, Key: prefix + name, Body: content, ContentType: contentType };
      const sent = s3.send(new sdk.PutObjectCommand({ ...object, ...inHeaders(condition) }));
      await (condition ? sent.catch((error) => asConditionFailed(name, error)) : sent);
    },
  };
}

function inHeaders(condition: PutCondition | undefined): { IfMatch?: string; IfNoneMatch?: string } {
  if (!condition) return {};
  return 'ifMatch' in condition ? { IfMatch: condition.ifMatch } : { IfNoneMatch: condition.ifNoneMatch };
}

/**
 * What S3 answers if the condition does not hold, if somebody else puts or deletes the object at the same time, and if
 * an object with that ETag was deleted (Amazon S3 User Guide, "Conditional write behavior").
 */
const failedConditions: readonly string[] = ['PreconditionFailed', 'ConditionalRequestConflict', 'NoSuchKey'];

function asConditionFailed(name: string, error: unknown): never {
  if (!(error instanceof Error && failedConditions.includes(error.name))) throw error;
  throw new ConditionFailed(`${name} in S3 was changed by somebody else meanwhile`, { cause: error });
}

/** The SDK has no class for a 304, which it throws like an error. */
function unlessModified(error: unknown): undefined {
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } };
  if ($metadata?.httpStatusCode !== 304) throw error;
}

/** For `catch`: nothing was published yet. S3 says so only to functions that may list; others get AccessDenied. */
export function nothingYet(error: unknown): undefined {
  if (error instanceof Error && error.name === 'NoSuchKey') return undefined;
  throw error;
}
