import { type FileFormat, signatureOf } from '../binary-file.ts';

/** The bytes are no snapshot that this reader knows. The message says why. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError';
}

/**
 * The snapshot: a file of rows (`rows.ts`; when the provider made the answer, seconds until the next one is due, the
 * source's name), each the JSON of one ticker in UTF-8. Besides the ticker a row has `carriedFrom`, if it was kept from an
 * earlier snapshot: when that one was taken; `source`, if it has another than the snapshot; `quality`, if that is
 * `disputed`; and `hours`, as `hour-fields.ts` has it. Only rows that are asked for are parsed.
 */
export const format: FileFormat = {
  signature: signatureOf('TICK'),
  version: 3,
  name: 'Ticker snapshot',
  error: SnapshotError,
};

/** In place of a source: of a snapshot that was made while the provider was silent. Each row has one of its own. */
export const FAILOVER = 'failover';
