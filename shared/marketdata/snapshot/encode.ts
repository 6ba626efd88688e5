import { HEADER_BYTES, seal } from '../binary-file.ts';
import type { Ticker } from '../ticker.ts';
import { format, rowKey } from './layout.ts';

export interface SnapshotContent {
  /** With ids that are well-formed Unicode, each once in both lists. */
  readonly tickers: readonly Ticker[];
  /** From an earlier snapshot, taken then (ms since the epoch). */
  readonly carried?: readonly { readonly ticker: Ticker; readonly takenAt: number }[];
  /** When the provider made the answer, in milliseconds since the epoch. */
  readonly takenAt: number;
  readonly intervalSeconds: number;
  /** ASCII, of 28 characters at most. */
  readonly source: string;
}

/** The bytes that `openSnapshot` opens. */
export function encodeSnapshot(content: SnapshotContent): Uint8Array {
  const { tickers, carried = [], takenAt, intervalSeconds, source } = content;
  const rows = [
    ...tickers,
    ...carried.map(({ ticker, takenAt: carriedFrom }) => ({ ...ticker, carriedFrom })),
  ];
  const texts = rows
    .map(({ id, ...others }) => ({ key: rowKey(id), text: Buffer.from(JSON.stringify({ id, ...others })) }))
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
