import { ByteCache } from '../../platform/caches.ts';
import { Held } from '../../platform/held.ts';
import { count } from '../../platform/metrics.ts';
import { DAY_MS, HOUR_MS } from '../../platform/time.ts';
import { StoreError } from '../binary-file.ts';
import type { Span } from '../window.ts';
import { CANDLE_IN_MEMORY, type Coverage, type CoveredSeries } from './candle-rows.ts';
import type { StoredCoin } from './coin-object.ts';
import { dayOf, dayWithAmounts, EXACT_LATE_MS, settledAt, withExact } from './exact-hours.ts';
import { OPEN_HELD_MS, shardHeldUntil, startOfDay } from './held-until.ts';
import { FIRST_DAY, objectNames, periodOf, periodsIn, steps } from './names.ts';
import type { HistoryReader, ReadTable } from './reader.ts';
import { SampleSlots } from './sample-slots.ts';
import type { Snapshot } from './snapshot.ts';
import { hoursIn } from './snapshot-hours.ts';
import { joined, type StoredCandle } from './stored-candle.ts';

/** A coin's stored data in a span of time. In USD. */
export interface StoredRows {
  /** Ascending. */
  readonly candles: readonly StoredCandle[];
  /** The span that was fetched from providers. Milliseconds since the epoch. */
  readonly coverage: Coverage | undefined;
  /** Whether data is missing because an object cannot be opened; such data is not fetched from providers. */
  readonly isDamaged: boolean;
}

type Part = Pick<Span, 'from' | 'to'>;

export interface Query extends Pick<Span, 'base' | 'from' | 'to'> {
  /**
   * Whether candles that were fetched for the coin can be its own; by default they can. Rows that were stored while its price was
   * unknown may belong to another coin.
   */
  readonly isTrusted?: ((fetched: CoveredSeries) => Promise<boolean>) | undefined;
}

interface Options {
  readonly reader: HistoryReader;
  /** The candles that were fetched for a coin. Throws StoreError if they cannot be opened. */
  readonly fetched: (id: string) => Promise<StoredCoin>;
  readonly now?: () => number;
  /** The time limit of a read. S3 answers one of some kilobytes in 20 to 60 ms; an upstream request takes longer than this. */
  readonly readMs?: number;
  /** The names of token price sources, as in `SampleSlots`. */
  readonly tokenSources?: readonly string[];
}

/** The source of a day's hours: samples or exchanges. */
type HoursKind = 'hours' | 'exact';

interface HoursOn {
  readonly hours: readonly StoredCandle[];
  /** Hours made of samples, as far as they had to be read. */
  readonly sampled: readonly StoredCandle[];
}

/** Candles of the shards. */
interface Merged {
  readonly candles: readonly StoredCandle[];
  /** The end of the days that are merged. */
  readonly through: number;
}

/** Whether anything that was read for one answer is damaged. */
type Damage = { found: boolean };

/** What was read of an object; undefined if there is none, or if it is damaged. */
type Reading<T> = { readonly value: T | undefined; readonly isDamaged: boolean };

/** The tables of all shards of a year, and some hundred rows. */
const MAX_BYTES = { tables: 16, rows: 16 } as const;
const MEGABYTE = 1024 * 1024;
const EMPTY_BYTES = 100;
const READ_MS = 1_500;
/** While the roll-up is late, the hours of at most this many days are read from the days' own objects. */
const UNMERGED_DAYS = 3;

/** Our own history, as a container or a job reads it. */
export class StoredHistory {
  /** The single samples, while they are kept. */
  readonly slots: SampleSlots;
  readonly #reader: HistoryReader;
  readonly #fetched: Options['fetched'];
  readonly #now: () => number;
  readonly #tables: Held<Reading<ReadTable>>;
  /** By the ETag of their table: a row stays as long as its table does. */
  readonly #rows: Held<Reading<CoveredSeries>>;

  constructor({ reader, fetched, now = Date.now, readMs = READ_MS, tokenSources = [] }: Options) {
    this.#reader = reader;
    this.#fetched = fetched;
    this.#now = now;
    this.slots = new SampleSlots({ reader, now, tokenSources });
    // Neither rests: what a chart does not find here it gets from the provider, which costs more than another try.
    this.#tables = new Held({
      cache: new ByteCache(
        MAX_BYTES.tables * MEGABYTE,
        ({ value }) => EMPTY_BYTES + (value?.value?.bytes ?? 0),
      ),
      ...{ readMs, now },
      rests: () => false,
    });
    this.#rows = new Held({
      cache: new ByteCache(
        MAX_BYTES.rows * MEGABYTE,
        ({ value }) => EMPTY_BYTES + CANDLE_IN_MEMORY * (value?.value?.candles.length ?? 0),
      ),
      ...{ readMs, now },
      rests: () => false,
    });
  }

  /**
   * The candles of a coin in a span, including the running interval: those of the shards, those that were fetched for the coin,
   * and those of days that are not merged yet; of two for an interval the better one. Throws S3Error and TransportError if the
   * store is unreachable.
   */
  async rows(id: string, query: Query, snapshot: Snapshot | undefined): Promise<StoredRows> {
    const damage = { found: false };
    const running = snapshot ? settledAt(this.#now(), hoursIn(snapshot, id)) : [];
    const today = startOfDay(this.#now());
    const openOn = async (day: number): Promise<readonly StoredCandle[]> => {
      if (day + DAY_MS <= query.from || day >= query.to) return [];
      const { hours, sampled } = await this.#hoursOn(day, id, running, damage);
      if (query.base === '1h') return hours;
      // Without a snapshot only the table's hours are used; they contain the number of their samples.
      const { value: table } = snapshot ? {} : await this.#dayTable('hours', day);
      const intervalMs = snapshot?.intervalMs ?? 1000 * (table?.intervalSeconds ?? 0);
      const until = this.#now();
      const candle = dayOf(hours, { intervalMs, until });
      return candle ? [dayWithAmounts(candle, sampled, until)] : [];
    };
    // Concurrent, which saves a first chart two round trips.
    const [closed, ofToday] = await Promise.all([this.closed(id, query), openOn(today)]);
    const first = Math.max(closed.through, today - UNMERGED_DAYS * DAY_MS);
    const unmerged = Array.from({ length: (today - first) / DAY_MS }, (_, index) => first + index * DAY_MS);
    const open = (await Promise.all(unmerged.map(openOn))).flat();
    const late = query.base === '1h' ? joined(ofToday, running) : ofToday;
    return {
      candles: within(joined(joined(closed.candles, open), late), query),
      coverage: closed.coverage,
      isDamaged: closed.isDamaged || damage.found,
    };
  }

  /** A coin's candles in the shards, and those that were fetched for it. Days are merged up to `through`. Throws as `rows` does. */
  async closed(id: string, query: Query): Promise<StoredRows & Pick<Merged, 'through'>> {
    const damage = { found: false };
    const [merged, fetched] = await Promise.all([
      this.#merged(query, id, damage),
      this.#fetchedFor(id, query, damage),
    ]);
    return {
      candles: joined(merged.candles, fetched?.candles ?? []),
      coverage: fetched?.coverage,
      isDamaged: damage.found,
      through: merged.through,
    };
  }

  /** Reads the tables of the running day's hours before the first request. Never throws. */
  async prepare(): Promise<void> {
    const today = startOfDay(this.#now());
    await Promise.allSettled([this.#dayTable('hours', today), this.#dayTable('exact', today)]);
  }

  /** A span's candles in the shards. */
  async #merged({ base, from, to }: Query, id: string, damage: Damage): Promise<Merged> {
    const today = startOfDay(this.#now());
    // The shards contain nothing of the running day.
    const span = { from: Math.max(from, FIRST_DAY), to: Math.min(to, today) };
    const parts = periodsIn(base, span);
    const all = await Promise.all(
      parts.map(async ({ from: time }) => {
        const name = objectNames.series(base, id, time);
        const untilOf = (table: ReadTable | undefined, now: number) =>
          shardHeldUntil(table, periodOf(base, time).to, now);
        const series = await this.#row(name, id, steps[base], untilOf, damage);
        // Held: the row was found by it.
        const { value: table } = await this.#table(name, untilOf);
        return { candles: series?.candles ?? [], through: table?.time };
      }),
    );
    return {
      candles: within(
        all.flatMap(({ candles }) => candles),
        span,
      ),
      // Until a new month or year has a shard, the one before it says how far the days are merged.
      through:
        all.findLast(({ through }) => through !== undefined)?.through ?? today - UNMERGED_DAYS * DAY_MS,
    };
  }

  async #fetchedFor(
    id: string,
    { base, from, to, isTrusted }: Query,
    damage: Damage,
  ): Promise<CoveredSeries | undefined> {
    try {
      const series = (await this.#fetched(id)).series(base, from, to);
      return series && (await isTrusted?.(series)) !== false ? series : undefined;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      damage.found = true;
      return undefined;
    }
  }

  /** The hours of a day; sampled ones are read only if exchanges do not have all. */
  async #hoursOn(
    day: number,
    id: string,
    running: readonly StoredCandle[],
    damage: Damage,
  ): Promise<HoursOn> {
    const exact = await this.#hoursIn('exact', day, id, damage);
    const late = within(running, { from: day, to: day + DAY_MS });
    const now = this.#now();
    const known = withExact(exact, late, now);
    const due = Math.min(now - EXACT_LATE_MS, day + DAY_MS);
    const isWhole = within(known, { from: day, to: due }).length >= Math.ceil((due - day) / HOUR_MS);
    if (exact.length > 0 && isWhole) return { hours: known, sampled: late };
    const sampled = joined(await this.#hoursIn('hours', day, id, damage), late);
    return { hours: withExact(exact, sampled, now), sampled };
  }

  async #hoursIn(kind: HoursKind, day: number, id: string, damage: Damage): Promise<readonly StoredCandle[]> {
    const name = objectNames[kind](day);
    return (await this.#row(name, id, HOUR_MS, openUntil, damage))?.candles ?? [];
  }

  #dayTable(kind: HoursKind, day: number): Promise<Reading<ReadTable>> {
    return this.#table(objectNames[kind](day), openUntil);
  }

  /** A coin's row of a file. Nothing is read or held for a coin that the table does not contain. */
  async #row(
    name: string,
    id: string,
    stepMs: number,
    untilOf: (table: ReadTable | undefined, now: number) => number,
    damage: Damage,
  ): Promise<CoveredSeries | undefined> {
    const rowOf = async ({ value: table }: Reading<ReadTable>) => {
      if (!table?.rangeOf(id)) return { value: undefined, isDamaged: false };
      return this.#rows.get(`${name} ${table.etag} ${id}`, {
        read: (signal) => opened(() => this.#reader.series(name, table, { id, stepMs }, signal)),
        untilOf: ({ isDamaged }, now) => (isDamaged ? now + OPEN_HELD_MS : Number.POSITIVE_INFINITY),
      });
    };
    const reading = await this.#table(name, untilOf);
    damage.found ||= reading.isDamaged;
    let row = await rowOf(reading);
    if (row.isDamaged) {
      // The file may have changed since the table was read.
      this.#tables.forget(name);
      row = await rowOf(await this.#table(name, untilOf));
    }
    damage.found ||= row.isDamaged;
    return row.value;
  }

  #table(
    name: string,
    untilOf: (table: ReadTable | undefined, now: number) => number,
  ): Promise<Reading<ReadTable>> {
    return this.#tables.get(name, {
      read: (signal, held) => opened(() => this.#reader.table(name, signal, held?.value)),
      untilOf: ({ value }, now) => untilOf(value, now),
    });
  }
}

/** Counts an object that cannot be opened: it is missing until it is restored. */
async function opened<T>(read: () => Promise<T | undefined>): Promise<Reading<T>> {
  try {
    return { value: await read(), isDamaged: false };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    count('HistoryUnusable');
    return { value: undefined, isDamaged: true };
  }
}

function openUntil(_table: ReadTable | undefined, now: number): number {
  return now + OPEN_HELD_MS;
}

function within(candles: readonly StoredCandle[], { from, to }: Part): readonly StoredCandle[] {
  // Searches from the end: most windows end with the last candle, or close to it.
  let end = candles.length;
  while (end > 0 && (candles[end - 1]?.opensAt ?? 0) >= to) end -= 1;
  let first = end;
  while (first > 0 && (candles[first - 1]?.opensAt ?? 0) >= from) first -= 1;
  return candles.slice(first, end);
}
