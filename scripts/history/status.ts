import { leftoverADay, planOf } from '../../shared/coordination/allowance.ts';
import { openHours } from '../../shared/marketdata/store/candle-files.ts';
import { dayText, HISTORY_PREFIX, objectNames } from '../../shared/marketdata/store/names.ts';
import {
  isPastKnown,
  mergedNotes,
  type PastNotes,
  readPastNote,
} from '../../shared/marketdata/store/past-note.ts';
import { openSamples } from '../../shared/marketdata/store/samples.ts';
import { nothingYet, objectsOf } from '../../shared/platform/objects.ts';
import { DAY_MS, HOUR_MS } from '../../shared/platform/time.ts';
import { activeCoins } from './active-coins.ts';
import type { Place } from './where.ts';

/** Coins whose past is stored, or is known not to exist, of all of a kind. */
export interface Completeness {
  readonly complete: number;
  readonly all: number;
  /** The day by which all are, in ISO 8601; undefined: never, at this budget. */
  readonly by: string | undefined;
}

/** Times in ISO 8601; null for what there is not, or cannot be told. */
export interface Status {
  readonly bucket: string;
  /** When the newest published hour was over. */
  readonly hoursUntil: string | null;
  readonly rolledUpThrough: string | null;
  readonly snapshotCoins: Completeness | null;
  readonly activeCoins: Completeness | null;
  /** What the job of the past gets of a day's requests if callers need no more than the rest. */
  readonly requestsADay: number;
}

const READ_TIMEOUT_MS = 30_000;

/** Reads a history through a handful of requests. Throws what S3 answers, and TransportError. */
export async function statusOf({ bucket, settings }: Place, now: number): Promise<Status> {
  const [note, rolledUp, hoursUntil, sampled, active] = await Promise.all([
    json(bucket, objectNames.past),
    json(bucket, objectNames.rolledUp),
    endOfHours(bucket, now),
    sampledCoins(bucket, now),
    activeCoins(bucket),
  ]);
  const notes = note === undefined ? mergedNotes() : readPastNote(note);
  const perDay = leftoverADay(planOf(settings));
  const { through } = (rolledUp ?? {}) as { readonly through?: unknown }; // checked below
  const of = (coins: readonly string[] | undefined) =>
    coins === undefined ? null : completeness(coins, notes, perDay, now);
  return {
    bucket,
    hoursUntil: hoursUntil === undefined ? null : new Date(hoursUntil).toISOString(),
    rolledUpThrough: typeof through === 'string' ? through : null,
    snapshotCoins: of(sampled),
    activeCoins: of(active),
    requestsADay: perDay,
  };
}

function completeness(coins: readonly string[], notes: PastNotes, perDay: number, now: number): Completeness {
  const left = coins.filter((id) => !isPastKnown(notes, id)).length;
  const by = perDay > 0 || left === 0 ? dayText(now + Math.ceil(left / (perDay || 1)) * DAY_MS) : undefined;
  return { complete: coins.length - left, all: coins.length, by };
}

async function bytesOf(bucket: string, name: string): Promise<Uint8Array | undefined> {
  const object = await objectsOf(bucket, HISTORY_PREFIX)
    .get(name, AbortSignal.timeout(READ_TIMEOUT_MS))
    .catch(nothingYet);
  return object?.bytes;
}

async function json(bucket: string, name: string): Promise<unknown> {
  const bytes = await bytesOf(bucket, name);
  try {
    return bytes && JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return undefined; // the next run of its job makes it anew
  }
}

/** Of today, or of yesterday; milliseconds since the epoch. */
async function endOfHours(bucket: string, now: number): Promise<number | undefined> {
  for (const day of [now, now - DAY_MS]) {
    const bytes = await bytesOf(bucket, objectNames.hours(day));
    const coins = bytes ? [...openHours(bytes).coins.values()] : [];
    if (coins.length > 0) return Math.max(...coins.map((hours) => (hours.at(-1)?.opensAt ?? 0) + HOUR_MS));
  }
  return undefined;
}

/** The coins of the last samples; undefined if there are none of today or yesterday. */
async function sampledCoins(bucket: string, now: number): Promise<string[] | undefined> {
  const objects = objectsOf(bucket, HISTORY_PREFIX);
  for (const day of [now, now - DAY_MS]) {
    const name = (await objects.list(objectNames.samplesOfDay(day))).at(-1);
    const bytes = name === undefined ? undefined : await bytesOf(bucket, name);
    if (!bytes) continue;
    return Array.from(openSamples(bytes).all(), ({ id }) => id);
  }
  return undefined;
}
