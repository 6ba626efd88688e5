import type { Kept } from '../provider-client.ts';
import { encodeRows } from '../store/rows.ts';
import type { StoredCandle } from '../store/stored-candle.ts';
import type { Ticker } from '../ticker.ts';
import { hourFields } from './hour-fields.ts';
import { format } from './layout.ts';

/** A row with a time or a source of its own. */
export interface OwnRow extends Pick<Kept<Ticker>, 'quality'> {
  readonly ticker: Ticker;
  /** When the snapshot that it is from was taken (ms since the epoch). */
  readonly takenAt: number;
  /** The snapshot's unless told. */
  readonly source?: string | undefined;
}

export interface SnapshotContent {
  /** Each id once in both lists. */
  readonly tickers: readonly Ticker[];
  /** By id: those of `tickers` that markets contradict. */
  readonly disputed?: ReadonlySet<string>;
  /** Those that are not of this answer. */
  readonly others?: readonly OwnRow[];
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
  const { tickers, disputed, others = [], hours, takenAt, intervalSeconds, source } = content;
  const rows = [
    ...tickers.map((ticker) => (disputed?.has(ticker.id) ? { ...ticker, quality: 'disputed' } : ticker)),
    ...others.map((row) => ({
      ...row.ticker,
      carriedFrom: row.takenAt,
      ...(row.source !== source && { source: row.source }), // undefined is not written
      ...(row.quality && { quality: row.quality }),
    })),
  ];
  return encodeRows(format, {
    header: { time: takenAt, seconds: intervalSeconds, source },
    rows: rows.map((row) => {
      const own = hours?.get(row.id) ?? [];
      const text = JSON.stringify({ ...row, ...(own.length > 0 && { hours: hourFields(own, source) }) });
      return [row.id, Buffer.from(text)] as const;
    }),
  });
}
