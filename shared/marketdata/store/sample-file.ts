import { type FileFormat, HEADER_BYTES, seal, signatureOf, unseal } from '../binary-file.ts';
import { byId, encodeIds, type IdTable, openIds } from './id-table.ts';
import { versions } from './names.ts';
import { StoreError } from './store-error.ts';

/** What a run of the snapshot's job saw of one coin. In USD; null if the provider did not say. */
export interface Sample {
  readonly id: string;
  readonly price: number;
  /** Of the last 24 hours. */
  readonly volume: number | null;
  readonly market_cap: number | null;
  /** Whose price it is, if not that of most of them. */
  readonly source?: string;
}

/**
 * The samples of one run: the header of `binary-file.ts` (when the provider made them, seconds between two runs, the name
 * of most samples' source); for each coin price, volume and market cap (doubles, NaN: not known); the table of ids
 * (`id-table.ts`), in whose order the rows are; the place of each one's source (16 bits) in a list of names, which follows
 * in JSON.
 */
const format: FileFormat = {
  signature: signatureOf('SMPL'),
  version: versions.samples,
  name: 'Samples',
  error: StoreError,
};
const ROW_BYTES = 24;
const PLACE_BYTES = 2;

interface Taken {
  /** Milliseconds since the epoch. */
  readonly takenAt: number;
  /** Seconds between two runs. */
  readonly intervalSeconds: number;
  readonly source: string;
}

export interface Samples extends Taken {
  readonly ids: IdTable;
  sample(row: number): Required<Sample>;
}

/** The file of samples, each coin once. Ids that are not well-formed Unicode, which nobody can ask for, are left out. */
export function encodeSamples(
  samples: Iterable<Sample>,
  { takenAt, intervalSeconds, source }: Taken,
): Uint8Array {
  const rows = byId([...samples].filter(({ id }) => id.isWellFormed()));
  const values = Buffer.alloc(rows.length * ROW_BYTES);
  for (const [row, { price, volume, market_cap }] of rows.entries()) {
    for (const [index, value] of [price, volume, market_cap].entries())
      values.writeDoubleLE(value ?? Number.NaN, row * ROW_BYTES + 8 * index);
  }
  const ids = encodeIds(rows.map(({ id }) => id));
  const names = [...new Set(rows.map((row) => row.source ?? source))];
  const places = Buffer.alloc(rows.length * PLACE_BYTES);
  for (const [row, one] of rows.entries())
    places.writeUInt16LE(names.indexOf(one.source ?? source), row * PLACE_BYTES);
  const text = Buffer.from(JSON.stringify(names));
  const file = Buffer.concat([Buffer.alloc(HEADER_BYTES), values, ids, places, text]);
  return seal(file, format, { rows: rows.length, time: takenAt, seconds: intervalSeconds, source });
}

/** Throws StoreError. */
export function openSamples(bytes: Uint8Array): Samples {
  const { file, rows, time: takenAt, seconds: intervalSeconds, source } = unseal(bytes, format);
  const ids = openIds(file.subarray(HEADER_BYTES + rows * ROW_BYTES), rows);
  const placesFrom = HEADER_BYTES + rows * ROW_BYTES + ids.bytes;
  const names = JSON.parse(file.toString('utf8', placesFrom + rows * PLACE_BYTES)) as string[]; // written above
  const valueAt = (row: number, index: number) =>
    file.readDoubleLE(HEADER_BYTES + row * ROW_BYTES + 8 * index);
  const amountAt = (row: number, index: number) => {
    const amount = valueAt(row, index);
    return Number.isNaN(amount) ? null : amount;
  };
  return {
    takenAt,
    intervalSeconds,
    source,
    ids,
    sample: (row) => ({
      id: ids.id(row),
      price: valueAt(row, 0),
      volume: amountAt(row, 1),
      market_cap: amountAt(row, 2),
      source: names[file.readUInt16LE(placesFrom + row * PLACE_BYTES)] ?? source,
    }),
  };
}
