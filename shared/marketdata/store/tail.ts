import type { Environment } from '../../platform/environment.ts';
import { holdObject } from '../../platform/held-object.ts';
import { type Objects, objectsOf } from '../../platform/objects.ts';
import { isoSeconds } from '../../platform/time.ts';
import type { RegistryEntry } from '../../registry/entries.ts';
import { type FileFormat, signatureOf } from '../binary-file.ts';
import { lifetimes } from '../freshness.ts';
import { changeMinutes } from '../price-changes.ts';
import type { Kept } from '../provider.ts';
import { noFigures, type Ticker } from '../ticker.ts';
import { SNAPSHOT_PREFIX } from './current-snapshot.ts';
import { openRows } from './rows.ts';
import { encodeRows } from './rows-writer.ts';
import { answersUntil, SnapshotError } from './snapshot.ts';

/** The changes in a row of the tail, in this order, with their lengths in minutes: samples are not kept for a year. */
const { percent_change_1y: _, ...ofSamples } = changeMinutes;
export const tailChanges = ofSamples;
export type TailChange = keyof typeof tailChanges;
const changeNames = Object.keys(tailChanges) as TailChange[]; // its own keys

/** The data of a coin that is not in the tickers' list. Times in milliseconds since the epoch. */
export interface TailRow {
  readonly id: string;
  /** In USD. */
  readonly price: number;
  /** The time of the price. */
  readonly at: number;
  /** When it was fetched from the source. */
  readonly takenAt: number;
  /** In percent; null: unknown. */
  readonly changes: Readonly<Record<TailChange, number | null>>;
}

/** The tail, at the time of the run that published it. */
export interface Tail {
  readonly takenAt: number;
  readonly intervalSeconds: number;
  /** The source of the prices; ASCII, at most 28 characters. */
  readonly source: string;
  readonly rows: readonly TailRow[];
}

/** A tail as it was read. */
export interface StoredTail extends Omit<Tail, 'rows'> {
  /** The row of a coin; undefined if it is missing or damaged. */
  row(id: string): TailRow | undefined;
  /** All rows in the order of the ids' bytes. */
  rows(): Iterable<TailRow>;
}

/** A coin's row of the tail as a ticker. */
export interface TailTicker extends Kept<Ticker> {
  /** The time until which no newer one is fetched; milliseconds since the epoch. */
  readonly answersUntil: number;
}

const VERSION = 2;
export const TAIL_NAME = `tail.v${VERSION}`;
const CHANGES_FROM = 8 * 3;
const ROW_BYTES = CHANGES_FROM + 8 * changeNames.length;
/**
 * The tail: a file of rows (`rows.ts`; its header has the time of its run, seconds until the next one, and the source's name).
 * Each row has the price, its time, the time of the fetch, and the changes (doubles; NaN: unknown).
 */
const format: FileFormat = {
  signature: signatureOf('TAIL'),
  version: VERSION,
  name: 'Tail of the tickers',
  error: SnapshotError,
};

/** The file, each coin once. */
export function encodeTail({ takenAt, intervalSeconds, source, rows }: Tail): Uint8Array {
  return encodeRows(format, {
    header: { time: takenAt, seconds: intervalSeconds, source },
    rows: rows.map(({ id, price, at, takenAt: fetchedAt, changes }) => {
      const content = Buffer.alloc(ROW_BYTES);
      const numbers = [price, at, fetchedAt, ...changeNames.map((name) => changes[name] ?? Number.NaN)];
      for (const [place, number] of numbers.entries()) content.writeDoubleLE(number, 8 * place);
      return [id, content] as const;
    }),
  });
}

/** Throws SnapshotError; a damaged row is left out. */
export function openTail(bytes: Uint8Array): StoredTail {
  const file = openRows(format, bytes);
  const { time: takenAt, seconds: intervalSeconds, source } = file.header;
  return {
    takenAt,
    intervalSeconds,
    source,
    row(id) {
      const content = file.content(id);
      return content && rowIn(content, id);
    },
    *rows() {
      for (const [id, content] of file.entries()) yield rowIn(content, id);
    },
  };
}

function rowIn(content: Buffer, id: string): TailRow {
  const changes = changeNames.map((name, index) => {
    const change = content.readDoubleLE(CHANGES_FROM + 8 * index);
    return [name, Number.isNaN(change) ? null : change];
  });
  return {
    id,
    price: content.readDoubleLE(0),
    at: content.readDoubleLE(8),
    takenAt: content.readDoubleLE(16),
    changes: Object.fromEntries(changes) as TailRow['changes'], // the entries are exactly the names
  };
}

type Coin = Pick<RegistryEntry, 'id' | 'name' | 'symbol' | 'rank'>;

const LOOK_AGAIN_MS = 60_000;
/** The duration of the job's own run. */
const PUBLISHED_AFTER_MS = 90_000;
/** The time limit for the whole tail; an upstream request takes longer. */
const READ_MS = 2_000;
const ANSWER_WITHIN_MS = 200;
/** The longest wait of a request that has an older tail. */
const WAIT_MS = 50;

/** The container's whole tail: it is read once, and again when a newer one may exist. */
const held = holdObject<StoredTail>({
  name: TAIL_NAME,
  open: openTail,
  untilOf: (tail, now) => (tail ? heldUntil(tail, now) : now + LOOK_AGAIN_MS),
  readMs: READ_MS,
  answerWithinMs: ANSWER_WITHIN_MS,
});
let objects: Objects | undefined;

/** The time of the next run's publication; if that is late, the tail is read again. */
function heldUntil({ takenAt, intervalSeconds }: StoredTail, now: number): number {
  const intervalMs = intervalSeconds * 1000;
  const dueAt = Math.min(takenAt, now) + intervalMs + PUBLISHED_AFTER_MS;
  return Math.max(dueAt, now + LOOK_AGAIN_MS);
}

/**
 * A coin's ticker in the container's tail, which contains only active coins of the registry, with the times of the run that fetched
 * its price. Undefined without a bucket, if there is none, or none in time: the tail saves an upstream request and must not delay it.
 */
export async function tailTicker(
  { SNAPSHOT_BUCKET: bucket }: Environment,
  coin: Coin | undefined,
): Promise<TailTicker | undefined> {
  if (!bucket || !coin) return undefined;
  objects ??= objectsOf(bucket, SNAPSHOT_PREFIX);
  const tail = await held.read(objects, WAIT_MS);
  const row = tail?.row(coin.id);
  return tail && row && keptTicker(coin, row, tail);
}

/** The lifetime of a row, in milliseconds since the epoch. */
export function timesIn({ intervalSeconds }: StoredTail, { takenAt }: TailRow) {
  const intervalMs = intervalSeconds * 1000;
  const until = answersUntil({ takenAt, intervalMs });
  return {
    freshUntil: takenAt + intervalMs,
    answersUntil: until,
    staleUntil: until + lifetimes.ticker.staleForMs,
  };
}

function keptTicker({ id, name, symbol, rank }: Coin, row: TailRow, tail: StoredTail): TailTicker {
  const { price, at, takenAt, changes } = row;
  return {
    data: {
      id,
      name,
      symbol,
      rank,
      circulating_supply: null,
      total_supply: null,
      max_supply: null,
      beta_value: null,
      first_data_at: null,
      last_updated: isoSeconds(at),
      quotes: {
        USD: { ...noFigures, price, ...changes },
      },
      sources: null,
    },
    source: tail.source,
    madeAt: at,
    storedAt: takenAt,
    ...timesIn(tail, row),
  };
}
