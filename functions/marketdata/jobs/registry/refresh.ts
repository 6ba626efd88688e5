import type { BuiltRegistry } from '../../../../registry-layer/build.ts';
import { nothingYet } from '../../../../shared/platform/objects.ts';
import type { RegistryManifest } from '../../../../shared/registry/index.ts';
import { isPlausible } from '../../../../shared/registry/refresh.ts';
import type { RegistryStore } from '../../../../shared/registry/store.ts';

/** Publishes a registry unless it lost too many of the entries of the one before. Throws an Error with both counts. */
export async function refreshRegistry(
  { bytes, manifest }: BuiltRegistry,
  store: RegistryStore,
): Promise<RegistryManifest> {
  const previous = await store.manifest(AbortSignal.timeout(10_000)).catch(nothingYet);
  if (previous && !isPlausible(manifest, previous)) {
    throw new Error(
      `The provider's list has ${manifest.entries} coins where the registry in S3 has ${previous.entries}: not published`,
    );
  }
  await store.publish(bytes, manifest);
  return manifest;
}
