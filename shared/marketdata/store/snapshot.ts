import { type FileFormat, signatureOf } from '../binary-file.ts';
import { lifetimes } from '../freshness.ts';
import type { Kept } from '../provider.ts';
import { readAgreement } from '../sources/market.ts';
import { isOldTicker, readTicker, type Ticker, tickerMadeAt } from '../ticker.ts';
import type { Listed } from './listed-coins.ts';
import { openRows } from './rows.ts';
import { HIDDEN, type Memory } from './snapshot-memory.ts';

/** The bytes are not a snapshot that this reader can read. The message gives the reason. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError';
}

/**
 * The snapshot: a file of rows (`rows.ts`; its header has the time of the response, seconds until the next snapshot, and the
 * source's name). Each row is the JSON of one ticker in UTF-8. Besides the ticker a row may have `carriedFrom`, the time of the
 * earlier snapshot that it was kept from; `source`, if it differs from the snapshot's; `quality`, if that is `disputed`;
 * `hours` (`snapshot-hours.ts`); and `memory` (`snapshot-memory.ts`). Rows are parsed when they are read. A name that begins with
 * a NUL is that of a row which is not published. The file's text is JSON with the data for lists (`listed-coins.ts`).
 */
export const format: FileFormat = {
  signature: signatureOf('TICK'),
  version: 4,
  name: 'Ticker snapshot',
  error: SnapshotError,
};

/** Replaces the source in a snapshot that was made during an outage of the provider. Each row has its own source. */
export const FAILOVER = 'failover';

/** A coin's ticker. */
export interface SnapshotTicker extends Kept<Ticker> {
  /** Only of a price of markets: until when it counts, in milliseconds since the epoch. */
  readonly countsUntil?: number;
}

export interface Snapshot {
  readonly rows: number;
  /** When the provider made the response, in milliseconds since the epoch. */
  readonly takenAt: number;
  /** The time until the next one is due. */
  readonly intervalMs: number;
  readonly source: string;
  /** The ticker of a coin, with the times of its snapshot; undefined if there is none that this reader can read. */
  ticker(id: string): SnapshotTicker | undefined;
  /** All readable tickers, in the order of the file. Parses each row and keeps none: 2,000 take 20 ms. */
  tickers(): Iterable<SnapshotTicker>;
  /** What `listedCoins` reads; the same object for as long as the list is. */
  readonly list: Listed;
  /** When newer prices can be read, in milliseconds since the epoch; undefined if none of markets are at hand. */
  readonly nextAt?: number;
  ids(): Iterable<string>;
  /** The names of all rows, also of those that are not published. */
  names(): Iterable<string>;
  /** What a row holds besides the ticker, for `hoursIn` and `beliefIn`, so that only functions that need it load their code. */
  fields(id: string): RowFields;
}

/** The time until which a snapshot is used without an upstream call: then the next one is late by a whole interval. */
export function answersUntil({ takenAt, intervalMs }: Pick<Snapshot, 'takenAt' | 'intervalMs'>): number {
  return takenAt + lifetimes.snapshot.intervals * intervalMs;
}

/** As the snapshot's job wrote it; undefined: none. */
export interface RowFields {
  readonly hours?: unknown;
  readonly memory?: Memory | undefined;
}

interface Row extends RowFields {
  readonly ticker: Kept<Ticker>;
}

/** The fields of a row besides the ticker, each checked before use. */
type RowJson = Readonly<Partial<Record<'carriedFrom' | 'source' | 'quality' | 'sources', unknown>>> &
  RowFields;

/** Rows are kept as they were read, so that popular coins are neither parsed nor serialized again. */
const MAX_KEPT = 500;

/**
 * Keeps the bytes and verifies all of them (9.5 MB: 2 ms, the first time 6), but parses no row; a damaged row counts as
 * missing. Throws SnapshotError.
 */
export function openSnapshot(bytes: Uint8Array): Snapshot {
  const file = openRows(format, bytes);
  const { time: takenAt, seconds, source } = file.header;
  const intervalMs = seconds * 1000;
  const kept = new Map<string, Row>();

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
        ...timesOf(data, rowTakenAt, intervalMs),
      };
      return { ticker, hours: row.hours, memory: row.memory };
    } catch {
      return undefined; // written by a version with another ticker format
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
    get rows() {
      return [...this.ids()].length;
    },
    takenAt,
    intervalMs,
    source,
    list: { text: file.text, damaged: new Set(file.damaged) },
    ticker: (id) => rowOf(id)?.ticker,
    *tickers() {
      for (const [id, content] of file.entries()) {
        const found = id.startsWith(HIDDEN) ? undefined : read(content);
        if (found) yield found.ticker;
      }
    },
    *ids() {
      for (const id of this.names()) if (!id.startsWith(HIDDEN)) yield id;
    },
    *names() {
      for (const [name] of file.entries()) yield name;
    },
    fields: (id) => rowOf(id) ?? {},
  };
}

/** The times of a row that was stored at a time, in milliseconds since the epoch. */
export function timesOf(ticker: Ticker, storedAt: number, intervalMs: number) {
  // A ticker counts from its own time; one that was old when it was fetched is the newest that its source has.
  const madeAt = isOldTicker(ticker, storedAt) ? storedAt : (tickerMadeAt(ticker) ?? storedAt);
  const takenAt = Math.min(madeAt, storedAt);
  const staleUntil = answersUntil({ takenAt, intervalMs }) + lifetimes.ticker.staleForMs;
  return { storedAt, freshUntil: storedAt + intervalMs, staleUntil };
}
