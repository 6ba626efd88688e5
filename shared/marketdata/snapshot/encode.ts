import { HEADER_BYTES, seal } from '../binary-file.ts';
import type { StoredCandle } from '../store/stored-candle.ts';
import type { Ticker } from '../ticker.ts';
import { hourFields } from './hour-fields.ts';
import { format, rowKey } from './layout.ts';

export interface SnapshotContent {
  /** With ids that are well-formed Unicode, each once in both lists. */
  readonly tickers: readonly Ticker[];
  /** From an earlier snapshot, taken then (ms since the epoch). */
  readonly carried?: readonly { readonly ticker: Ticker; readonly takenAt: number }[];
  /** By id: the hour before the running one, and that, as far as there are any. */
  readonly hours?: ReadonlyMap<string, readonly StoredCandle[]>;
  /** When the provider made the answer, in milliseconds since the epoch. */
  readonly takenAt: number;
  readonly intervalSeconds: number;
  /** ASCII, of 28 characters at most. */
  readonly source: string;
}

/** The bytes that `openSnapshot` opens. */
export function encodeSnapshot(content: SnapshotContent): Uint8Array {
  const { tickers, carried = [], hours, takenAt, intervalSeconds, source } = content;
  const rows = [
    ...tickers,
    ...carried.map(({ ticker, takenAt: carriedFrom }) => ({ ...ticker, carriedFrom })),
  ];
  const texts = rows
    .map(({ id, ...others }) => {
      const own = hours?.get(id) ?? [];
      const row = { id, ...others, ...(own.length > 0 && { hours: hourFields(own, source) }) };
      return { key: rowKey(id), text: Buffer.from(JSON.stringify(row)) };
    })
    .toSorted((a, b) => a.key.compare(b.key))
    .map(({ text }) => text);
  const head = Buffer.alloc(HEADER_BYTES + (texts.length + 1) * 4);
  let end = head.length;
  for (const [row, text] of texts.entries()) {
    head.writeUInt32LE(end, HEADER_BYTES + row * 4);
    end += text.length;
  }
  head.writeUInt32LE(end, HEADER_BYTES + texts.length * 4);

  const header = { rows: texts.length, time: takenAt, seconds: intervalSeconds, source };
  return seal(Buffer.concat([head, ...texts]), format, header);
}
