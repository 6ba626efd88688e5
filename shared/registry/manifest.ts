import { HOUR_MS } from '../platform/time.ts';

/** Of the index file; see registry-layer/FORMAT.md. */
export const FORMAT_VERSION = 3;
export const MANIFEST_NAME = 'manifest.json';
/** In S3, where code of another format does not see it. */
export const PUBLISHED_MANIFEST = `manifest.v${FORMAT_VERSION}.json`;

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

type Build = Pick<RegistryManifest, 'version' | 'builtAt'>;

/** Clocks of those who build differ by no more. */
const MAX_CLOCK_LEAD_MS = HOUR_MS;

/** Whether a registry was built by a clock that was wrong: its time says nothing about its age. */
export function isFromFuture({ builtAt }: Pick<Build, 'builtAt'>, now: number): boolean {
  return Date.parse(builtAt) > now + MAX_CLOCK_LEAD_MS;
}

/** Whether a build replaces the present one, which it always does if that is from the future. */
export function isNewerBuild(
  candidate: Build,
  present: Partial<Build> & Pick<Build, 'builtAt'>,
  now: number,
): boolean {
  if (candidate.version === present.version) return false;
  return isFromFuture(present, now) || Date.parse(candidate.builtAt) > Date.parse(present.builtAt);
}
