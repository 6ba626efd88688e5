import type { RegistryLookups, RegistryManifest } from './types.ts';

/** Where newer registries are published. */
export interface RegistrySource {
  manifest(signal: AbortSignal): Promise<RegistryManifest>;
  /** The bytes of the index that a manifest names. */
  index(manifest: RegistryManifest, signal: AbortSignal): Promise<Uint8Array>;
}

export type RefreshOutcome = 'RegistryRefreshed' | 'RegistryRefreshRefused' | 'RegistryRefreshFailed';

interface Options<Opened extends RegistryLookups> {
  readonly source: RegistrySource;
  readonly current: () => Opened | undefined;
  readonly replace: (newer: Opened) => void;
  readonly open: (bytes: Uint8Array, manifest: RegistryManifest) => Opened;
  readonly outcome: (outcome: RefreshOutcome) => void;
  readonly now?: () => number;
}

interface Attempt {
  readonly startedAt: number;
  readonly abort: AbortController;
  readonly done: Promise<void>;
}

const LIFETIME_MS = 24 * 3_600_000;
const CHECK_EVERY_MS = 3_600_000;
/** After that long the container was frozen meanwhile, and the attempt's connection is not to be trusted. */
const ATTEMPT_MS = 15_000;
const WAIT_MS = 50;
/** A list that lost more than a fifth of its coins is a mistake of the provider's or of ours. */
const PLAUSIBLE_SHARE = 0.8;

/**
 * Replaces a registry older than 24 hours by a newer one, checked for at most once an hour. A request only starts
 * it, beside work of its own, or waits 50 ms; what is not done when the request is answered goes on with the next
 * one, or is begun anew.
 */
export class RegistryRefresh<Opened extends RegistryLookups> {
  readonly #options: Options<Opened>;
  readonly #now: () => number;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #attempt: Attempt | undefined;

  constructor(options: Options<Opened>) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Starts what is due, without waiting for it. */
  begin(): void {
    const now = this.#now();
    if (this.#attempt && Math.abs(now - this.#attempt.startedAt) <= ATTEMPT_MS) return;
    const isBroken = this.#attempt !== undefined;
    if (!isBroken && !this.#isDue(now)) return;
    this.#attempt?.abort.abort();
    this.#checkedAt = now;
    const abort = new AbortController();
    const attempt: Attempt = {
      startedAt: now,
      abort,
      done: this.#run(abort.signal).finally(() => {
        if (this.#attempt === attempt) this.#attempt = undefined;
      }),
    };
    this.#attempt = attempt;
  }

  /** Starts what is due and waits for it, 50 ms at most. */
  async briefly(): Promise<void> {
    this.begin();
    if (!this.#attempt) return;
    let timer: NodeJS.Timeout | undefined;
    const timeUp = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, WAIT_MS);
    });
    await Promise.race([this.#attempt.done, timeUp]);
    clearTimeout(timer);
  }

  #isDue(now: number): boolean {
    const registry = this.#options.current();
    const age = registry ? now - Date.parse(registry.manifest.builtAt) : Number.POSITIVE_INFINITY;
    return age > LIFETIME_MS && Math.abs(now - this.#checkedAt) >= CHECK_EVERY_MS;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { source, current, replace, open, outcome } = this.#options;
    try {
      const manifest = await source.manifest(signal);
      const registry = current();
      if (registry && !isNewer(manifest, registry.manifest)) return;
      if (registry && !isPlausible(manifest, registry.manifest)) return outcome('RegistryRefreshRefused');
      const newer = open(await source.index(manifest, signal), manifest);
      if (signal.aborted) return;
      replace(newer);
      outcome('RegistryRefreshed');
    } catch {
      if (!signal.aborted) outcome('RegistryRefreshFailed');
    }
  }
}

/** False for a registry that lost too many of the entries of the one before. */
export function isPlausible(candidate: RegistryManifest, previous: RegistryManifest): boolean {
  return candidate.entries >= previous.entries * PLAUSIBLE_SHARE;
}

function isNewer(candidate: RegistryManifest, present: RegistryManifest): boolean {
  return candidate.version !== present.version && Date.parse(candidate.builtAt) > Date.parse(present.builtAt);
}
