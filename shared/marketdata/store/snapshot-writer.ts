/** Writes the snapshot, as `snapshot.ts` reads it. */
import type { Kept } from '../provider.ts';
import type { Ticker } from '../ticker.ts';
import { listedText } from './listed-coins.ts';
import { encodeRows } from './rows-writer.ts';
import { format, timesOf } from './snapshot.ts';
import { hourFields } from './snapshot-hours.ts';
import { HIDDEN, hiddenName, isUsed, type Memory } from './snapshot-memory.ts';
import type { StoredCandle } from './stored-candle.ts';

/** A row as the snapshot's job publishes it. */
export interface OwnRow extends Pick<Kept<Ticker>, 'quality'> {
  readonly ticker: Ticker;
  /** When its snapshot was taken (ms since the epoch). */
  readonly takenAt: number;
  /** The snapshot's by default. */
  readonly source?: string | undefined;
  /** What the next list is judged by. */
  readonly memory?: Memory | undefined;
  /** Set for a row that is not published: its coin is new and not believed yet, or has left the list. */
  readonly withheld?: 'new' | 'left' | undefined;
}

export interface SnapshotContent {
  /** Each coin once in both lists. These have nothing but the ticker. */
  readonly tickers?: readonly Ticker[];
  /** The ids of `tickers` that markets contradict. */
  readonly disputed?: ReadonlySet<string>;
  readonly others?: readonly OwnRow[];
  /** The running hour and the one before it, if available, by coin id. */
  readonly hours?: ReadonlyMap<string, readonly StoredCandle[]>;
  /** When the provider made the response, in milliseconds since the epoch. */
  readonly takenAt: number;
  readonly intervalSeconds: number;
  /** ASCII, of 28 characters at most. */
  readonly source: string;
}

/** The bytes that `openSnapshot` opens. */
export function encodeSnapshot(content: SnapshotContent): Uint8Array {
  const { tickers = [], disputed, others = [], hours, takenAt, intervalSeconds, source } = content;
  const plain = tickers.map((ticker): OwnRow => {
    return disputed?.has(ticker.id) ? { ticker, takenAt, quality: 'disputed' } : { ticker, takenAt };
  });
  const isName = (id: string) => id.isWellFormed() && !id.startsWith(HIDDEN);
  const rows = [...plain, ...others].filter(({ ticker }) => isName(ticker.id));
  const published = rows.filter(({ withheld }) => withheld === undefined);
  const listed = published.map(({ ticker, ...row }) => ({
    ...{ data: ticker, quality: row.quality, source: row.source ?? source, memory: row.memory },
    ...timesOf(ticker, row.takenAt, intervalSeconds * 1000),
  }));
  return encodeRows(format, {
    header: { time: takenAt, seconds: intervalSeconds, source },
    text: listedText(listed, takenAt),
    rows: rows.map(({ ticker, takenAt: carriedFrom, ...row }) => {
      const its = hours?.get(ticker.id) ?? [];
      const text = JSON.stringify({
        ...ticker,
        ...(carriedFrom !== takenAt && { carriedFrom }),
        ...(row.source !== source && { source: row.source }), // undefined is not written
        ...(row.quality && { quality: row.quality }),
        ...(its.length > 0 && { hours: hourFields(its, source) }),
        ...(row.memory && isUsed(row.memory) && { memory: row.memory }),
      });
      const name = row.withheld ? hiddenName(row.withheld, ticker.id) : ticker.id;
      return [name, Buffer.from(text)] as const;
    }),
  });
}
