import { Held } from '../platform/held.ts';
import { objectsOf } from '../platform/objects.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../platform/time.ts';
import type { RegistryLookups } from './lookups.ts';
import { isFromFuture, PUBLISHED_MANIFEST, parseManifest } from './manifest.ts';
import type { RegistryPlace, RegistrySource } from './newer.ts';

export const REGISTRY_PREFIX = 'registry/';

/**
 * The registry in S3: one manifest names the current index. Throws what `objectsOf` throws, and RegistryError for a
 * manifest that cannot be read.
 */
export function publishedRegistry(bucket: string): RegistrySource {
  const objects = objectsOf(bucket, REGISTRY_PREFIX);
  return {
    async manifest(signal) {
      const { bytes } = await objects.get(PUBLISHED_MANIFEST, signal);
      return parseManifest(PUBLISHED_MANIFEST, new TextDecoder().decode(bytes));
    },
    index: async ({ index }, signal) => (await objects.get(index, signal)).bytes,
  };
}

interface Options extends RegistryPlace {
  /** The registry that the container began with. */
  readonly initial: RegistryLookups | undefined;
}

const CHECK_EVERY_MS = HOUR_MS;
/** A server publishes its first one soon after its start, and the one with ids a minute later. */
const MISSING_MS = 10_000;
const WITHOUT_IDS_MS = MINUTE_MS;
/** Manifest and index take half a second on the processor share of 256 MB. */
const READ_MS = 3_000;
const WAIT_MS = 50;
const KEY = 'registry';

/**
 * This container's registry. One that is older than 24 hours, from the future, or without ids of other sources is replaced by a
 * newer one: after each answer of the source it is asked again an hour later, or soon while there is none, or a young one has no ids. A request waits 50 ms, or until the end if it needs the newer one.
 */
export class RegistryRefresh {
  readonly #options: Options;
  readonly #now: () => number;
  readonly #held: Held<RegistryLookups | undefined>;

  constructor(options: Options) {
    const { initial, outcome, now = Date.now } = options;
    this.#options = options;
    this.#now = now;
    this.#held = new Held({ readMs: READ_MS, onFailure: () => outcome('RegistryRefreshFailed'), now });
    this.#held.put(KEY, initial);
  }

  /** The registry in use; undefined if there is none. */
  get registry(): RegistryLookups | undefined {
    return this.#held.peek(KEY);
  }

  /** Replaces the registry if it is old and that is possible within the wait. */
  async refresh({ isNeeded = false } = {}): Promise<void> {
    if (!this.#isOld()) return;
    await this.#held.get(KEY, {
      read: async (signal, held) => {
        const { newerRegistry } = await import('./newer.ts'); // not loaded at a cold start
        return newerRegistry(this.#options, held, signal);
      },
      untilOf: (registry, now) => now + (registry ? checkEvery(registry, now) : MISSING_MS),
      waitMs: isNeeded ? READ_MS : WAIT_MS,
    });
  }

  #isOld(): boolean {
    const { registry } = this;
    const now = this.#now();
    return (
      !registry ||
      !hasIds(registry) ||
      now - registry.builtAt > DAY_MS ||
      isFromFuture(registry.manifest, now)
    );
  }
}

/** The ids of a young list may still be on their way. */
function checkEvery(registry: RegistryLookups, now: number): number {
  return hasIds(registry) || now - registry.builtAt > HOUR_MS ? CHECK_EVERY_MS : WITHOUT_IDS_MS;
}

function hasIds({ manifest }: RegistryLookups): boolean {
  return manifest.coinGeckoIds !== undefined;
}
