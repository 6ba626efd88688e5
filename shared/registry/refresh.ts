import { BackgroundTask } from '../platform/background-task.ts';
import { objectsOf } from '../platform/objects.ts';
import { DAY_MS, HOUR_MS } from '../platform/time.ts';
import { openIndexBytes } from './index-file.ts';
import { RegistryLookups } from './lookups.ts';
import {
  isFromFuture,
  isNewerBuild,
  PUBLISHED_MANIFEST,
  parseManifest,
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
  readonly current: () => RegistryLookups | undefined;
  readonly replace: (newer: RegistryLookups) => void;
  readonly outcome: (outcome: RefreshOutcome) => void;
  readonly now?: () => number;
}

const CHECK_EVERY_MS = HOUR_MS;
const ABANDON_AFTER_MS = 15_000;
/** Manifest and index take half a second on the processor share of 256 MB. */
const WHOLE_MS = 3_000;
const WAIT_MS = 50;

/**
 * Replaces a registry that is older than 24 hours, or from the future, by a newer one. It checks for one at most once an hour,
 * and a request waits 50 ms for it. A refresh that is frozen with its container continues with the next request; after 15
 * seconds that request restarts it and waits for its end.
 */
export class RegistryRefresh {
  readonly #options: Options;
  readonly #now: () => number;
  readonly #task: BackgroundTask;
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(options: Options) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#task = new BackgroundTask({
      run: (signal) => this.#run(signal),
      runMs: WHOLE_MS,
      abandonAfterMs: ABANDON_AFTER_MS,
      now: this.#now,
    });
  }

  /** Starts a refresh if it is due, and waits for it: 50 ms at most, or to its end for a request that needs it. */
  async begin({ isNeeded = false } = {}): Promise<void> {
    if (this.#task.begin((now) => this.#isDue(now))) this.#checkedAt = this.#now();
    await this.#task.wait(isNeeded ? WHOLE_MS : WAIT_MS);
  }

  #isDue(now: number): boolean {
    const registry = this.#options.current();
    const isOld = !registry || now - registry.builtAt > DAY_MS || isFromFuture(registry.manifest, now);
    return isOld && Math.abs(now - this.#checkedAt) >= CHECK_EVERY_MS;
  }

  async #run(abandoned: AbortSignal): Promise<void> {
    const { source, current, replace, outcome } = this.#options;
    const signal = AbortSignal.any([abandoned, AbortSignal.timeout(WHOLE_MS)]);
    try {
      const manifest = await source.manifest(signal);
      const registry = current();
      const now = this.#now();
      if (registry && isFromFuture(manifest, now)) return outcome('RegistryRefreshRefused');
      if (registry && !isNewerBuild(manifest, registry.manifest, now)) return;
      const bytes = await source.index(manifest, signal);
      const { implausibleChange } = await import('./plausible.ts'); // not loaded at a cold start
      if (abandoned.aborted) return;
      const newer = new RegistryLookups(openIndexBytes(bytes, manifest));
      if (registry && implausibleChange(newer, registry)) return outcome('RegistryRefreshRefused');
      replace(newer);
      outcome('RegistryRefreshed');
    } catch {
      if (!abandoned.aborted) outcome('RegistryRefreshFailed');
    }
  }
}
