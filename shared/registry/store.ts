import { objectsOf } from '../platform/objects.ts';
import { PUBLISHED_MANIFEST } from './format.ts';
import { parseManifest } from './manifest.ts';
import type { RegistrySource } from './refresh.ts';

export const REGISTRY_PREFIX = 'registry/';

/**
 * The registry in S3: indexes under names of their own, and one manifest that says which of them is current. Throws
 * what `objectsOf` throws, and RegistryError for a manifest that is not one.
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
