import { SOURCES_PREFIX, sourceObjects } from '../../../../shared/marketdata/sources/source-map.ts';
import type { FetchNote } from '../../../../shared/marketdata/store/backfill-note.ts';
import { objectsOf, replacing } from '../../../../shared/platform/objects.ts';
import { jsonIn, openFrom } from '../../../../shared/platform/stored-object.ts';
import { DAY_MS, HOUR_MS } from '../../../../shared/platform/time.ts';
import type { NoteStore } from '../backfill/progress.ts';
import { PAST_DAYS } from './past.ts';

/** Of the coins whose past exchanges were asked for, and up to when; as the backfill's note, and apart from it. */
const NAME = sourceObjects.filled;

/** After a failure; and if all is up to date but something of the past was refused, or could not be converted. */
const REST_MS = { failed: 2 * HOUR_MS, lacking: DAY_MS } as const;

export function filledNotes(bucket: string): NoteStore {
  const objects = objectsOf(bucket, SOURCES_PREFIX);
  const open = openFrom(objects);
  return {
    note: (_name, read) => open(NAME, (bytes) => read(jsonIn(bytes))),
    putNote: (_name, content, etag) =>
      objects.put(NAME, JSON.stringify(content), 'application/json', replacing(etag)),
  };
}

/** The first day that is to be asked for up to today; undefined: nothing is. */
export function pastFrom(asked: FetchNote | undefined, today: number, now: number): number | undefined {
  const begin = today - PAST_DAYS * DAY_MS;
  const { through, at, failed } = asked ?? { through: 'never', at: 0, failed: false };
  const isUpToDate = typeof through === 'number' && through >= today;
  if (failed) return now - at < (isUpToDate ? REST_MS.lacking : REST_MS.failed) ? undefined : begin;
  if (typeof through !== 'number') return begin;
  return isUpToDate ? undefined : Math.max(through, begin);
}
