/** Brings objects of the history back to what they were, from the versions that its bucket keeps. */
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  S3Client,
} from '@aws-sdk/client-s3';
import { canBeJoined, joinBack } from '../../shared/marketdata/store/join-back.ts';
import { HISTORY_PREFIX, VERSION_DAYS } from '../../shared/marketdata/store/names.ts';
import { objectsOf, replacing } from '../../shared/platform/objects.ts';
import { SET_ASIDE } from '../../shared/platform/stored-object.ts';
import { DAY_MS } from '../../shared/platform/time.ts';

export interface Wanted {
  /** An object's name below the prefix, or with a slash at its end the beginning of many. */
  readonly name: string;
  /** Milliseconds since the epoch; of what is set aside, nobody asks. */
  readonly to: number;
  /** As it was, without what was stored since. */
  readonly isExact: boolean;
  /** Whether an object that was not there then is deleted, which leaves a version as well. */
  readonly removes: boolean;
}

/** What is to be done with one object. */
export interface Step {
  readonly action: 'join' | 'replace' | 'remove' | 'leave';
  readonly name: string;
  /** The object that is read: a version of this one, or one that is set aside. */
  readonly from: { readonly name: string; readonly id: string; readonly at: Date } | undefined;
  /** The version that is there now; undefined: none, or it is not replaced as a whole. */
  readonly etag: string | undefined;
}

export interface Plan {
  readonly steps: readonly Step[];
  /** Objects that are as they were. */
  readonly same: number;
}

interface Version {
  readonly id: string;
  readonly at: Date;
  readonly isLatest: boolean;
  /** Undefined: it was deleted then. */
  readonly etag: string | undefined;
}

const AT_ONCE = 16;

/** The time that a text names. Throws an Error unless there are versions of that time. */
export function timeOf(text: string | undefined, now: number): number {
  const time = Date.parse(text ?? '');
  if (!/T.+(Z|[+-]\d\d:\d\d)$/.test(text ?? '') || Number.isNaN(time))
    throw new Error('--to takes a time with its zone, such as 2026-11-20T18:00:00Z');
  if (time > now) throw new Error(`--to is ${text}, which has not come yet`);
  if (time < now - VERSION_DAYS * DAY_MS)
    throw new Error(`--to is ${text}: versions are kept for ${VERSION_DAYS} days`);
  return time;
}

/** Says what would be done, and does nothing. Throws what S3 answers, and an Error for a bucket without versions. */
export async function planOf(bucket: string, wanted: Wanted): Promise<Plan> {
  const steps: Step[] = [];
  let same = 0;
  for (const [name, versions] of await versionsOf(bucket, wanted.name)) {
    const step = name.startsWith(SET_ASIDE) ? joiningBack(name, versions) : stepOf(name, versions, wanted);
    if (step) steps.push(step);
    else same += 1;
  }
  return { steps, same };
}

/** Undefined if the object is as it was. */
function stepOf(name: string, versions: readonly Version[], wanted: Wanted): Step | undefined {
  const then = versions.find(({ at }) => at.getTime() <= wanted.to);
  const now = versions.find(({ isLatest }) => isLatest);
  if (then?.id === now?.id || (!then?.etag && !now?.etag)) return undefined;
  const etag = now?.etag;
  if (!then?.etag) return { action: wanted.removes ? 'remove' : 'leave', name, from: undefined, etag };
  const action = canBeJoined(name) && !wanted.isExact ? 'join' : 'replace';
  return { action, name, from: { ...then, name }, etag };
}

/** What is set aside does not change, so its newest version is meant, also if somebody has deleted it. */
function joiningBack(copy: string, versions: readonly Version[]): Step | undefined {
  const from = versions.find(({ etag }) => etag !== undefined);
  const name = copy.slice(SET_ASIDE.length, copy.lastIndexOf('@'));
  if (!from || !canBeJoined(name)) return undefined; // its job makes it anew
  return { action: 'join', name, from: { ...from, name: copy }, etag: undefined };
}

/**
 * Carries the plan out, some objects at once. Returns by the object's name why one could not be restored: it cannot be
 * opened, or somebody else has put another one meanwhile.
 */
export async function carryOut(bucket: string, { steps }: Plan): Promise<Map<string, string>> {
  const history = objectsOf(bucket, HISTORY_PREFIX);
  const client = clientOf();
  const failed = new Map<string, string>();

  async function take({ action, name, from, etag }: Step): Promise<void> {
    if (action === 'remove') {
      await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: HISTORY_PREFIX + name }));
    }
    if (!from) return;
    const version = { Bucket: bucket, Key: HISTORY_PREFIX + from.name, VersionId: from.id };
    const { Body, ContentType = 'application/octet-stream' } = await client.send(
      new GetObjectCommand(version),
    );
    const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array();
    if (action === 'join') await joinBack(history, name, bytes);
    else await history.put(name, bytes, ContentType, replacing(etag));
  }

  for (let at = 0; at < steps.length; at += AT_ONCE)
    await Promise.all(
      steps.slice(at, at + AT_ONCE).map((step) =>
        take(step).catch((error: unknown) => {
          failed.set(step.name, error instanceof Error ? error.message : String(error));
        }),
      ),
    );
  return failed;
}

/** By name, the newest of each first. */
async function versionsOf(bucket: string, name: string): Promise<Map<string, Version[]>> {
  const client = clientOf();
  const isMany = name.endsWith('/');
  const found = new Map<string, Version[]>();
  const add = (key: string, version: Version) => {
    const one = key.slice(HISTORY_PREFIX.length);
    // What is set aside is asked for by that name alone.
    if (isMany ? one.startsWith(SET_ASIDE) !== name.startsWith(SET_ASIDE) : one !== name) return;
    found.set(
      one,
      [...(found.get(one) ?? []), version].sort((a, b) => b.at.getTime() - a.at.getTime()),
    );
  };
  const Prefix = HISTORY_PREFIX + (name === '/' ? '' : name);
  let page: Partial<ListObjectVersionsCommandOutput> = {};
  do {
    const { NextKeyMarker: KeyMarker, NextVersionIdMarker: VersionIdMarker } = page;
    page = await client.send(
      new ListObjectVersionsCommand({ Bucket: bucket, Prefix, KeyMarker, VersionIdMarker }),
    );
    const { Versions = [], DeleteMarkers = [] } = page;
    if (!name.startsWith(SET_ASIDE) && Versions.some(({ VersionId }) => VersionId === 'null'))
      throw new Error(`${bucket} keeps no versions, so nothing can be restored`);
    for (const { Key = '', VersionId: id = '', LastModified: at = new Date(), ETag, IsLatest } of Versions)
      add(Key, { id, at, etag: ETag, isLatest: IsLatest === true });
    for (const { Key = '', VersionId: id = '', LastModified: at = new Date(), IsLatest } of DeleteMarkers)
      add(Key, { id, at, etag: undefined, isLatest: IsLatest === true });
  } while (page.IsTruncated);
  return found;
}

function clientOf(): S3Client {
  return new S3Client({ forcePathStyle: process.env.AWS_ENDPOINT_URL_S3 !== undefined });
}

/** A line for each object, and what it comes to. */
export function planText({ steps, same }: Plan): string {
  const words = {
    join: 'joined with what is there now',
    replace: 'in place of what is there now',
    remove: 'removed, because it was not there then',
    leave: 'left, though it was not there then (--remove removes it)',
  };
  const lines = steps.map(({ action, name, from }) =>
    [name, ...(from ? [`of ${from.at.toISOString()}`] : []), words[action]].join('  '),
  );
  const changed = steps.filter(({ action }) => action !== 'leave').length;
  return [...lines, `${changed} to be changed, ${steps.length - changed} left, ${same} as they were`].join(
    '\n',
  );
}
