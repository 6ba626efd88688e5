import type { Environment } from '../../platform/environment.ts';
import { count } from '../../platform/metrics.ts';
import { nothingToRead, type Objects, objectsOf } from '../../platform/objects.ts';
import type { RegistryEntry } from '../../registry/entries.ts';
import { isoSeconds } from '../candles.ts';
import { lifetimes } from '../freshness.ts';
import { MAX_CLOCK_LEAD_MS } from '../gate/implausible.ts';
import type { Kept } from '../provider-client.ts';
import { SnapshotError } from '../snapshot/layout.ts';
import { answersUntil } from '../snapshot/snapshot.ts';
import { SNAPSHOT_PREFIX } from '../snapshot/store.ts';
import { HeldObjects } from '../store/held-objects.ts';
import { noFigures, type Ticker } from '../ticker.ts';
import { openTailRow, openTailTable, TAIL_NAME, type TailRow, type TailTable } from './tail-file.ts';

/** Loaded when somebody asks for a coin that the snapshot does not have. */

/** A ticker of another source than the snapshot. */
export interface TailTicker extends Kept<Ticker> {
  /** Until then nobody is asked for a newer one; milliseconds since the epoch. */
  readonly answersUntil: number;
}

type Coin = Pick<RegistryEntry, 'id' | 'name' | 'symbol' | 'rank'>;

interface Options {
  readonly objects: Pick<Objects, 'getRange'>;
  readonly now?: () => number;
}

/** A row with what its table says of all of them; not the table, which is a hundred times as large. */
interface Found extends Pick<TailTable, 'source' | 'intervalSeconds'> {
  readonly row: TailRow;
}

/** Enough for the table of some 20,000 coins, in one read. */
const TABLE_GUESS_BYTES = 640 * 1024;
const TABLE_MS = 10 * 60_000;
const ROW_MS = 60_000;
/** A request upstream takes longer than both. */
const TABLE_TIMEOUT_MS = 1_000;
const ROW_TIMEOUT_MS = 300;
/** A store that does not even have the table would keep one request after the other waiting. */
const AFTER_FAILURE_MS = 10_000;

/** This container's view of the tail: where its rows are, and those that were asked for. */
export class TailReader {
  readonly #objects: Options['objects'];
  readonly #tables: HeldObjects<TailTable | undefined>;
  readonly #rows: HeldObjects<Found | undefined>;
  readonly #now: () => number;
  /** The one that is under way: a request for many coins reads the table once. */
  #tableRead: Promise<TailTable | undefined> | undefined;
  /** When the table could not be read last. */
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor({ objects, now = Date.now }: Options) {
    this.#objects = objects;
    this.#now = now;
    this.#tables = new HeldObjects(now);
    this.#rows = new HeldObjects(now);
  }

  /**
   * The ticker of a coin, with the times of the run that asked for its price; undefined if there is none, or none that
   * can be had in time: the tail is there to save a request, and keeps nobody from it. A row is read twice before it is
   * given up, and says nothing of the others: without the tail each of them would be a request that is paid for.
   */
  async ticker(coin: Coin): Promise<TailTicker | undefined> {
    if (Math.abs(this.#now() - this.#failedAt) < AFTER_FAILURE_MS) return undefined;
    try {
      const found = await this.#rows.get(
        coin.id,
        () => this.#find(coin.id),
        (_value, now) => now + ROW_MS,
      );
      return found && keptTicker(coin, found, this.#now());
    } catch {
      count('SharedStoreFailures');
      return undefined;
    }
  }

  async #find(id: string): Promise<Found | undefined> {
    return this.#look(id).catch((error: unknown) => {
      if (!isMoved(error)) throw error;
      // Another tail was published since: its rows are elsewhere.
      this.#tables.forget(TAIL_NAME);
      return this.#look(id);
    });
  }

  async #look(id: string): Promise<Found | undefined> {
    this.#tableRead ??= this.#tables
      .get(
        TAIL_NAME,
        () => this.#table(),
        (_value, now) => now + TABLE_MS,
      )
      .catch((error: unknown) => {
        this.#failedAt = this.#now();
        throw error;
      })
      .finally(() => {
        this.#tableRead = undefined;
      });
    const table = await this.#tableRead;
    const range = table?.rangeOf(id);
    if (!table || !range) return undefined;
    const read = () => this.#objects.getRange(TAIL_NAME, range, AbortSignal.timeout(ROW_TIMEOUT_MS));
    const { bytes } = await read().catch((error: unknown) => {
      if (isMoved(error)) throw error;
      return read();
    });
    const { source, intervalSeconds } = table;
    return { row: openTailRow(bytes, id), source, intervalSeconds };
  }

  async #table(): Promise<TailTable | undefined> {
    const signal = AbortSignal.timeout(TABLE_TIMEOUT_MS);
    let needed = TABLE_GUESS_BYTES;
    for (;;) {
      const beginning = await this.#objects.getRange(TAIL_NAME, [0, needed - 1], signal).catch(nothingToRead);
      if (!beginning) return undefined;
      const table = openTailTable(beginning.bytes, needed);
      if (typeof table !== 'number') return table;
      needed = table;
    }
  }
}

let container: TailReader | undefined;

/** A coin's ticker in this container's tail, which has active coins of the registry only; undefined without a bucket. */
export async function tailTicker(
  { SNAPSHOT_BUCKET: bucket }: Environment,
  coin: Coin | undefined,
): Promise<TailTicker | undefined> {
  if (!bucket || !coin) return undefined;
  container ??= new TailReader({ objects: objectsOf(bucket, SNAPSHOT_PREFIX) });
  return container.ticker(coin);
}

/** Whether a row is not where a table said: it is another coin's, or behind the end of what is there. */
function isMoved(error: unknown): boolean {
  return error instanceof SnapshotError || (error instanceof Error && error.name === 'InvalidRange');
}

function keptTicker(
  { id, name, symbol, rank }: Coin,
  { row, source, intervalSeconds }: Found,
  now: number,
): TailTicker | undefined {
  const { price, at, takenAt, changes } = row;
  // One from the future was taken by a wrong clock.
  if (takenAt > now + MAX_CLOCK_LEAD_MS) return undefined;
  const intervalMs = intervalSeconds * 1000;
  const until = answersUntil({ takenAt, intervalMs });
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
    source,
    madeAt: at,
    storedAt: takenAt,
    freshUntil: takenAt + intervalMs,
    answersUntil: until,
    staleUntil: until + lifetimes.ticker.staleForMs,
  };
}
