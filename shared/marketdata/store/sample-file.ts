import { type FileFormat, HEADER_BYTES, seal, signatureOf, unseal } from '../binary-file.ts';
import { byId, encodeIds, type IdTable, openIds } from './id-table.ts';
import { StoreError } from './store-error.ts';

/** What a run of the snapshot's job saw of one coin. In USD; null if the provider did not say. */
export interface Sample {
  readonly id: string;
  readonly price: number;
  /** Of the last 24 hours. */
  readonly volume: number | null;
  readonly market_cap: number | null;
}

/**
 * The samples of one run: the header of `binary-file.ts` (when the provider made them, seconds between two runs, the
 * source's name); for each coin price, volume and market cap (doubles, NaN: not known); the table of ids
 * (`id-table.ts`), in whose order the rows are.
 */
const format: FileFormat = {
  signature: signatureOf('SMPL'),
  version: 1,
  name: 'Samples',
  error: StoreError,
};
const ROW_BYTES = 24;

interface Taken {
  /** Milliseconds since the epoch. */
  readonly takenAt: number;
  /** Seconds between two runs. */
  readonly intervalSeconds: number;
  readonly source: string;
}

export interface Samples extends Taken {
  readonly ids: IdTable;
  sample(row: number): Sample;
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
  const file = Buffer.concat([Buffer.alloc(HEADER_BYTES), values, ids]);
  return seal(file, format, { rows: rows.length, time: takenAt, seconds: intervalSeconds, source });
}

/** Throws StoreError. */
export function openSamples(bytes: Uint8Array): Samples {
  const { file, rows, time: takenAt, seconds: intervalSeconds, source } = unseal(bytes, format);
  const ids = openIds(file.subarray(HEADER_BYTES + rows * ROW_BYTES), rows);
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
    }),
  };
}
