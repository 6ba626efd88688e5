import { RegistryError } from './error.ts';
import type { RegistryManifest } from './types.ts';

const fields = {
  index: isFileName,
  formatVersion: isCount,
  version: isText,
  lookupBytes: isCount,
  lookupChecksum: isText,
  searchBytes: isCount,
  searchChecksum: isText,
  source: isText,
  builtAt: (value) => isText(value) && !Number.isNaN(Date.parse(value)),
  entries: isCount,
  active: isCount,
  ranked: isCount,
} as const satisfies Record<keyof RegistryManifest, (value: unknown) => boolean>;

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** A name that stays in its folder. */
function isFileName(value: unknown): boolean {
  return isText(value) && !value.includes('/') && !value.includes('\\') && !value.startsWith('.');
}

/** Reads a manifest. Throws RegistryError with `label` for text that is not one. */
export function parseManifest(label: string, text: string): RegistryManifest {
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch {
    throw new RegistryError(`Registry manifest ${label}: not JSON`);
  }
  if (typeof manifest !== 'object' || manifest === null)
    throw new RegistryError(`Registry manifest ${label}: not an object`);
  const record = manifest as Record<string, unknown>;
  for (const [name, isRight] of Object.entries(fields)) {
    if (!isRight(record[name]))
      throw new RegistryError(`Registry manifest ${label}: ${name} is missing or wrong`);
  }
  return manifest as RegistryManifest; // every field was checked
}
