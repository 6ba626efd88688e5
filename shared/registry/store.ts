import { nothingYet, objectsOf } from '../platform/objects.ts';
import { MANIFEST_NAME } from './format.ts';
import { parseManifest, type RegistryManifest } from './manifest.ts';
import type { RegistrySource } from './refresh.ts';

/** The registry in S3: indexes under names of their own, and one manifest that says which of them is current. */
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

/** Reads from and writes to the bucket. Throws what the SDK throws, and RegistryError for a manifest that is not one. */
export function registryStore(bucket: string): RegistryStore {
  const objects = objectsOf(bucket, 'registry/');
  return {
    async manifest(signal) {
      const { bytes } = await objects.get(MANIFEST_NAME, signal);
      return parseManifest(MANIFEST_NAME, new TextDecoder().decode(bytes));
    },
    index: async ({ index }, signal) => (await objects.get(index, signal)).bytes,
    async published(signal) {
      const object = await objects.get(MANIFEST_NAME, signal).catch(nothingYet);
      return object && { text: new TextDecoder().decode(object.bytes), etag: object.etag };
    },
    async publish(bytes, manifest, replaced) {
      const condition = replaced === undefined ? { ifNoneMatch: '*' as const } : { ifMatch: replaced };
      await objects.put(manifest.index, bytes, 'application/octet-stream');
      await objects.put(MANIFEST_NAME, JSON.stringify(manifest), 'application/json', condition);
    },
  };
}
