import { FORMAT_VERSION } from './format.ts';

/** The registry cannot be opened. The message names the file and the reason. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError';
}

/** The content of `manifest.json`, beside the index file. */
export interface RegistryManifest {
  /** Name of the index file in the same folder. */
  readonly index: string;
  readonly formatVersion: number;
  /** Leading 12 digits of `sha256`: equal content, equal version. */
  readonly version: string;
  /** SHA-256 of the index file, in hex. */
  readonly sha256: string;
  /** Size of the index's first part, for everything but the fuzzy search. */
  readonly lookupBytes: number;
  /** Size of the second part, for the fuzzy search. */
  readonly searchBytes: number;
  /** `live`, `simulated`, or the base name of the list file. */
  readonly source: string;
  /** Whose coins these are, as `x-data-source` tells it: a provider's name, or `simulated`. */
  readonly provider: string;
  /** ISO 8601, when the index was built. */
  readonly builtAt: string;
  readonly entries: number;
  readonly active: number;
  /** Active entries with rank > 0. */
  readonly ranked: number;
}

/** What the manifests of all formats tell. */
export type RegistrySummary = Pick<RegistryManifest, 'builtAt' | 'entries' | 'active' | 'ranked'>;

const fields = {
  index: isFileName,
  formatVersion: isCount,
  version: isText,
  sha256: isText,
  lookupBytes: isCount,
  searchBytes: isCount,
  source: isText,
  provider: isText,
  builtAt: (value) => isText(value) && !Number.isNaN(Date.parse(value)),
  entries: isCount,
  active: isCount,
  ranked: isCount,
} as const satisfies Record<keyof RegistryManifest, (value: unknown) => boolean>;

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** A name that stays in its folder. */
function isFileName(value: unknown): boolean {
  return isText(value) && !value.includes('/') && !value.includes('\\') && !value.startsWith('.');
}

/** Reads a manifest. Throws RegistryError with `label` for text that is not one, or is of another format version. */
export function parseManifest(label: string, text: string): RegistryManifest {
  const refuse = (reason: string): never => {
    throw new RegistryError(`Registry manifest ${label}: ${reason}`);
  };
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch {
    refuse('not JSON');
  }
  if (typeof manifest !== 'object' || manifest === null) return refuse('not an object');
  const record = manifest as Record<string, unknown>; // any object can be asked for any name
  const version = record.formatVersion;
  if (isCount(version) && version !== FORMAT_VERSION) {
    const advice = version > FORMAT_VERSION ? 'deploy newer functions' : 'build it anew';
    refuse(`format version ${version}, this reader knows version ${FORMAT_VERSION}: ${advice}`);
  }
  for (const [name, isRight] of Object.entries(fields)) {
    if (!isRight(record[name])) refuse(`${name} is missing or wrong`);
  }
  return manifest as RegistryManifest; // every field was checked
}

/** Reads as much from a manifest of any format; undefined if it does not tell all of it. */
export function readSummary(text: string): RegistrySummary | undefined {
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof manifest !== 'object' || manifest === null) return undefined;
  const { builtAt, entries, active, ranked } = manifest as RegistryManifest; // each is checked below
  const summary = { builtAt, entries, active, ranked };
  const names = Object.keys(summary) as (keyof RegistrySummary)[]; // its own keys
  return names.every((name) => fields[name](summary[name])) ? summary : undefined;
}
