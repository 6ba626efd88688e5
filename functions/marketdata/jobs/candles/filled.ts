import { objectNames } from '../../../../shared/marketdata/sources/stored.ts';
import type { Asked } from '../../../../shared/marketdata/store/backfill-note.ts';
import { DAY_MS, HOUR_MS } from '../../../../shared/marketdata/store/reader.ts';
import { nothingYet, objectsOf } from '../../../../shared/platform/objects.ts';
import { publisherOf, replacing } from '../../../../shared/platform/publish-object.ts';
import type { NoteStore } from '../backfill/progress.ts';
import { SOURCES_PREFIX } from '../sources-store.ts';
import { PAST_DAYS } from './past.ts';

/** Of the coins whose past exchanges were asked for, and up to when; as the backfill's note, and apart from it. */
const NAME = objectNames.filled;
const READ_TIMEOUT_MS = 10_000;

/** After a failure; and if all is up to date but something of the past was refused, or could not be converted. */
const REST_MS = { failed: 2 * HOUR_MS, lacking: DAY_MS } as const;

export function filledNotes(bucket: string): NoteStore {
  const objects = objectsOf(bucket, SOURCES_PREFIX);
  const put = publisherOf(bucket, SOURCES_PREFIX);
  return {
    async note() {
      const object = await objects.get(NAME, AbortSignal.timeout(READ_TIMEOUT_MS)).catch(nothingYet);
      return object && { content: jsonIn(object.bytes), etag: object.etag };
    },
    putNote: (_name, content, etag) =>
      put(NAME, JSON.stringify(content), 'application/json', replacing(etag)),
  };
}

/** Undefined for anything else: then all is looked for in the store. */
function jsonIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return undefined;
  }
}

/** The first day that is to be asked for up to today; undefined: nothing is. */
export function pastFrom(asked: Asked | undefined, today: number, now: number): number | undefined {
  const begin = today - PAST_DAYS * DAY_MS;
  const { through, at, failed } = asked ?? { through: 'never', at: 0, failed: false };
  const isUpToDate = typeof through === 'number' && through >= today;
  if (failed) return now - at < (isUpToDate ? REST_MS.lacking : REST_MS.failed) ? undefined : begin;
  if (typeof through !== 'number') return begin;
  return isUpToDate ? undefined : Math.max(through, begin);
}
