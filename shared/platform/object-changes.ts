/** How objects of S3 are changed and listed: what routes that only read need not load. */
import type { AwsRequest } from './aws-requests.ts';
import { ConditionFailed, S3Error, wordsOf } from './s3-error.ts';
import { type HttpAnswer, TransportError } from './transport.ts';

/** What has to hold for a change: the object still has this ETag, or there is none yet. */
export type Condition = { readonly ifMatch: string } | { readonly ifNoneMatch: '*' };

/** What changes the objects of a bucket, and lists them. */
export interface ObjectChanges {
  /**
   * Replaces the object in one step: a reader sees the old content or the new, never a part. Under a condition that does
   * not hold, a repeated attempt is done all the same if this very content is stored: the first answer was lost.
   */
  put(name: string, content: Uint8Array | string, contentType: string, condition?: Condition): Promise<void>;
  /** The object with this ETag and no other; none is no failure. */
  remove(name: string, etag: string): Promise<void>;
  /** The names that begin so, ascending. */
  list(beginning: string): Promise<string[]>;
}

interface Bucket {
  /** Sends a request for a path below the bucket. */
  readonly request: (path: string, given: Partial<AwsRequest>) => Promise<HttpAnswer>;
  /** The path of an object's name. */
  readonly pathOf: (name: string) => string;
  readonly prefix: string;
}

const LOOK_TIMEOUT_MS = 10_000;

/**
 * What S3 answers if the condition does not hold, if somebody else puts or deletes the object at the same time, and if
 * an object with that ETag was deleted (Amazon S3 User Guide, "Conditional write behavior").
 */
const failedConditions: readonly string[] = ['PreconditionFailed', 'ConditionalRequestConflict', 'NoSuchKey'];

export function changesOf({ request, pathOf, prefix }: Bucket): ObjectChanges {
  /** Changes an object; `isDone` tells whether an attempt whose answer was lost has done it. */
  async function change(
    name: string,
    given: Partial<AwsRequest>,
    isDone: () => Promise<boolean>,
  ): Promise<void> {
    const { answer, isRepeated } = await twice(() => request(pathOf(name), given));
    if (answer.status < 300) return;
    const error = new S3Error(answer);
    if (!failedConditions.includes(error.name)) throw error;
    if (isRepeated && (await isDone())) return;
    throw new ConditionFailed(`${name} in S3 was changed by somebody else meanwhile`, { cause: error });
  }

  /** False also if that cannot be found out. */
  async function isStored(name: string, content: Uint8Array | string): Promise<boolean> {
    const answer = await request(pathOf(name), { signal: AbortSignal.timeout(LOOK_TIMEOUT_MS) }).catch(
      () => undefined,
    );
    return answer?.status === 200 && Buffer.compare(answer.body, Buffer.from(content)) === 0;
  }

  return {
    async put(name, content, contentType, condition) {
      const headers = { 'content-type': contentType, ...headerOf(condition) };
      await change(name, { method: 'PUT', body: content, headers }, () => isStored(name, content));
    },
    remove: (name, etag) =>
      change(name, { method: 'DELETE', headers: { 'if-match': etag } }, async () => true),
    async list(beginning) {
      const names: string[] = [];
      let token: string | undefined;
      do {
        const page = { 'list-type': '2', prefix: prefix + beginning };
        const query = token === undefined ? page : { 'continuation-token': token, ...page };
        const { answer } = await twice(() => request('', { query }));
        if (answer.status !== 200) throw new S3Error(answer);
        const xml = answer.body.toString();
        names.push(...wordsOf(xml, 'Key').map((key) => key.slice(prefix.length)));
        token = wordsOf(xml, 'NextContinuationToken')[0];
      } while (token !== undefined);
      return names;
    },
  };
}

/** Sends a request once more after a failure that says nothing of it. */
async function twice(
  send: () => Promise<HttpAnswer>,
): Promise<{ readonly answer: HttpAnswer; readonly isRepeated: boolean }> {
  const first = await send().catch((error: unknown) => {
    if (error instanceof TransportError) return undefined;
    throw error;
  });
  if (first && first.status < 500) return { answer: first, isRepeated: false };
  return { answer: await send(), isRepeated: true };
}

function headerOf(condition: Condition | undefined): Record<string, string> {
  if (!condition) return {};
  return 'ifMatch' in condition
    ? { 'if-match': condition.ifMatch }
    : { 'if-none-match': condition.ifNoneMatch };
}
