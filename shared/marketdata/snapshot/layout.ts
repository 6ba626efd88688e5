import { type FileFormat, signatureOf } from '../binary-file.ts';

/** The bytes are no snapshot that this reader knows. The message says why. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError';
}

/**
 * The snapshot file: the header of `binary-file.ts` (when the provider made the answer, seconds until the next one is
 * due, the source's name); for each row, and once more for the end, where its text begins (32 bits, from the start of
 * the file); the texts, each the JSON of one ticker in UTF-8, `id` first, ordered by the bytes of what `rowKey` gives. A
 * row is found by binary search and is the only thing that is ever parsed. Besides the ticker a row has `carriedFrom`,
 * if it was kept from an earlier snapshot: when that one was taken; `source`, if it has another than the snapshot;
 * `quality`, if that is `disputed`; and `hours`, as `hour-fields.ts` has it.
 */
export const format: FileFormat = {
  signature: signatureOf('TICK'),
  version: 2,
  name: 'Ticker snapshot',
  error: SnapshotError,
};

/** In place of a source: of a snapshot that was made while the provider was silent. Each row has one of its own. */
export const FAILOVER = 'failover';

/** The beginning of the text of the row with this id; no key is the beginning of another. */
export function rowKey(id: string): Buffer {
  return Buffer.from(`{"id":${JSON.stringify(id)},`);
}
