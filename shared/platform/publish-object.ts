import { ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';

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

/** Writes objects of one S3 bucket below a prefix. Throws what the AWS SDK throws. */
export type PutObject = (
  name: string,
  content: Uint8Array | string,
  contentType: string,
  condition?: PutCondition,
) => Promise<void>;

/** The names of all objects of a bucket below a prefix that begin so, ascending. Throws what the AWS SDK throws. */
export type ListObjects = (beginning: string) => Promise<string[]>;

/**
 * Opens a bucket for writing, through the AWS SDK, which this module brings with it: for jobs. A put replaces the
 * object in one step: a reader sees the old content or the new, never a part. It throws ConditionFailed if there is a
 * condition that does not hold.
 */
export function publisherOf(bucket: string, prefix: string): PutObject {
  const s3 = openClient();

  return async (name, content, contentType, condition) => {
    const object = { Bucket: bucket, Key: prefix + name, Body: content, ContentType: contentType };
    const sent = s3.send(new PutObjectCommand({ ...object, ...inHeaders(condition) }));
    await (condition ? sent.catch((error) => asConditionFailed(name, error)) : sent);
  };
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

function asConditionFailed(name: string, error: unknown): never {
  if (!(error instanceof Error && failedConditions.includes(error.name))) throw error;
  throw new ConditionFailed(`${name} in S3 was changed by somebody else meanwhile`, { cause: error });
}
