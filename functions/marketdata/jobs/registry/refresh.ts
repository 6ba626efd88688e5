import type { BuiltRegistry } from '../../../../registry-layer/build.ts';
import { nothingYet } from '../../../../shared/platform/objects.ts';
import { ConditionFailed } from '../../../../shared/platform/publish-object.ts';
import { MANIFEST_NAME } from '../../../../shared/registry/format.ts';
import { openIndexBytes } from '../../../../shared/registry/index-file.ts';
import { RegistryLookups } from '../../../../shared/registry/lookups.ts';
import { parseManifest, RegistryError, readSummary } from '../../../../shared/registry/manifest.ts';
import {
  implausibleChange,
  implausibleCounts,
  implausibleList,
} from '../../../../shared/registry/plausible.ts';
import type { RegistryStore } from './store.ts';

const READ_TIMEOUT_MS = 10_000;
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
export async function refreshRegistry(built: BuiltRegistry, store: RegistryStore): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    const previous = await store.published(AbortSignal.timeout(READ_TIMEOUT_MS));
    if (previous) {
      if (!isNewer(built, previous.text)) return false;
      const reason = await implausible(built, previous.text, store);
      if (reason) throw new ImplausibleRegistry(`The provider's list is not published: ${reason}`);
    }
    try {
      await store.publish(built.bytes, built.manifest, previous?.etag);
      return true;
    } catch (error) {
      if (!(error instanceof ConditionFailed) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** Also in comparison with another format, whose functions may run at the same time during a deployment. */
function isNewer({ manifest }: BuiltRegistry, previous: string): boolean {
  const before = readSummary(previous);
  return !before || Date.parse(manifest.builtAt) > Date.parse(before.builtAt);
}

async function implausible(
  { bytes, manifest }: BuiltRegistry,
  previous: string,
  store: RegistryStore,
): Promise<string | undefined> {
  const next = new RegistryLookups(openIndexBytes(bytes, manifest));
  const before = await open(previous, store);
  if (before) return implausibleChange(next, before);
  const counts = readSummary(previous);
  return implausibleList(next) ?? (counts && implausibleCounts(manifest, counts));
}

/** Undefined if it is of another format, damaged, or its index has expired: that is no reason to leave it there. */
async function open(manifestText: string, store: RegistryStore): Promise<RegistryLookups | undefined> {
  try {
    const manifest = parseManifest(MANIFEST_NAME, manifestText);
    const bytes = await store.index(manifest, AbortSignal.timeout(READ_TIMEOUT_MS)).catch(nothingYet);
    return bytes && new RegistryLookups(openIndexBytes(bytes, manifest));
  } catch (error) {
    if (error instanceof RegistryError) return undefined;
    throw error;
  }
}
