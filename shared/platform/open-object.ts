/** How jobs read what they replace: an object that cannot be opened is kept under another name first. */
import { createHash } from 'node:crypto';
import { count } from './metrics.ts';
import {
  ConditionFailed,
  nothingYet,
  type Objects,
  type PutObject,
  replacing,
  writableObjectsOf,
} from './objects.ts';

/** An object with what it takes to replace that one and no other; all undefined if there is none. */
export interface Opened<T> {
  /** Undefined also if it cannot be opened. */
  readonly content: T | undefined;
  readonly etag: string | undefined;
  readonly bytes: Uint8Array | undefined;
  /** The name under which it is kept, if it cannot be opened. */
  readonly setAside: string | undefined;
}

/** Reads an object and opens its bytes, which throws if that cannot be done. Throws what `Objects` says. */
export type OpenObject = <T>(name: string, open: (bytes: Uint8Array) => T) => Promise<Opened<T>>;

/** Where a job's objects are, below one prefix. */
export interface Bucket {
  readonly objects: Pick<Objects, 'get'>;
  readonly put: PutObject;
}

/** Of an S3 bucket. */
export function bucketOf(bucket: string, prefix: string): Bucket {
  const objects = writableObjectsOf(bucket, prefix);
  return { objects, put: objects.put };
}

export const SET_ASIDE = 'set-aside/';
const READ_TIMEOUT_MS = 10_000;
const DIGEST_CHARACTERS = 16;

/**
 * For a job that replaces what it reads: an object that cannot be opened, because it is damaged or of an unknown version,
 * is first copied to `set-aside/<name>@<digest>` and counted (`ObjectsSetAside`). So a put under the condition of the
 * ETag that was read loses nothing, and neither do two jobs at once, nor a job that ends between the copy and the put.
 */
export function openFrom({ objects, put }: Bucket): OpenObject {
  const counted = new Set<string>();
  return openingOf(objects, async (name, bytes) => {
    const digest = createHash('sha256').update(bytes).digest('hex').slice(0, DIGEST_CHARACTERS);
    const copy = `${SET_ASIDE}${name}@${digest}`;
    await put(copy, bytes, 'application/octet-stream', replacing(undefined)).catch((error: unknown) => {
      if (!(error instanceof ConditionFailed)) throw error; // it is there already
    });
    // Also if it was there: the job that put it may have ended before it printed its metrics.
    if (!counted.has(copy)) count('ObjectsSetAside');
    counted.add(copy);
    return copy;
  });
}

/** For who only reads: an object that cannot be opened is counted (`HistoryUnusable`), and stays as it is. */
export function openOnlyFrom(objects: Pick<Objects, 'get'>): OpenObject {
  return openingOf(objects, async () => {
    count('HistoryUnusable');
    return undefined;
  });
}

function openingOf(
  objects: Pick<Objects, 'get'>,
  keep: (name: string, bytes: Uint8Array) => Promise<string | undefined>,
): OpenObject {
  return async (name, open) => {
    const object = await objects.get(name, AbortSignal.timeout(READ_TIMEOUT_MS)).catch(nothingYet);
    if (!object) return { content: undefined, etag: undefined, bytes: undefined, setAside: undefined };
    try {
      return { ...object, content: open(object.bytes), setAside: undefined };
    } catch {
      // Whatever went wrong with these bytes: another version of this code may open them.
      return { ...object, content: undefined, setAside: await keep(name, object.bytes) };
    }
  };
}

/** Throws SyntaxError. */
export function jsonIn(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes).toString());
}
