import { MAX_CLOCK_LEAD_MS } from '../platform/time.ts';

/** The version of the index file's format; see registry-layer/FORMAT.md. */
export const FORMAT_VERSION = 3;
export const MANIFEST_NAME = 'manifest.json';
/** Its name in S3, which code for another format does not read. */
export const PUBLISHED_MANIFEST = `manifest.v${FORMAT_VERSION}.json`;

/** The registry cannot be opened. The message names the file and the reason. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError';
}

/** The content of `manifest.json`, beside the index file. */
export interface RegistryManifest {
  /** Name of the index file, in the same folder. */
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
  /** The coins' source for `x-data-source`: a provider's name, or `simulated`. */
  readonly provider: string;
  /** When the index was built, in ISO 8601. */
  readonly builtAt: string;
  readonly entries: number;
  readonly active: number;
  /** Active entries with rank > 0. */
  readonly ranked: number;
  /** Name of the table of CoinGecko's ids in the same folder, which its reader checks; undefined if none was built. */
  readonly coinGeckoIds?: string | undefined;
  /** Checked by their readers; registries of earlier builds have neither. */
  readonly successors?: readonly Successor[] | undefined;
  readonly formerSymbols?: readonly FormerSymbol[] | undefined;
}

/** A coin that goes on as another. */
export interface Successor {
  readonly from: string;
  readonly to: string;
  /** The units of the new coin that replace one of the old. */
  readonly ratio: number;
  /** Whether the new coin existed beside the old one, and took it over. */
  readonly isMerger?: boolean;
}

/** A symbol that a coin had before. */
export interface FormerSymbol {
  readonly symbol: string;
  readonly id: string;
}

/** Optional fields that their readers check. */
type Unchecked = 'coinGeckoIds' | 'successors' | 'formerSymbols';

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
} as const satisfies Record<Exclude<keyof RegistryManifest, Unchecked>, (value: unknown) => boolean>;

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** Whether a name cannot lead out of its folder. */
function isFileName(value: unknown): boolean {
  return isText(value) && !value.includes('/') && !value.includes('\\') && !value.startsWith('.');
}

/** Reads a manifest. Throws RegistryError, naming `label`, for any other text and for another format version. */
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
  const record = manifest as Record<string, unknown>; // any field of an object may be read
  const version = record.formatVersion;
  if (isCount(version) && version !== FORMAT_VERSION) {
    const advice = version > FORMAT_VERSION ? 'deploy newer functions' : 'build it anew';
    refuse(`format version ${version}, this reader knows version ${FORMAT_VERSION}: ${advice}`);
  }
  for (const [name, isRight] of Object.entries(fields)) {
    if (!isRight(record[name])) refuse(`${name} is missing or wrong`);
  }
  return manifest as RegistryManifest; // every field was checked except for those that their readers check
}

type Build = Pick<RegistryManifest, 'version' | 'builtAt' | 'coinGeckoIds'>;

/** Whether a registry was built by a wrong clock, so that its time says nothing about its age. */
export function isFromFuture({ builtAt }: Pick<Build, 'builtAt'>, now: number): boolean {
  return Date.parse(builtAt) > now + MAX_CLOCK_LEAD_MS;
}

/** Whether a build replaces the present one: it is newer, or the present one is from the future. */
export function isNewerBuild(
  candidate: Build,
  present: Partial<Build> & Pick<Build, 'builtAt'>,
  now: number,
): boolean {
  const isSame = candidate.version === present.version && candidate.coinGeckoIds === present.coinGeckoIds;
  if (isSame) return false;
  return isFromFuture(present, now) || Date.parse(candidate.builtAt) > Date.parse(present.builtAt);
}
