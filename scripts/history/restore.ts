/** Restores objects of the history from the versions that its bucket keeps, and what was set aside from wherever it is. */
import { type ListObjectVersionsCommandOutput, type ObjectVersion, S3 } from '@aws-sdk/client-s3';
import { canBeJoined, joinBack } from '../../shared/marketdata/store/join-back.ts';
import { HISTORY_PREFIX } from '../../shared/marketdata/store/names.ts';
import { objectsOf, replacing } from '../../shared/platform/objects.ts';
import { SET_ASIDE } from '../../shared/platform/stored-object.ts';
import { atMost } from '../../shared/platform/waiting.ts';
import type { Place } from '../place.ts';

export interface Wanted {
  /** An object's name below the prefix, or a prefix of many names that ends with a slash. */
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly to: number;
  /** Restore the old object alone, without data stored since. */
  readonly isExact: boolean;
  /** Whether to delete objects that did not exist then; a deletion leaves a version as well. */
  readonly removes: boolean;
}

/** The planned action for one object. */
interface Step {
  readonly action: 'join' | 'replace' | 'remove' | 'leave' | 'none';
  readonly name: string;
  /** The object to read: a version of this one, or one that was set aside. */
  readonly from?: { readonly name: string } & Partial<Pick<Version, 'id' | 'at'>>;
  /** The current version; undefined if there is none, or it is not replaced as a whole. */
  readonly etag?: string | undefined;
}

interface Version {
  readonly id: string;
  readonly at: Date;
  readonly isLatest: boolean;
  /** Undefined: it was deleted then. */
  readonly etag: string | undefined;
}

const AT_ONCE = 16;
const READ_TIMEOUT_MS = 30_000;

/** Reads the versions and changes nothing. Throws S3's errors, and an Error for a bucket without versions. */
export async function planOf(
  { bucket, hasVersions }: Pick<Place, 'bucket' | 'hasVersions'>,
  wanted: Wanted,
): Promise<Step[]> {
  if (!hasVersions) return planInFolder(bucket, wanted.name);
  const all = await versionsOf(bucket, wanted.name);
  return [...all].map(([name, versions]) =>
    name.startsWith(SET_ASIDE) ? joiningBack(name, versions) : stepOf(name, versions, wanted),
  );
}

/** A folder has the objects that are set aside, and of all others their present content alone. */
async function planInFolder(bucket: string, name: string): Promise<Step[]> {
  if (!name.startsWith(SET_ASIDE))
    throw new Error(
      `A folder keeps no versions: put back a backup of it; only ${SET_ASIDE}<name> can be merged`,
    );
  const copies = await objectsOf(bucket, HISTORY_PREFIX).list(name);
  return copies.map((copy) => joinOf(copy));
}

function stepOf(name: string, versions: readonly Version[], wanted: Wanted): Step {
  const then = versions.find(({ at }) => at.getTime() <= wanted.to);
  const now = versions.find(({ isLatest }) => isLatest);
  if (then?.id === now?.id || (!then?.etag && !now?.etag)) return { action: 'none', name };
  if (!then?.etag) return { action: wanted.removes ? 'remove' : 'leave', name };
  const action = canBeJoined(name) && !wanted.isExact ? 'join' : 'replace';
  return { action, name, from: { ...then, name }, etag: now?.etag };
}

/** Objects set aside do not change, so their newest version is used, even if it was deleted. */
function joiningBack(copy: string, versions: readonly Version[]): Step {
  const from = versions.find(({ etag }) => etag !== undefined);
  return from ? joinOf(copy, from) : { action: 'none', name: copy };
}

function joinOf(copy: string, version?: Version): Step {
  const name = copy.slice(SET_ASIDE.length, copy.lastIndexOf('@'));
  if (!canBeJoined(name)) return { action: 'none', name }; // its job recreates it
  return { action: 'join', name, from: { ...version, name: copy } };
}

/**
 * Carries out the plan, several objects at once. Reports objects on stderr that could not be restored: unreadable ones,
 * and those that a job has replaced meanwhile. Returns whether all were restored.
 */
export async function carryOut(bucket: string, steps: readonly Step[]): Promise<boolean> {
  const history = objectsOf(bucket, HISTORY_PREFIX);
  const s3 = client();
  const key = (name: string) => ({ Bucket: bucket, Key: HISTORY_PREFIX + name });

  async function contentOf({ name, id }: NonNullable<Step['from']>) {
    if (id === undefined) {
      const { bytes } = await history.get(name, AbortSignal.timeout(READ_TIMEOUT_MS));
      return { bytes, type: 'application/octet-stream' };
    }
    const { Body, ContentType: type = 'application/octet-stream' } = await s3.getObject({
      ...key(name),
      VersionId: id,
    });
    return { bytes: (await Body?.transformToByteArray()) ?? new Uint8Array(), type };
  }

  async function take({ action, name, from, etag }: Step): Promise<void> {
    if (action === 'remove') await s3.deleteObject(key(name));
    if (!from) return;
    const { bytes, type } = await contentOf(from);
    if (action === 'join') await joinBack(history, name, bytes);
    else await history.put(name, bytes, type, replacing(etag));
  }

  const done = await atMost(AT_ONCE, steps, async (step) => {
    try {
      await take(step);
      return true;
    } catch (error) {
      console.error(`${step.name} was not restored: ${error instanceof Error ? error.message : error}`);
      return false;
    }
  });
  return done.every(Boolean);
}

/** The versions by name, newest first. */
async function versionsOf(bucket: string, name: string): Promise<Map<string, Version[]>> {
  const s3 = client();
  const isMany = name.endsWith('/');
  const isSetAside = name.startsWith(SET_ASIDE);
  const Prefix = HISTORY_PREFIX + (name === '/' ? '' : name);
  const all: (Version & { readonly name: string })[] = [];
  let page: Partial<ListObjectVersionsCommandOutput> = {};
  do {
    const { NextKeyMarker: KeyMarker, NextVersionIdMarker: VersionIdMarker } = page;
    page = await s3.listObjectVersions({ Bucket: bucket, Prefix, KeyMarker, VersionIdMarker });
    const { Versions = [], DeleteMarkers = [] } = page;
    if (!isSetAside && Versions.some(({ VersionId }) => VersionId === 'null'))
      throw new Error(`${bucket} keeps no versions, so nothing can be restored`);
    for (const one of [...Versions, ...DeleteMarkers]) {
      const { Key = '', VersionId: id = '', LastModified: at = new Date(), IsLatest: isLatest = false } = one;
      const { ETag: etag }: ObjectVersion = one; // deletion markers have none
      all.push({ name: Key.slice(HISTORY_PREFIX.length), id, at, isLatest, etag });
    }
  } while (page.IsTruncated);
  // An object set aside is restored only under its own name.
  const wanted = all.filter((one) =>
    isMany ? one.name.startsWith(SET_ASIDE) === isSetAside : one.name === name,
  );
  return Map.groupBy(
    wanted.sort((a, b) => b.at.getTime() - a.at.getTime()),
    (version) => version.name,
  );
}

function client(): S3 {
  return new S3({ forcePathStyle: process.env.AWS_ENDPOINT_URL_S3 !== undefined });
}

/** A line for each object, and a summary. */
export function planText(steps: readonly Step[]): string {
  const words = {
    join: 'joined with what is there now',
    replace: 'in place of what is there now',
    remove: 'removed, because it was not there then',
    leave: 'left, though it was not there then (--remove removes it)',
  };
  const count = (...actions: Step['action'][]) =>
    steps.filter(({ action }) => actions.includes(action)).length;
  const lines = steps.flatMap(({ action, name, from }) =>
    action === 'none'
      ? []
      : [[name, ...(from?.at ? [`of ${from.at.toISOString()}`] : []), words[action]].join('  ')],
  );
  const sum = `${count('join', 'replace', 'remove')} to be changed, ${count('leave')} left, ${count('none')} as they were`;
  return [...lines, sum].join('\n');
}
