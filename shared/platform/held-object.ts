import { Held } from './held.ts';
import { count } from './metrics.ts';
import { ifMissing, type Objects, objectsOf } from './objects.ts';

/** An object that is read whole, and how long a container holds it. */
interface HeldObject<T> {
  /** In front of the name. */
  readonly prefix: string;
  readonly name: string;
  /** Throws if the bytes cannot be opened. */
  readonly open: (bytes: Uint8Array) => T | undefined;
  readonly readMs: number;
  readonly heldMs: number;
  /** How soon a missing object is looked for again. */
  readonly missingMs: number;
}

/**
 * Reads one object of a bucket for this container. The result is undefined without a bucket or an object, or while it cannot be
 * read, which is counted. Never throws.
 */
export function heldObject<T>({ prefix, name, open, readMs, heldMs, missingMs }: HeldObject<T>) {
  const held = new Held<T | undefined>({ readMs, onFailure: () => count('SharedStoreFailures') });
  let objects: Objects | undefined;
  return async (bucket: string | undefined): Promise<T | undefined> => {
    if (!bucket) return undefined;
    objects ??= objectsOf(bucket, prefix);
    const { get } = objects;
    const source = {
      async read(signal: AbortSignal) {
        const object = await get(name, signal).catch(ifMissing);
        return object && open(object.bytes);
      },
      untilOf: (value: T | undefined, now: number) => now + (value ? heldMs : missingMs),
    };
    return held.get(name, source).catch(() => undefined);
  };
}
