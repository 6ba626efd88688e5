import { type FileFormat, StoreError, signatureOf } from '../binary-file.ts';
import { SourceList } from './candle-rows.ts';
import { versions } from './names.ts';
import { encodeRows, openRows } from './rows.ts';

/** A coin's data in one run of the snapshot's job. In USD; null if the provider did not report it. */
export interface Sample {
  readonly id: string;
  readonly price: number;
  /** The volume of the last 24 hours. */
  readonly volume: number | null;
  readonly market_cap: number | null;
  /** The source of the price, if it differs from most samples'. */
  readonly source?: string;
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
  /** Their size in memory. */
  readonly bytes: number;
}

/**
 * The samples of one run: a file of rows (`rows.ts`; its header has the time of the data, seconds between two runs, and most
 * samples' source), with the names of all sources in JSON as its text. A row has price, volume and market cap (doubles, NaN:
 * unknown) and the source's index in that list (16 bits).
 */
const format: FileFormat = {
  signature: signatureOf('SMPL'),
  version: versions.samples,
  name: 'Samples',
  error: StoreError,
};
const SOURCE_FROM = 24;
const SAMPLE_BYTES = 26;

/** The file of samples, each coin once. */
export function encodeSamples(
  samples: Iterable<Sample>,
  { takenAt, intervalSeconds, source }: Run,
): Uint8Array {
  const sources = new SourceList();
  const rows = Array.from(samples, (sample): [string, Buffer] => {
    const { id, price, volume, market_cap } = sample;
    const content = Buffer.alloc(SAMPLE_BYTES);
    for (const [index, value] of [price, volume, market_cap].entries())
      content.writeDoubleLE(value ?? Number.NaN, 8 * index);
    content.writeUInt16LE(sources.placeOf(sample.source ?? source), SOURCE_FROM);
    return [id, content];
  });
  const header = { time: takenAt, seconds: intervalSeconds, source };
  return encodeRows(format, { header, text: JSON.stringify(sources.names), rows });
}

/** Throws StoreError; a damaged row is left out. */
export function openSamples(bytes: Uint8Array): Samples {
  const rows = openRows(format, bytes);
  const { time: takenAt, seconds: intervalSeconds, source } = rows.header;
  const names = JSON.parse(rows.text) as string[]; // written above
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
  });
  return {
    takenAt,
    intervalSeconds,
    source,
    count: rows.count - rows.damaged.length,
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
