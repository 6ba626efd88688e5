import { nothingYet, objectsOf } from '../../../../shared/platform/objects.ts';
import { publisherOf, replacing } from '../../../../shared/platform/publish-object.ts';
import { MANIFEST_NAME } from '../../../../shared/registry/format.ts';
import type { RegistryManifest } from '../../../../shared/registry/manifest.ts';
import type { RegistrySource } from '../../../../shared/registry/refresh.ts';
import { publishedRegistry, REGISTRY_PREFIX } from '../../../../shared/registry/store.ts';

/** The registry in S3 as the job has it. */
export interface RegistryStore extends RegistrySource {
  /** The manifest as it lies there, of whichever format; undefined if nothing was published yet. */
  published(signal: AbortSignal): Promise<PublishedManifest | undefined>;
  /**
   * Puts the index first and the manifest last: one write switches every reader from one registry to the next. Throws
   * ConditionFailed if the manifest is not, or no longer, the one that `replaced` is the ETag of; without it, if there
   * is one at all.
   */
  publish(bytes: Uint8Array, manifest: RegistryManifest, replaced?: string): Promise<void>;
}

export interface PublishedManifest {
  readonly text: string;
  readonly etag: string | undefined;
}

/** The registry in an S3 bucket. Throws what reading and the AWS SDK throw. */
export function registryStore(bucket: string): RegistryStore {
  const objects = objectsOf(bucket, REGISTRY_PREFIX);
  const put = publisherOf(bucket, REGISTRY_PREFIX);
  return {
    ...publishedRegistry(bucket),
    async published(signal) {
      const object = await objects.get(MANIFEST_NAME, signal).catch(nothingYet);
      return object && { text: new TextDecoder().decode(object.bytes), etag: object.etag };
    },
    async publish(bytes, manifest, replaced) {
      await put(manifest.index, bytes, 'application/octet-stream');
      await put(MANIFEST_NAME, JSON.stringify(manifest), 'application/json', replacing(replaced));
    },
  };
}
