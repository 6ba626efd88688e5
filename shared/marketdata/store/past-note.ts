import { DAY_MS, HOUR_MS } from '../../platform/time.ts';
import { StoreError } from '../binary-file.ts';

/** The past of coins that was fetched from each source: the content of the object `past`. */

/** The kinds of sources, in the order of preference. */
const sources = ['exchanges', 'tokens', 'provider'] as const;
export type PastSource = (typeof sources)[number];

export interface FetchNote {
  /** The past up to the beginning of this day is stored. `never`: unknown; `nothing`: there is none. */
  readonly through: number | 'never' | 'nothing';
  /** The time of the last fetch. Both in milliseconds since the epoch. */
  readonly at: number;
  /** Whether that failed. */
  readonly failed: boolean;
}

/** The notes by coin. */
export type FetchNotes = ReadonlyMap<string, FetchNote>;
export type PastNotes = Readonly<Record<PastSource, FetchNotes>>;

const VERSION = 1;

/**
 * A coin in the note: the first day that is not stored (days since 1970; 0: there is nothing, -1: unknown), the hour of the last
 * fetch (hours since 1970), and a 1 if that failed.
 */
type Row = readonly [day: number, hour: number, failed?: 1];
type Rows = Readonly<Record<string, Row>>;

/** The note as JSON; 13,000 coins of one source are 450 KB. */
export function pastNote(notes: PastNotes): unknown {
  return { version: VERSION, ...ofEach((source) => Object.fromEntries([...notes[source]].map(rowOf))) };
}

/**
 * Leaves out what a clock that was ahead has noted, so that it is fetched again. Throws StoreError for another version. Only the job
 * of the past writes this object, in one put.
 */
export function readPastNote(content: unknown, now = Date.now()): PastNotes {
  const { version, ...rows } = content as { version?: unknown } & Partial<Record<PastSource, Rows>>;
  if (version !== VERSION) throw new StoreError(`Version ${version} of the note of the past`);
  const isPast = ({ at }: FetchNote) => at <= now + HOUR_MS;
  return ofEach((source) => {
    const notes = Object.entries(rows[source] ?? {}).map(noteOf);
    return new Map(notes.filter(([, note]) => isPast(note)));
  });
}

/** Several notes in one; for each coin the last one counts. */
export function mergedNotes(...all: readonly PastNotes[]): Record<PastSource, Map<string, FetchNote>> {
  return ofEach((source) => new Map(all.flatMap((notes) => [...notes[source]])));
}

/** Whether any source's past of a coin is stored, or the provider has none. */
export function isPastKnown(notes: PastNotes, id: string): boolean {
  const isStored = sources.some((source) => typeof notes[source].get(id)?.through === 'number');
  return isStored || notes.provider.get(id)?.through === 'nothing';
}

function ofEach<T>(partOf: (source: PastSource) => T): Record<PastSource, T> {
  return { exchanges: partOf('exchanges'), tokens: partOf('tokens'), provider: partOf('provider') };
}

function rowOf([id, { through, at, failed }]: readonly [string, FetchNote]): [string, Row] {
  const day = through === 'never' ? -1 : through === 'nothing' ? 0 : Math.floor(through / DAY_MS);
  const hour = Math.floor(at / HOUR_MS);
  return [id, failed ? [day, hour, 1] : [day, hour]];
}

function noteOf([id, [day, hour, failed]]: readonly [string, Row]): [string, FetchNote] {
  const through = day < 0 ? 'never' : day === 0 ? 'nothing' : day * DAY_MS;
  return [id, { through, at: hour * HOUR_MS, failed: failed === 1 }];
}
