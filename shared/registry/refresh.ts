import { BackgroundTask } from '../platform/background-task.ts';
import { openIndexBytes } from './index-file.ts';
import { RegistryLookups } from './lookups.ts';
import type { RegistryManifest } from './manifest.ts';

/** Newer registries, as they are published. */
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

const LIFETIME_MS = 24 * 3_600_000;
const CHECK_EVERY_MS = 3_600_000;
const ATTEMPT_MS = 15_000;
const WAIT_MS = 50;

/**
 * Replaces a registry older than 24 hours by a newer one, checked for at most once an hour. A request only starts
 * it, beside work of its own, or waits 50 ms; a refresh that is not done when the request is answered goes on with
 * the next one, or is begun anew.
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
      abandonAfterMs: ATTEMPT_MS,
      now: this.#now,
    });
  }

  begin(): void {
    if (this.#task.begin((now) => this.#isDue(now))) this.#checkedAt = this.#now();
  }

  /** Starts a refresh if it is due and waits for it, 50 ms at most. */
  async briefly(): Promise<void> {
    this.begin();
    await this.#task.wait(WAIT_MS);
  }

  #isDue(now: number): boolean {
    const registry = this.#options.current();
    const age = registry ? now - Date.parse(registry.manifest.builtAt) : Number.POSITIVE_INFINITY;
    return age > LIFETIME_MS && Math.abs(now - this.#checkedAt) >= CHECK_EVERY_MS;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { source, current, replace, outcome } = this.#options;
    try {
      const manifest = await source.manifest(signal);
      const registry = current();
      if (registry && !isNewer(manifest, registry.manifest)) return;
      const bytes = await source.index(manifest, signal);
      const { implausibleChange } = await import('./plausible.ts'); // no cold start pays for it
      if (signal.aborted) return;
      const newer = new RegistryLookups(openIndexBytes(bytes, manifest));
      if (registry && implausibleChange(newer, registry)) return outcome('RegistryRefreshRefused');
      replace(newer);
      outcome('RegistryRefreshed');
    } catch {
      if (!signal.aborted) outcome('RegistryRefreshFailed');
    }
  }
}

function isNewer(candidate: RegistryManifest, present: RegistryManifest): boolean {
  return candidate.version !== present.version && Date.parse(candidate.builtAt) > Date.parse(present.builtAt);
}
