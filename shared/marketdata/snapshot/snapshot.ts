import { lifetimes } from '../lifetimes.ts';
import type { Kept } from '../provider-client.ts';
import { readAgreement } from '../sources/market.ts';
import { openRows } from '../store/rows.ts';
import { readTicker, type Ticker, tickerMadeAt } from '../ticker.ts';
import { format } from './layout.ts';

export interface Snapshot {
  readonly rows: number;
  /** When the provider made the answer, in milliseconds since the epoch. */
  readonly takenAt: number;
  /** Until the next one is due. */
  readonly intervalMs: number;
  readonly source: string;
  /**
   * The ticker of a coin, with the times of the snapshot that it was taken for; undefined if there is none that this
   * reader can read.
   */
  ticker(id: string): Kept<Ticker> | undefined;
  /**
   * All tickers that this reader can read, in the order of the file. Parses each row and keeps none: 2,000 take 20 ms.
   */
  tickers(): Iterable<Kept<Ticker>>;
  ids(): Iterable<string>;
  /** The hours in a coin's row, for `hoursIn`: only who needs them has the code that reads them. */
  hourFields(id: string): unknown;
}

/** Until when a snapshot answers without asking anybody: then the next one is missing for a whole interval. */
export function answersUntil({ takenAt, intervalMs }: Pick<Snapshot, 'takenAt' | 'intervalMs'>): number {
  return takenAt + lifetimes.snapshot.intervals * intervalMs;
}

interface Row {
  readonly ticker: Kept<Ticker>;
  readonly hours: unknown;
}

/** What a row has besides the ticker, each of it looked at before it is used. */
type RowJson = Readonly<Partial<Record<'carriedFrom' | 'source' | 'quality' | 'sources' | 'hours', unknown>>>;

/** Rows kept as they were read, so that what is asked for often is neither parsed nor written again. */
const MAX_KEPT = 500;

/**
 * Keeps the bytes, checks all of them (9.5 MB: 2 ms, the first time 6) and parses no row; a damaged one is not there.
 * Throws SnapshotError.
 */
export function openSnapshot(bytes: Uint8Array): Snapshot {
  const file = openRows(format, bytes);
  const { time: takenAt, seconds, source } = file.header;
  const intervalMs = seconds * 1000;
  const kept = new Map<string, Row>();
  const timesOf = (storedAt: number) => ({
    storedAt,
    freshUntil: storedAt + intervalMs,
    staleUntil: answersUntil({ takenAt: storedAt, intervalMs }) + lifetimes.ticker.staleForMs,
  });

  function read(content: Buffer): Row | undefined {
    try {
      const row = JSON.parse(content.toString()) as RowJson;
      const data = { ...readTicker(row), sources: readAgreement(row.sources) };
      const rowTakenAt = typeof row.carriedFrom === 'number' ? row.carriedFrom : takenAt;
      const ticker: Kept<Ticker> = {
        data,
        madeAt: tickerMadeAt(data) ?? rowTakenAt,
        source: typeof row.source === 'string' ? row.source : source,
        ...(row.quality === 'disputed' && { quality: row.quality }),
        ...timesOf(rowTakenAt),
      };
      return { ticker, hours: row.hours };
    } catch {
      return undefined; // written by a version with another idea of a ticker
    }
  }

  function rowOf(id: string): Row | undefined {
    const known = kept.get(id);
    if (known) return known;
    const content = file.content(id);
    const found = content && read(content);
    if (kept.size >= MAX_KEPT) kept.clear();
    if (found) kept.set(id, found);
    return found;
  }

  return {
    rows: file.count,
    takenAt,
    intervalMs,
    source,
    ticker: (id) => rowOf(id)?.ticker,
    *tickers() {
      for (const [, content] of file.entries()) {
        const found = read(content);
        if (found) yield found.ticker;
      }
    },
    *ids() {
      for (const [id] of file.entries()) yield id;
    },
    hourFields: (id) => rowOf(id)?.hours,
  };
}
