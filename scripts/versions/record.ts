import { readFileSync } from 'node:fs';
import type { LiveAlias } from './live-aliases.ts';
import type { Aim } from './point.ts';

/** Function's name → the version that its alias points to. */
type VersionRecord = Readonly<Record<string, string>>;

export function recordOf(aliases: readonly LiveAlias[]): VersionRecord {
  return Object.fromEntries(aliases.map(({ functionName, version }) => [functionName, version]));
}

/** Reads a record that was written as JSON. Throws, with the file's name, if it is none. */
export function readRecord(file: string): VersionRecord {
  const record: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (!isRecord(record)) throw new Error(`${file} is not what show prints: {"<function>": "<version>"}`);
  return record;
}

function isRecord(value: unknown): value is VersionRecord {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((version) => typeof version === 'string' && /^\d+$/.test(version))
  );
}

/** Where the record says that each alias was. Functions that only one of the two knows are named, and left alone. */
export function aimsOf(record: VersionRecord, aliases: readonly LiveAlias[]): Aim[] {
  const known = new Set(aliases.map(({ functionName }) => functionName));
  for (const name of Object.keys(record).filter((name) => !known.has(name)))
    console.log(`left ${name}: the stack has no such function any more`);
  return aliases.flatMap((alias) => {
    const to = record[alias.functionName];
    if (to !== undefined) return [{ alias, to }];
    console.log(`left ${alias.functionName}: it is newer than the record`);
    return [];
  });
}
