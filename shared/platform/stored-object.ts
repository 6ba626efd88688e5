/** Opens objects that jobs replace: one that cannot be opened is first kept under another name. */
import { createHash } from 'node:crypto';
import { count } from './metrics.ts';
import { ifMissing, type Objects, replacing } from './objects.ts';
import { ConditionFailed } from './s3-error.ts';

/** An object with the ETag that replacing it needs; all undefined if there is none. */
export interface Opened<T> {
  /** Undefined also if it cannot be opened. */
  readonly content: T | undefined;
  readonly etag: string | undefined;
  readonly bytes: Uint8Array | undefined;
  /** The name of its copy, if it cannot be opened completely. */
  readonly setAside: string | undefined;
}

/**
 * Reads an object and opens its bytes; `open` throws if it cannot, and `isWhole` tests whether all of the content could be read.
 * Throws what `Objects` throw.
 */
export type OpenObject = <T>(
  name: string,
  open: (bytes: Uint8Array) => T,
  isWhole?: (content: T) => boolean,
) => Promise<Opened<T>>;

/** Where a job's objects are, below one prefix. */
export type Bucket = Pick<Objects, 'get' | 'put'>;

export const SET_ASIDE = 'set-aside/';
const READ_TIMEOUT_MS = 10_000;
const DIGEST_CHARACTERS = 16;

/**
 * Opens objects for a job that replaces what it reads: one that cannot be opened, because it is damaged or of an unknown
 * version, is first copied to `set-aside/<name>@<digest>` and counted (`ObjectsSetAside`). So a put under the condition of
 * the ETag that was read loses nothing, and neither do two jobs at once, nor a job that ends between the copy and the put.
 */
export function openFrom(objects: Bucket): OpenObject {
  const counted = new Set<string>();
  return openingOf(objects, async (name, bytes) => {
    const digest = createHash('sha256').update(bytes).digest('hex').slice(0, DIGEST_CHARACTERS);
    const copy = `${SET_ASIDE}${name}@${digest}`;
    const unlessThere = replacing(undefined);
    await objects.put(copy, bytes, 'application/octet-stream', unlessThere).catch((error: unknown) => {
      if (!(error instanceof ConditionFailed)) throw error; // it is there already
    });
    // A copy that was there counts too: the job that put it may have ended before it printed its metrics.
    if (!counted.has(copy)) count('ObjectsSetAside');
    counted.add(copy);
    return copy;
  });
}

/** Opens objects for readers: one that cannot be opened is counted (`HistoryUnusable`) and stays as it is. */
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
  return async (name, open, isWhole = () => true) => {
    const object = await objects.get(name, AbortSignal.timeout(READ_TIMEOUT_MS)).catch(ifMissing);
    if (!object) return { content: undefined, etag: undefined, bytes: undefined, setAside: undefined };
    const content = contentOf(object.bytes, open);
    if (content !== undefined && isWhole(content)) return { ...object, content, setAside: undefined };
    return { ...object, content, setAside: await keep(name, object.bytes) };
  };
}

/** Undefined for any failure: another version of this code may open these bytes. */
function contentOf<T>(bytes: Uint8Array, open: (bytes: Uint8Array) => T): T | undefined {
  try {
    return open(bytes);
  } catch {
    return undefined;
  }
}

/** Throws SyntaxError. */
export function jsonIn(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes).toString());
}
