/** Changes and lists objects of S3; routes that only read do not load it. */
import type { AwsRequest } from './aws-requests.ts';
import { errorIn, pageIn } from './s3-answers.ts';
import { ConditionFailed } from './s3-error.ts';
import { type HttpAnswer, TransportError } from './transport.ts';

/** The condition of a change: the object still has this ETag, or does not exist yet. */
export type Condition = { readonly ifMatch: string } | { readonly ifNoneMatch: '*' };

/** Changes to the objects of a bucket, and their list. */
export interface ObjectChanges {
  /**
   * Replaces the object in one step: a reader sees the old content or the new, never a part. Under a condition that does
   * not hold, a repeated attempt is done all the same if this very content is stored: the first answer was lost.
   */
  put(name: string, content: Uint8Array | string, contentType: string, condition?: Condition): Promise<void>;
  /** Removes the object if it still has this ETag; a missing object is no failure. */
  remove(name: string, etag: string): Promise<void>;
  /** The names with this beginning, ascending. */
  list(beginning: string): Promise<string[]>;
}

interface Bucket {
  /** Sends a request for the object with this key; without one, for the bucket. */
  readonly request: (key: string, given: Partial<AwsRequest>) => Promise<HttpAnswer>;
  /** The text in front of names, in keys. */
  readonly prefix: string;
}

const LOOK_TIMEOUT_MS = 10_000;

/**
 * S3's errors if the condition does not hold, if another process changes the object at the same time, and if
 * an object with that ETag was deleted (Amazon S3 User Guide, "Conditional write behavior").
 */
const failedConditions: readonly string[] = ['PreconditionFailed', 'ConditionalRequestConflict', 'NoSuchKey'];

export function changesOf({ request, prefix }: Bucket): ObjectChanges {
  /** Changes an object; `isDone` returns whether an attempt with a lost response has succeeded. */
  async function change(
    name: string,
    given: Partial<AwsRequest>,
    isDone: () => Promise<boolean>,
  ): Promise<void> {
    const { answer, isRepeated } = await sendWithRetry(() => request(prefix + name, given));
    if (answer.status < 300) return;
    const error = errorIn(answer);
    if (!failedConditions.includes(error.name)) throw error;
    if (isRepeated && (await isDone())) return;
    throw new ConditionFailed(`${name} in S3 was changed by somebody else meanwhile`, { cause: error });
  }

  /** False also if the look-up fails. */
  async function isStored(name: string, content: Uint8Array | string): Promise<boolean> {
    const answer = await request(prefix + name, { signal: AbortSignal.timeout(LOOK_TIMEOUT_MS) }).catch(
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
        const { answer } = await sendWithRetry(() => request('', { query }));
        const { keys, next } = pageIn(answer);
        names.push(...keys.map((key) => key.slice(prefix.length)));
        token = next;
      } while (token !== undefined);
      return names;
    },
  };
}

/** Repeats a request once after a failure of the transport or of S3. */
async function sendWithRetry(
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
