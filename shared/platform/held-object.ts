import { Held } from './held.ts';
import { count } from './metrics.ts';
import { ifMissing, type Objects, objectsOf } from './objects.ts';

/** An object that is read whole, how to open it, and how long a container holds it. */
interface Options<T> {
  readonly name: string;
  /** Throws if the bytes cannot be opened. `held` is the older content. */
  readonly open: (bytes: Uint8Array, held: T | undefined) => T | undefined;
  /** When a newer one is looked for, in milliseconds since the epoch; `content` is undefined if there is no object. */
  readonly untilOf: (content: T | undefined, now: number) => number;
  /** Whether the older content stays if the object is deleted; by default it goes too, as an operator withdraws it. */
  readonly outlivesObject?: boolean;
  /** The limit for the whole download. */
  readonly readMs: number;
  /** The limit until S3 begins to respond on an open connection. */
  readonly answerWithinMs?: number;
  /** Called for each failed attempt, which is counted as a failure of the store. */
  readonly onFailure?: () => void;
  readonly now?: () => number;
}

/** A container's copy of one object, which is downloaded again only if it has changed. */
export function holdObject<T>(options: Options<T>) {
  const { name, open, untilOf, outlivesObject, readMs, answerWithinMs, onFailure, now } = options;
  const held = new Held<{ readonly content: T | undefined; readonly etag?: string | undefined }>({
    ...{ readMs, now },
    onFailure() {
      count('SharedStoreFailures');
      onFailure?.();
    },
  });
  return {
    /** The content that is held, however old. */
    content: () => held.peek(name)?.content,

    /** The content; undefined without an object, or while it cannot be read. With an older content it waits `waitMs`. Never throws. */
    async read(objects: Pick<Objects, 'getNewer'>, waitMs?: number): Promise<T | undefined> {
      const reading = held.get(name, {
        async read(signal, before = { content: undefined }) {
          try {
            const newer = await objects.getNewer(name, before.etag, { answerWithinMs, signal });
            return newer ? { content: open(newer.bytes, before.content), etag: newer.etag } : before;
          } catch (error) {
            const missing = { content: ifMissing(error) }; // throws for any other failure
            return outlivesObject ? before : missing;
          }
        },
        untilOf: ({ content }, at) => untilOf(content, at),
        waitMs,
      });
      const { content } = await reading.catch(() => ({ content: undefined }));
      return content;
    },
  };
}

interface Lifetimes {
  /** The beginning of its key, in front of the name. */
  readonly prefix: string;
  readonly heldMs: number;
  /** How soon a missing object is looked for again. */
  readonly missingMs: number;
}

/** Reads an object of a bucket for this container; undefined also without a bucket. */
export function heldObject<T>(options: Omit<Options<T>, 'untilOf'> & Lifetimes) {
  const { prefix, heldMs, missingMs } = options;
  const held = holdObject<T>({
    ...options,
    untilOf: (content, now) => now + (content ? heldMs : missingMs),
  });
  let objects: Objects | undefined;
  return async (bucket: string | undefined): Promise<T | undefined> => {
    if (!bucket) return undefined;
    objects ??= objectsOf(bucket, prefix);
    return held.read(objects);
  };
}
