import type { BuiltRegistry } from '../../../../registry-layer/build.ts';
import { formerSymbolsAfter } from '../../../../registry-layer/successors.ts';
import { objectsOf, replacing } from '../../../../shared/platform/objects.ts';
import { ConditionFailed } from '../../../../shared/platform/s3-error.ts';
import { openFrom } from '../../../../shared/platform/stored-object.ts';
import { coinGeckoIdsIn, coinGeckoIdsOf } from '../../../../shared/registry/coingecko-ids.ts';
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

/** The job runs once a day: two runs may overlap, three do not. */
const ATTEMPTS = 3;

/** The registry is not plausible after the published one. The message gives the reason. */
export class ImplausibleRegistry extends Error {
  override readonly name = 'ImplausibleRegistry';
}

/**
 * Publishes a registry: the first one always, a later one if it is newer and plausible. Returns false if one as new is already
 * published. Throws ImplausibleRegistry, and what the store throws.
 */
export async function publishRegistry(built: BuiltRegistry, store: RegistryStore): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    const { content: previous, etag, setAside } = await store.published();
    // Compares only times: an unchanged list is published again, together with its index.
    if (previous && !isNewerBuild(built.manifest, { builtAt: previous.builtAt }, Date.now())) return false;
    const before = previous && (await store.index(previous)).content;
    const next = new RegistryLookups(openIndexBytes(built.bytes, built.manifest));
    const isFirst = !previous && setAside === undefined;
    const reason = isFirst ? undefined : implausible(next, previous, before);
    if (reason) throw new ImplausibleRegistry(`The provider's list was not published: ${reason}`);
    try {
      await store.publish(before ? withFormerSymbols(built, next, before) : built, etag);
      return true;
    } catch (error) {
      if (!(error instanceof ConditionFailed) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** Compares with the previous list if it can be opened. Returns the reason not to publish, if any. */
function implausible(
  next: RegistryLookups,
  previous: RegistryManifest | undefined,
  before: RegistryLookups | undefined,
): string | undefined {
  if (before) return implausibleChange(next, before);
  return implausibleList(next) ?? (previous && implausibleCounts(next.manifest, previous));
}

/** The manifest carries the symbols that coins had before, from one registry to the next. */
function withFormerSymbols(
  built: BuiltRegistry,
  next: RegistryLookups,
  before: RegistryLookups,
): BuiltRegistry {
  const formerSymbols = formerSymbolsAfter(next, built.manifest.formerSymbols ?? [], before);
  if (formerSymbols.length === 0) return built;
  return { ...built, manifest: { ...built.manifest, formerSymbols } };
}

export type RegistryStore = ReturnType<typeof registryStore>;

/** The registry in an S3 bucket. Its functions throw what opening an object and `Objects` throw. */
export function registryStore(bucket: string) {
  const objects = objectsOf(bucket, REGISTRY_PREFIX);
  const open = openFrom(objects);
  return {
    published: () =>
      open(PUBLISHED_MANIFEST, (bytes) => parseManifest(PUBLISHED_MANIFEST, new TextDecoder().decode(bytes))),
    /** The index of a manifest; without content if it is missing. */
    index: (manifest: RegistryManifest) =>
      open(manifest.index, (bytes) => new RegistryLookups(openIndexBytes(bytes, manifest))),
    /** Pairs of our and their ids in the published registry; undefined without a readable table of ids. */
    async publishedIds(): Promise<ReadonlyMap<string, string> | undefined> {
      const { content: manifest } = await this.published();
      const name = manifest && coinGeckoIdsOf(manifest);
      if (name === undefined) return undefined;
      const { content } = await open(
        name,
        (bytes) => coinGeckoIdsIn(Buffer.from(bytes).toString()),
        ({ isWhole }) => isWhole,
      );
      return content && new Map(content.pairs());
    },
    /**
     * Puts the index and the table of ids first and the manifest last, so that one write switches every reader. Throws
     * ConditionFailed unless `replaced` is the ETag of the current manifest, or is left out and there is none.
     */
    async publish({ bytes, manifest, coinGeckoIds }: BuiltRegistry, replaced?: string): Promise<void> {
      await objects.put(manifest.index, bytes, 'application/octet-stream');
      if (manifest.coinGeckoIds !== undefined && coinGeckoIds !== undefined)
        await objects.put(manifest.coinGeckoIds, Buffer.from(coinGeckoIds), 'text/tab-separated-values');
      await objects.put(
        PUBLISHED_MANIFEST,
        JSON.stringify(manifest),
        'application/json',
        replacing(replaced),
      );
    },
  };
}
