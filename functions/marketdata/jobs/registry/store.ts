import { bucketOf, type Opened, openFrom } from '../../../../shared/platform/open-object.ts';
import { replacing } from '../../../../shared/platform/publish-object.ts';
import { PUBLISHED_MANIFEST } from '../../../../shared/registry/format.ts';
import { openIndexBytes } from '../../../../shared/registry/index-file.ts';
import { RegistryLookups } from '../../../../shared/registry/lookups.ts';
import { parseManifest, type RegistryManifest } from '../../../../shared/registry/manifest.ts';
import { REGISTRY_PREFIX } from '../../../../shared/registry/store.ts';

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
