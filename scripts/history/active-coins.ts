import { registryFolder } from '../../registry-layer/main.ts';
import { openIndex, openIndexBytes } from '../../shared/registry/index-file.ts';
import { RegistryLookups } from '../../shared/registry/lookups.ts';
import { RegistryError } from '../../shared/registry/manifest.ts';
import { publishedRegistry } from '../../shared/registry/refresh.ts';

const READ_TIMEOUT_MS = 30_000;

/** The active coins of the published registry, else of the one that was built here; undefined if there is neither. */
export async function activeCoins(bucket: string): Promise<string[] | undefined> {
  const registry = (await published(bucket)) ?? built();
  return registry && Array.from({ length: registry.activeCount }, (_, row) => registry.id(row));
}

async function published(bucket: string): Promise<RegistryLookups | undefined> {
  const source = publishedRegistry(bucket);
  try {
    const manifest = await source.manifest(AbortSignal.timeout(READ_TIMEOUT_MS));
    const bytes = await source.index(manifest, AbortSignal.timeout(READ_TIMEOUT_MS));
    return new RegistryLookups(openIndexBytes(bytes, manifest));
  } catch (error) {
    return unlessMissing(error);
  }
}

function built(): RegistryLookups | undefined {
  try {
    return new RegistryLookups(openIndex(registryFolder));
  } catch (error) {
    return unlessMissing(error);
  }
}

function unlessMissing(error: unknown): undefined {
  const isMissing = error instanceof RegistryError || (error instanceof Error && error.name === 'NoSuchKey');
  if (!isMissing) throw error;
}
