import { openIndexBytes } from './index-file.ts';
import { RegistryLookups } from './lookups.ts';
import { isFromFuture, isNewerBuild, RegistryError, type RegistryManifest } from './manifest.ts';
import { implausibleChange } from './plausible.ts';

/** Where newer registries are published. */
export interface RegistrySource {
  manifest(signal: AbortSignal): Promise<RegistryManifest>;
  /** The bytes of the index that a manifest names. */
  index(manifest: RegistryManifest, signal: AbortSignal): Promise<Uint8Array>;
}

export type RefreshOutcome = 'RegistryRefreshed' | 'RegistryRefreshRefused' | 'RegistryRefreshFailed';

export interface RegistryPlace {
  readonly source: RegistrySource;
  readonly outcome: (outcome: RefreshOutcome) => void;
  readonly now?: () => number;
}

/** The published registry if it is newer and plausible, otherwise `held`. Throws if the source does not answer. */
export async function newerRegistry(
  { source, outcome, now = Date.now }: RegistryPlace,
  held: RegistryLookups | undefined,
  signal: AbortSignal,
): Promise<RegistryLookups | undefined> {
  try {
    const manifest = await source.manifest(signal);
    if (held && isFromFuture(manifest, now())) {
      outcome('RegistryRefreshRefused');
      return held;
    }
    if (held && !isNewerBuild(manifest, held.manifest, now())) return held;
    const bytes = await source.index(manifest, signal);
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

/** Whether the source has answered, so that asking again at once would change nothing: nothing is published, or it is damaged. */
function isAnswer(error: unknown): boolean {
  return error instanceof RegistryError || (error instanceof Error && error.name === 'NoSuchKey');
}
