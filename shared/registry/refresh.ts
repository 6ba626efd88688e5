import { Held } from '../platform/held.ts';
import { objectsOf } from '../platform/objects.ts';
import { DAY_MS, HOUR_MS } from '../platform/time.ts';
import { openIndexBytes } from './index-file.ts';
import { RegistryLookups } from './lookups.ts';
import {
  isFromFuture,
  isNewerBuild,
  PUBLISHED_MANIFEST,
  parseManifest,
  RegistryError,
  type RegistryManifest,
} from './manifest.ts';

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

/** Where newer registries are published. */
export interface RegistrySource {
  manifest(signal: AbortSignal): Promise<RegistryManifest>;
  /** The bytes of the index that a manifest names. */
  index(manifest: RegistryManifest, signal: AbortSignal): Promise<Uint8Array>;
}

export type RefreshOutcome = 'RegistryRefreshed' | 'RegistryRefreshRefused' | 'RegistryRefreshFailed';

interface Options {
  readonly source: RegistrySource;
  /** The registry that the container began with. */
  readonly initial: RegistryLookups | undefined;
  readonly outcome: (outcome: RefreshOutcome) => void;
  readonly now?: () => number;
}

const CHECK_EVERY_MS = HOUR_MS;
/** While there is none at all: a server publishes its first one soon after its start. */
const MISSING_MS = 10_000;
/** Manifest and index take half a second on the processor share of 256 MB. */
const READ_MS = 3_000;
const WAIT_MS = 50;
const KEY = 'registry';

/**
 * This container's registry. One that is older than 24 hours, or from the future, is replaced by a newer one: after each answer of
 * the source it is asked again an hour later, or soon while there is none. A request waits 50 ms, or until the end if it needs the newer one.
 */
export class RegistryRefresh {
  readonly #options: Options;
  readonly #now: () => number;
  readonly #held: Held<RegistryLookups | undefined>;
  #isPublished = false;

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

  /** A registry has been published: the next request looks for it, however young this one is. */
  published(): void {
    this.#isPublished = true;
    this.#held.put(KEY, this.registry);
  }

  /** Replaces the registry if it is old and that is possible within the wait. */
  async refresh({ isNeeded = false } = {}): Promise<void> {
    if (!this.#isOld()) return;
    await this.#held.get(KEY, {
      read: async (signal, held) => {
        const newer = await this.#newer(signal, held);
        this.#isPublished = false;
        return newer;
      },
      untilOf: (registry, now) => now + (registry ? CHECK_EVERY_MS : MISSING_MS),
      waitMs: isNeeded ? READ_MS : WAIT_MS,
    });
  }

  #isOld(): boolean {
    const { registry } = this;
    const now = this.#now();
    if (this.#isPublished) return true;
    return !registry || now - registry.builtAt > DAY_MS || isFromFuture(registry.manifest, now);
  }

  /** The published registry if it is newer and plausible, otherwise `held`. Throws if the source does not answer. */
  async #newer(signal: AbortSignal, held: RegistryLookups | undefined): Promise<RegistryLookups | undefined> {
    const { source, outcome } = this.#options;
    try {
      const manifest = await source.manifest(signal);
      const now = this.#now();
      if (held && isFromFuture(manifest, now)) {
        outcome('RegistryRefreshRefused');
        return held;
      }
      if (held && !isNewerBuild(manifest, held.manifest, now)) return held;
      const bytes = await source.index(manifest, signal);
      const { implausibleChange } = await import('./plausible.ts'); // not loaded at a cold start
      signal.throwIfAborted();
      const newer = new RegistryLookups(openIndexBytes(bytes, manifest));
      const isRefused = held !== undefined && implausibleChange(newer, held) !== undefined;
      outcome(isRefused ? 'RegistryRefreshRefused' : 'RegistryRefreshed');
      return isRefused ? held : newer;
    } catch (error) {
      if (!isAnswer(error)) throw error;
      outcome('RegistryRefreshFailed');
      return held;
    }
  }
}

/** Whether the source has answered, so that asking again at once would change nothing: nothing is published, or it is damaged. */
function isAnswer(error: unknown): boolean {
  return error instanceof RegistryError || (error instanceof Error && error.name === 'NoSuchKey');
}
