import { type FileFormat, StoreError, signatureOf } from '../binary-file.ts';
import { versions } from './names.ts';
import { openRows } from './rows.ts';
import { encodeRows } from './rows-writer.ts';
import { SourceList } from './source-list.ts';

/** A coin's data in one run of the snapshot's job. In USD; null if the provider did not report it. */
export interface Sample {
  readonly id: string;
  readonly price: number;
  /** The volume of the last 24 hours. */
  readonly volume: number | null;
  readonly market_cap: number | null;
  /** The source of the price, if it differs from most samples'. */
  readonly source?: string;
  /** Whether the price was disputed or held back: no candle is made of it unless a later run revises it. */
  readonly isUnconfirmed?: boolean;
  /** Whether it is the first one after a redenomination. */
  readonly isNewUnit?: boolean;
}

/** What a run found a coin's earlier samples to be: believed or false, from that time on (ms since the epoch). */
export interface Revision {
  readonly id: string;
  readonly from: number;
  readonly isBelieved: boolean;
}

interface Run {
  /** Milliseconds since the epoch. */
  readonly takenAt: number;
  /** Seconds between two runs. */
  readonly intervalSeconds: number;
  readonly source: string;
}

export interface Samples extends Run {
  readonly count: number;
  /** The sample of a coin; undefined if there is none. */
  of(id: string): Required<Sample> | undefined;
  /** All samples in the order of the ids' bytes. */
  all(): Iterable<Required<Sample>>;
  /** What this run found earlier samples to be. */
  readonly revisions: readonly Revision[];
  /** Their size in memory. */
  readonly bytes: number;
}

/**
 * The samples of one run: a file of rows (`rows.ts`; its header has the time of the data, seconds between two runs, and most
 * samples' source), with the names of all sources and the revisions in JSON as its text. A row has price, volume and market cap
 * (doubles, NaN: unknown), the source's index in that list (16 bits), and marks (8 bits: 1 unconfirmed, 2 new unit).
 */
const format: FileFormat = {
  signature: signatureOf('SMPL'),
  version: versions.samples,
  name: 'Samples',
  error: StoreError,
};
const SOURCE_FROM = 24;
const MARKS_FROM = 26;
const SAMPLE_BYTES = 27;
const marks = { isUnconfirmed: 1, isNewUnit: 2 } as const;

/** The file of samples, each coin once. */
export function encodeSamples(
  samples: Iterable<Sample>,
  { takenAt, intervalSeconds, source }: Run,
  revisions: readonly Revision[] = [],
): Uint8Array {
  const sources = new SourceList();
  const rows = Array.from(samples, (sample): [string, Buffer] => {
    const { id, price, volume, market_cap } = sample;
    const content = Buffer.alloc(SAMPLE_BYTES);
    for (const [index, value] of [price, volume, market_cap].entries())
      content.writeDoubleLE(value ?? Number.NaN, 8 * index);
    content.writeUInt16LE(sources.placeOf(sample.source ?? source), SOURCE_FROM);
    const { isUnconfirmed = false, isNewUnit = false } = sample;
    content.writeUInt8(
      Number(isUnconfirmed) * marks.isUnconfirmed + Number(isNewUnit) * marks.isNewUnit,
      MARKS_FROM,
    );
    return [id, content];
  });
  const header = { time: takenAt, seconds: intervalSeconds, source };
  return encodeRows(format, { header, text: JSON.stringify({ sources: sources.names, revisions }), rows });
}

interface Text {
  readonly sources: string[];
  readonly revisions: Revision[];
}

/** Throws StoreError; a damaged row is left out. */
export function openSamples(bytes: Uint8Array): Samples {
  const rows = openRows(format, bytes);
  const { time: takenAt, seconds: intervalSeconds, source } = rows.header;
  const { sources: names, revisions } = JSON.parse(rows.text) as Text; // written above
  const amountIn = (content: Buffer, start: number) => {
    const amount = content.readDoubleLE(start);
    return Number.isNaN(amount) ? null : amount;
  };
  const sampleIn = (id: string, content: Buffer): Required<Sample> => ({
    id,
    price: content.readDoubleLE(0),
    volume: amountIn(content, 8),
    market_cap: amountIn(content, 16),
    source: names[content.readUInt16LE(SOURCE_FROM)] ?? source,
    isUnconfirmed: (content.readUInt8(MARKS_FROM) & marks.isUnconfirmed) !== 0,
    isNewUnit: (content.readUInt8(MARKS_FROM) & marks.isNewUnit) !== 0,
  });
  return {
    takenAt,
    intervalSeconds,
    source,
    count: rows.count - rows.damaged.length,
    revisions,
    bytes: bytes.byteLength,
    of(id) {
      const content = rows.content(id);
      return content && sampleIn(id, content);
    },
    *all() {
      for (const [id, content] of rows.entries()) yield sampleIn(id, content);
    },
  };
}

/** A revision, and the time of the run that made it: it is about samples before that. */
export interface TimedRevision extends Revision {
  readonly until: number;
}

export function revisionsIn(runs: readonly Samples[]): TimedRevision[] {
  return runs.flatMap(({ revisions, takenAt }) =>
    revisions.map((revision) => ({ ...revision, until: takenAt })),
  );
}

/** Whether candles are made of a sample taken at a time (ms since the epoch). */
export type IsBelieved = (sample: Required<Sample>, takenAt: number) => boolean;

/** Candles are made of the samples that were believed when they were taken, unless a later run found something else. */
export function believedAfter(revisions: readonly TimedRevision[]): IsBelieved {
  const byId = Map.groupBy(
    revisions.toSorted((a, b) => a.until - b.until),
    ({ id }) => id,
  );
  return ({ id, isUnconfirmed }, takenAt) => {
    const last = byId.get(id)?.findLast(({ from, until }) => takenAt >= from && takenAt < until);
    return last?.isBelieved ?? !isUnconfirmed;
  };
}
