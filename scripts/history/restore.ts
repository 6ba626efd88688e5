/** Restores objects of the history from the versions that its bucket keeps. */
import { type ListObjectVersionsCommandOutput, type ObjectVersion, S3 } from '@aws-sdk/client-s3';
import { openCandles } from '../../shared/marketdata/store/candle-files.ts';
import { openCoin } from '../../shared/marketdata/store/coin-object.ts';
import { dayText, HISTORY_PREFIX, kindOf, objectNames } from '../../shared/marketdata/store/names.ts';
import {
  ifMissing,
  type Objects,
  objectsOf,
  replacing,
  retryOnConflict,
} from '../../shared/platform/objects.ts';
import { jsonIn, SET_ASIDE } from '../../shared/platform/stored-object.ts';
import { DAY_MS } from '../../shared/platform/time.ts';
import { atMost } from '../../shared/platform/waiting.ts';
import type { Place } from '../place.ts';

export interface Wanted {
  /** An object's name below the prefix, or a prefix of many names that ends with a slash. */
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly to: number;
  /** Whether to delete objects that did not exist then; a deletion leaves a version as well. */
  readonly removes: boolean;
}

/** The planned action for one object. */
interface Step {
  readonly action: 'replace' | 'remove' | 'leave' | 'none';
  readonly name: string;
  /** The version to restore. */
  readonly from?: Pick<Version, 'id' | 'at'>;
  /** The current version; undefined if there is none. */
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
  if (!hasVersions) throw new Error('A folder keeps no versions: put back a backup of it');
  const all = await versionsOf(bucket, wanted.name);
  return [...all].map(([name, versions]) => stepOf(name, versions, wanted));
}

function stepOf(name: string, versions: readonly Version[], wanted: Wanted): Step {
  const then = versions.find(({ at }) => at.getTime() <= wanted.to);
  const now = versions.find(({ isLatest }) => isLatest);
  if (then?.id === now?.id || (!then?.etag && !now?.etag)) return { action: 'none', name };
  if (!then?.etag) return { action: wanted.removes ? 'remove' : 'leave', name };
  return { action: 'replace', name, from: then, etag: now?.etag };
}

/**
 * Carries out the plan, several objects at once. The next roll-up merges the days of the last weeks that a restored shard lacks.
 * Reports objects on stderr that could not be restored: unreadable ones, and those that a job has replaced meanwhile.
 * Returns whether all were restored.
 */
export async function carryOut(bucket: string, steps: readonly Step[]): Promise<boolean> {
  const history = objectsOf(bucket, HISTORY_PREFIX);
  const s3 = client();
  const key = (name: string) => ({ Bucket: bucket, Key: HISTORY_PREFIX + name });
  let through = Number.POSITIVE_INFINITY;

  async function take({ action, name, from, etag }: Step): Promise<void> {
    if (action === 'remove') await s3.deleteObject(key(name));
    if (!from) return;
    const version = await s3.getObject({ ...key(name), VersionId: from.id });
    const bytes = (await version.Body?.transformToByteArray()) ?? new Uint8Array();
    if (name.startsWith(objectNames.coins)) openCoin(bytes);
    const time = kindOf(name) ? openCandles(bytes).time : undefined;
    const type = version.ContentType ?? 'application/octet-stream';
    await history.put(name, bytes, type, replacing(etag));
    if (time !== undefined && kindOf(name) === 'series') through = Math.min(through, time - DAY_MS);
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
  if (Number.isFinite(through)) await mergeAgainAfter(history, through);
  return done.every(Boolean);
}

/** Takes the roll-up's note back to a day, so that it merges the following days again; those that are merged change nothing. */
function mergeAgainAfter(history: Objects, through: number): Promise<void> {
  const name = objectNames.rolledUp;
  return retryOnConflict(async () => {
    const note = await history.get(name, AbortSignal.timeout(READ_TIMEOUT_MS)).catch(ifMissing);
    const known = note && (jsonIn(note.bytes) as { readonly through?: string }); // put by the roll-up
    if (!known?.through || known.through <= dayText(through)) return;
    const text = JSON.stringify({ through: dayText(through) });
    await history.put(name, text, 'application/json', replacing(note?.etag));
  });
}

/** The versions by name, newest first. */
async function versionsOf(bucket: string, name: string): Promise<Map<string, Version[]>> {
  const s3 = client();
  const isMany = name.endsWith('/');
  const Prefix = HISTORY_PREFIX + (name === '/' ? '' : name);
  const all: (Version & { readonly name: string })[] = [];
  let page: Partial<ListObjectVersionsCommandOutput> = {};
  do {
    const { NextKeyMarker: KeyMarker, NextVersionIdMarker: VersionIdMarker } = page;
    page = await s3.listObjectVersions({ Bucket: bucket, Prefix, KeyMarker, VersionIdMarker });
    const { Versions = [], DeleteMarkers = [] } = page;
    if (Versions.some(({ VersionId }) => VersionId === 'null'))
      throw new Error(`${bucket} keeps no versions, so nothing can be restored`);
    for (const one of [...Versions, ...DeleteMarkers]) {
      const { Key = '', VersionId: id = '', LastModified: at = new Date(), IsLatest: isLatest = false } = one;
      const { ETag: etag }: ObjectVersion = one; // deletion markers have none
      all.push({ name: Key.slice(HISTORY_PREFIX.length), id, at, isLatest, etag });
    }
  } while (page.IsTruncated);
  // Jobs have made anew what they set aside.
  const wanted = all.filter((one) => (isMany ? !one.name.startsWith(SET_ASIDE) : one.name === name));
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
  const sum = `${count('replace', 'remove')} to be changed, ${count('leave')} left, ${count('none')} as they were`;
  return [...lines, sum].join('\n');
}
