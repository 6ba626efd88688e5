import type { BuiltRegistry } from '../../../../registry-layer/build.ts';
import { bucketOf, type Opened, openFrom } from '../../../../shared/platform/open-object.ts';
import { ConditionFailed, replacing } from '../../../../shared/platform/publish-object.ts';
import { openIndexBytes } from '../../../../shared/registry/index-file.ts';
import { RegistryLookups } from '../../../../shared/registry/lookups.ts';
import {
  isNewerBuild,
  PUBLISHED_MANIFEST,
  parseManifest,
  type RegistryManifest,
} from '../../../../shared/registry/manifest.ts';
import {
  implausibleChange,
  implausibleCounts,
  implausibleList,
} from '../../../../shared/registry/plausible.ts';
import { REGISTRY_PREFIX } from '../../../../shared/registry/refresh.ts';

/** The job runs once a day: that two runs meet happens, that three of them do does not. */
const ATTEMPTS = 3;

/** The registry would not be plausible after the one that is published. The message says why. */
export class ImplausibleRegistry extends Error {
  override readonly name = 'ImplausibleRegistry';
}

/**
 * Publishes a registry; the first one whatever it is, each later one if it is newer and plausible. Returns false if one
 * as new is there already. Throws ImplausibleRegistry, and what the store throws.
 */
export async function publishRegistry(built: BuiltRegistry, store: RegistryStore): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    const { content: previous, etag, setAside } = await store.published();
    // By its time alone: the same list again is published anew, and its index with it.
    if (previous && !isNewerBuild(built.manifest, { builtAt: previous.builtAt }, Date.now())) return false;
    const before = previous && (await store.index(previous)).content;
    const isFirst = !previous && setAside === undefined;
    const reason = isFirst ? undefined : implausible(built, previous, before);
    if (reason) throw new ImplausibleRegistry(`The provider's list is not published: ${reason}`);
    try {
      await store.publish(built.bytes, built.manifest, etag);
      return true;
    } catch (error) {
      if (!(error instanceof ConditionFailed) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** Beside the list before, as far as that can be opened. */
function implausible(
  { bytes, manifest }: BuiltRegistry,
  previous: RegistryManifest | undefined,
  before: RegistryLookups | undefined,
): string | undefined {
  const next = new RegistryLookups(openIndexBytes(bytes, manifest));
  if (before) return implausibleChange(next, before);
  return implausibleList(next) ?? (previous && implausibleCounts(manifest, previous));
}

/** The registry in S3 as the job has it. Throws what opening and the AWS SDK throw. */
export interface RegistryStore {
  published(): Promise<Opened<RegistryManifest>>;
  /** The index of a manifest: without content also if it has expired. */
  index(manifest: RegistryManifest): Promise<Opened<RegistryLookups>>;
  /**
   * Puts the index first and the manifest last: one write switches every reader from one registry to the next. Throws
   * ConditionFailed if the manifest is not, or no longer, the one that `replaced` is the ETag of; without it, if there
   * is one at all.
   */
  publish(bytes: Uint8Array, manifest: RegistryManifest, replaced?: string): Promise<void>;
}

/** The registry in an S3 bucket. */
export function registryStore(bucket: string): RegistryStore {
  const { objects, put } = bucketOf(bucket, REGISTRY_PREFIX);
  const open = openFrom({ objects, put });
  return {
    published: () =>
      open(PUBLISHED_MANIFEST, (bytes) => parseManifest(PUBLISHED_MANIFEST, new TextDecoder().decode(bytes))),
    index: (manifest) =>
      open(manifest.index, (bytes) => new RegistryLookups(openIndexBytes(bytes, manifest))),
    async publish(bytes, manifest, replaced) {
      await put(manifest.index, bytes, 'application/octet-stream');
      await put(PUBLISHED_MANIFEST, JSON.stringify(manifest), 'application/json', replacing(replaced));
    },
  };
}
