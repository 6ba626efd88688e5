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
  /** The limit for the whole download. */
  readonly readMs: number;
  /** The limit until S3 begins to respond on an open connection. */
  readonly answerWithinMs?: number;
  /** Called for each failed attempt, which is counted as a failure of the store. */
  readonly onFailure?: () => void;
  readonly now?: () => number;
}

/** A container's copy of one object, which is downloaded again only if it has changed. */
export class HeldObject<T> {
  readonly #options: Options<T>;
  readonly #held: Held<{ readonly content: T | undefined; readonly etag?: string | undefined }>;

  constructor(options: Options<T>) {
    const { readMs, onFailure = () => {}, now = Date.now } = options;
    this.#options = options;
    const fail = () => {
      count('SharedStoreFailures');
      onFailure();
    };
    this.#held = new Held({ readMs, onFailure: fail, now });
  }

  /** The content that is held, however old. */
  get content(): T | undefined {
    return this.#held.peek(this.#options.name)?.content;
  }

  /** The content; undefined without an object, or while it cannot be read. With an older content it waits `waitMs`. Never throws. */
  async read(objects: Pick<Objects, 'getNewer'>, waitMs?: number): Promise<T | undefined> {
    const { name, open, untilOf, answerWithinMs } = this.#options;
    const reading = this.#held.get(name, {
      async read(signal, held = { content: undefined }) {
        try {
          const newer = await objects.getNewer(name, held.etag, { answerWithinMs, signal });
          return newer ? { content: open(newer.bytes, held.content), etag: newer.etag } : held;
        } catch (error) {
          return { content: ifMissing(error) };
        }
      },
      untilOf: ({ content }, now) => untilOf(content, now),
      ...(waitMs !== undefined && { waitMs }),
    });
    return reading.then(
      ({ content }) => content,
      () => undefined,
    );
  }
}

interface Lifetimes {
  /** In front of the name. */
  readonly prefix: string;
  readonly heldMs: number;
  /** How soon a missing object is looked for again. */
  readonly missingMs: number;
}

/** Reads an object of a bucket for this container; undefined also without a bucket. */
export function heldObject<T>(options: Omit<Options<T>, 'untilOf'> & Lifetimes) {
  const { prefix, heldMs, missingMs } = options;
  const held = new HeldObject<T>({
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
