import type { BuiltRegistry } from '../../../../registry-layer/build.ts';
import { isSuddenDrop } from '../../../../shared/platform/is-sudden-drop.ts';
import { nothingYet } from '../../../../shared/platform/objects.ts';
import { RegistryError, type RegistryManifest } from '../../../../shared/registry/manifest.ts';
import type { RegistryStore } from '../../../../shared/registry/store.ts';

const READ_TIMEOUT_MS = 10_000;

/** Publishes a registry unless it lost too many of the entries of the one before. Throws an Error with both counts. */
export async function refreshRegistry(
  { bytes, manifest }: BuiltRegistry,
  store: RegistryStore,
): Promise<RegistryManifest> {
  const previous = await publishedBefore(store);
  if (previous && isSuddenDrop(manifest.entries, previous.entries)) {
    throw new Error(
      `The provider's list has ${manifest.entries} coins where the registry in S3 has ${previous.entries}: not published`,
    );
  }
  await store.publish(bytes, manifest);
  return manifest;
}

/** Undefined also if the manifest cannot be read, as one of an earlier format: that is no reason to leave it there. */
async function publishedBefore(store: RegistryStore): Promise<RegistryManifest | undefined> {
  try {
    return await store.manifest(AbortSignal.timeout(READ_TIMEOUT_MS)).catch(nothingYet);
  } catch (error) {
    if (error instanceof RegistryError) return undefined;
    throw error;
  }
}
