import { ListObjectsV2Command, PutObjectCommand, S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { type Objects, objectsOf } from './objects.ts';

/** What has to hold for a put: the object still has this ETag, or there is none yet. */
export type PutCondition = { readonly ifMatch: string } | { readonly ifNoneMatch: '*' };

/** In place of the object with this ETag and no other; undefined: if there is none. */
export function replacing(etag: string | undefined): PutCondition {
  return etag === undefined ? { ifNoneMatch: '*' } : { ifMatch: etag };
}

/** The condition of a put does not hold: somebody else has put or deleted the object meanwhile. */
export class ConditionFailed extends Error {
  override readonly name = 'ConditionFailed';
}

/** Two jobs that write the same object at once are rare, three of them more so. */
const ATTEMPTS = 5;

/** Looks again, and does what is left to do then, if somebody else has put the object meanwhile. */
export async function again<T>(lookAndPut: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await lookAndPut();
    } catch (error) {
      if (!(error instanceof ConditionFailed) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** Writes objects of one S3 bucket below a prefix. Throws what the AWS SDK throws. */
export type PutObject = (
  name: string,
  content: Uint8Array | string,
  contentType: string,
  condition?: PutCondition,
) => Promise<void>;

/** The names of all objects of a bucket below a prefix that begin so, ascending. Throws what the AWS SDK throws. */
export type ListObjects = (beginning: string) => Promise<string[]>;

const READ_TIMEOUT_MS = 10_000;

/**
 * Opens a bucket for writing, through the AWS SDK, which this module brings with it: for jobs. A put replaces the
 * object in one step: a reader sees the old content or the new, never a part. It throws ConditionFailed if there is a
 * condition that does not hold, unless it was repeated and this very content is stored: then the answer to the first
 * attempt was lost.
 */
export function publisherOf(bucket: string, prefix: string): PutObject {
  const s3 = openClient();
  const objects = objectsOf(bucket, prefix);

  return async (name, content, contentType, condition) => {
    const object = { Bucket: bucket, Key: prefix + name, Body: content, ContentType: contentType };
    try {
      await s3.send(new PutObjectCommand({ ...object, ...inHeaders(condition) }));
    } catch (error) {
      if (!isFailedCondition(error)) throw error;
      const isRepeated = (error.$metadata.attempts ?? 1) > 1;
      if (isRepeated && (await isStored(objects, name, content))) return;
      throw new ConditionFailed(`${name} in S3 was changed by somebody else meanwhile`, { cause: error });
    }
  };
}

/** False also if that cannot be found out. */
async function isStored(objects: Objects, name: string, content: Uint8Array | string): Promise<boolean> {
  const stored = await objects.get(name, AbortSignal.timeout(READ_TIMEOUT_MS)).catch(() => undefined);
  return stored !== undefined && Buffer.compare(stored.bytes, Buffer.from(content)) === 0;
}

/** Opens a bucket for listing, for jobs as well. */
export function listerOf(bucket: string, prefix: string): ListObjects {
  const s3 = openClient();

  return async (beginning) => {
    const names: string[] = [];
    let ContinuationToken: string | undefined;
    do {
      const page = { Bucket: bucket, Prefix: prefix + beginning, ContinuationToken };
      const { Contents = [], NextContinuationToken } = await s3.send(new ListObjectsV2Command(page));
      names.push(...Contents.flatMap(({ Key }) => (Key === undefined ? [] : [Key.slice(prefix.length)])));
      ContinuationToken = NextContinuationToken;
    } while (ContinuationToken !== undefined);
    return names;
  };
}

function openClient(): S3Client {
  // A local server in place of S3 has no host name for each bucket.
  const forcePathStyle = process.env.AWS_ENDPOINT_URL_S3 !== undefined;
  return new S3Client({ forcePathStyle, maxAttempts: 2 });
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

function isFailedCondition(error: unknown): error is S3ServiceException {
  return error instanceof S3ServiceException && failedConditions.includes(error.name);
}
