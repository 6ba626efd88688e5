import { ByteCache } from '../../platform/caches.ts';
import { Held } from '../../platform/held.ts';
import { count } from '../../platform/metrics.ts';
import { DAY_MS, HOUR_MS } from '../../platform/time.ts';
import { StoreError } from '../binary-file.ts';
import type { BaseInterval, Span } from '../window.ts';
import { type CandleTable, isSetAside } from './candle-files.ts';
import { type Coverage, type CoveredSeries, joinedCoverage } from './candle-rows.ts';
import { dayOf, dayWithAmounts, withExact } from './exact-hours.ts';
import {
  dayTableHeldUntil,
  EXACT_LATE_MS,
  exactHeldUntil,
  type HoursKind,
  sampledHeldUntil,
  shardHeldUntil,
  startOfDay,
} from './held-until.ts';
import { objectNames, periodOf, periodsIn, steps } from './names.ts';
import type { HistoryReader } from './reader.ts';
import { SampleSlots } from './sample-slots.ts';
import type { Snapshot } from './snapshot.ts';
import { hoursIn } from './snapshot-hours.ts';
import { joined, type StoredCandle } from './stored-candle.ts';

/** A coin's stored data in a span of time, including the running interval. In USD. */
export interface StoredRows {
  /** Ascending. */
  readonly candles: readonly StoredCandle[];
  /** The span that was fetched from providers. Milliseconds since the epoch. */
  readonly coverage: Coverage | undefined;
  /** Whether data is missing because an object cannot be opened; such data is not fetched from providers. */
  readonly isSetAside: boolean;
}

interface Options {
  readonly reader: HistoryReader;
  readonly now?: () => number;
  /** The names of token price sources, as in `SampleSlots`. */
  readonly tokenSources?: readonly string[];
}

interface HoursOn {
  readonly hours: readonly StoredCandle[];
  /** Hours made of samples, as far as they had to be read. */
  readonly sampled: readonly StoredCandle[];
}

/** Candles of the shards. */
interface Merged extends StoredRows {
  /** The opening of the last candle in all years or months that were read. */
  readonly last: number;
}

type Part = Pick<Span, 'from' | 'to'>;

/** S3 answers a read of some kilobytes in 20 to 60 ms; an upstream request takes longer than this. */
const TIMEOUT_MS = 1_500;
/** The tables of all shards of a year, and some hundred rows. */
const MAX_BYTES = { tables: 16, rows: 16 } as const;
const MEGABYTE = 1024 * 1024;
const CANDLE_IN_MEMORY = 250;
const EMPTY_BYTES = 100;
/** No price of any coin is older (bitcoin's first exchange). */
const FIRST_DAY = Date.UTC(2010, 0);

/** Few objects cannot be opened; beyond this number, failed reads are repeated for each request. */
const MAX_UNOPENED = 1_000;

/** The container's view of our own history. */
export class StoredHistory {
  /** The single samples, while they are kept. */
  readonly slots: SampleSlots;
  readonly #reader: HistoryReader;
  readonly #now: () => number;
  readonly #tables: Held<CandleTable | undefined>;
  readonly #rows: Held<CoveredSeries | undefined>;
  /** Keys of objects that could not be opened at the last read. */
  readonly #unopened = new Set<string>();

  constructor({ reader, now = Date.now, tokenSources = [] }: Options) {
    this.#reader = reader;
    this.#now = now;
    this.slots = new SampleSlots({ reader, now, tokenSources });
    // Neither rests: what a chart does not find here it gets from the provider, which costs more than another try.
    this.#tables = new Held({
      cache: new ByteCache(MAX_BYTES.tables * MEGABYTE, ({ value }) => EMPTY_BYTES + (value?.bytes ?? 0)),
      readMs: TIMEOUT_MS,
      rests: () => false,
      now,
    });
    this.#rows = new Held({
      cache: new ByteCache(
        MAX_BYTES.rows * MEGABYTE,
        ({ value }) => EMPTY_BYTES + CANDLE_IN_MEMORY * (value?.candles.length ?? 0),
      ),
      readMs: TIMEOUT_MS,
      rests: () => false,
      now,
    });
  }

  /**
   * The candles of a coin: those of the shards, and of the days that are not merged yet. An object that cannot be opened counts
   * as empty, and as set aside. Throws S3Error and TransportError if the store is unreachable.
   */
  async rows(
    id: string,
    span: Pick<Span, 'base' | 'from' | 'to'>,
    snapshot: Snapshot | undefined,
  ): Promise<StoredRows> {
    const running = snapshot ? hoursIn(snapshot, id) : [];
    return span.base === '24h'
      ? this.#days(id, span, running, snapshot?.intervalMs)
      : this.#hoursOf(id, span, running);
  }

  /** Reads the tables of the running day's hours before the first request. Never throws. */
  async prepare(): Promise<void> {
    const today = startOfDay(this.#now());
    await Promise.allSettled([this.#dayTable('hours', today), this.#dayTable('exact', today)]);
  }

  async #days(
    id: string,
    span: Part,
    running: readonly StoredCandle[],
    snapshotMs: number | undefined,
  ): Promise<StoredRows> {
    const today = startOfDay(this.#now());
    const foldedOn = async (day: number): Promise<StoredCandle | undefined> => {
      if (day < span.from || day >= span.to) return undefined;
      const { hours, sampled } = await this.#hoursOn(day, id, running);
      // Without a snapshot only the table's hours are used; they contain the number of their samples.
      const intervalMs = snapshotMs ?? 1000 * ((await this.#dayTable('hours', day))?.intervalSeconds ?? 0);
      const until = this.#now();
      const candle = dayOf(hours, { intervalMs, until });
      return candle && dayWithAmounts(candle, sampled, until);
    };
    // Concurrent, which saves a first chart one round trip.
    const [merged, ofToday] = await Promise.all([this.#merged('24h', id, span), foldedOn(today)]);
    // The day before is rolled up some minutes after midnight.
    const before = today - DAY_MS > merged.last ? await foldedOn(today - DAY_MS) : undefined;
    const open = [before, ofToday].filter((day) => day !== undefined);
    return {
      candles: [...merged.candles, ...open.filter(({ opensAt }) => opensAt > merged.last)],
      coverage: merged.coverage,
      isSetAside: merged.isSetAside || this.#isUnopenedOn(id, [today - DAY_MS, today]),
    };
  }

  async #hoursOf(id: string, span: Part, running: readonly StoredCandle[]): Promise<StoredRows> {
    const today = startOfDay(this.#now());
    const merged = await this.#merged('1h', id, span);
    const open = [today - DAY_MS, today].filter(
      (day) => day > merged.last && day + DAY_MS > span.from && day < span.to,
    );
    const hours = await Promise.all(open.map((day) => this.#hoursOn(day, id, running)));
    const ofDays = hours.flatMap((one) => one.hours);
    const candles = joined(joined(merged.candles, ofDays, HOUR_MS), running, HOUR_MS);
    return {
      candles: within(candles, span),
      coverage: merged.coverage,
      isSetAside: merged.isSetAside || this.#isUnopenedOn(id, open),
    };
  }

  /** A span's candles in the shards, with the coverage in its years or months. */
  async #merged(base: BaseInterval, id: string, { from, to }: Part): Promise<Merged> {
    // The shards contain nothing of the running day.
    const span = { from: Math.max(from, FIRST_DAY), to: Math.min(to, startOfDay(this.#now())) };
    const parts = periodsIn(base, span);
    const names = parts.map((part) => objectNames.series(base, id, part.from));
    const all = await Promise.all(
      parts.map(({ from: time }, index) => this.#series(base, id, time, names[index] ?? '')),
    );
    const stepMs = steps[base];
    const candles = all.flatMap((series) => series?.candles ?? []);
    let times: Set<number> | undefined;
    const isThere = (opensAt: number) => {
      times ??= new Set(candles.map((candle) => candle.opensAt));
      return times.has(opensAt);
    };
    const tables = await Promise.all(
      parts.map(({ from: time }, index) => this.#shardTable(base, time, names[index] ?? '')),
    );
    return {
      candles: within(candles, span),
      coverage: all.reduce<Coverage | undefined>(
        (together, series) => joinedCoverage(together, series?.coverage, isThere, stepMs),
        undefined,
      ),
      isSetAside:
        tables.some((table) => table && isSetAside(table, id)) ||
        names.some((name) => this.#unopened.has(name) || this.#unopened.has(`${name} ${id}`)),
      last: candles.at(-1)?.opensAt ?? Number.NEGATIVE_INFINITY,
    };
  }

  #series(base: BaseInterval, id: string, time: number, name: string): Promise<CoveredSeries | undefined> {
    const untilOf = (now: number, table: CandleTable | undefined) =>
      shardHeldUntil(table, periodOf(base, time).to, now);
    return this.#row(name, id, steps[base], untilOf, (_series, table, now) => untilOf(now, table));
  }

  #shardTable(base: BaseInterval, time: number, name: string): Promise<CandleTable | undefined> {
    return this.#table(name, (now, table) => shardHeldUntil(table, periodOf(base, time).to, now));
  }

  /** Whether a coin's hours of one of these days could not be opened. */
  #isUnopenedOn(id: string, days: readonly number[]): boolean {
    if (this.#unopened.size === 0) return false;
    const tables = days.flatMap((day) => [objectNames.hours(day), objectNames.exact(day)]);
    return [...tables, ...tables.map((table) => `${table} ${id}`)].some((key) => this.#unopened.has(key));
  }

  /** The hours of a day; sampled ones are read only if exchanges do not have all. */
  async #hoursOn(day: number, id: string, running: readonly StoredCandle[]): Promise<HoursOn> {
    const exact = await this.#hoursIn('exact', day, id);
    const late = within(running, { from: day, to: day + DAY_MS });
    const now = this.#now();
    const known = withExact(exact, late, now);
    const due = Math.min(now - EXACT_LATE_MS, day + DAY_MS);
    const isWhole = within(known, { from: day, to: due }).length >= Math.ceil((due - day) / HOUR_MS);
    if (exact.length > 0 && isWhole) return { hours: known, sampled: late };
    const sampled = joined(await this.#hoursIn('hours', day, id), late, HOUR_MS);
    return { hours: withExact(exact, sampled, now), sampled };
  }

  async #hoursIn(kind: HoursKind, day: number, id: string): Promise<readonly StoredCandle[]> {
    const hours = await this.#row(
      objectNames[kind](day),
      id,
      HOUR_MS,
      (now, table) => dayTableHeldUntil(kind, table, day, now),
      (series, _table, now) =>
        kind === 'exact'
          ? exactHeldUntil(series?.candles ?? [], day, now)
          : sampledHeldUntil(series?.candles ?? [], now),
    );
    return hours?.candles ?? [];
  }

  #dayTable(kind: HoursKind, day: number): Promise<CandleTable | undefined> {
    return this.#table(objectNames[kind](day), (now, table) => dayTableHeldUntil(kind, table, day, now));
  }

  /** A coin's row of a file; if the table does not contain it, nothing is read or kept. */
  async #row(
    name: string,
    id: string,
    stepMs: number,
    tableUntilOf: (now: number, table: CandleTable | undefined) => number,
    untilOf: (series: CoveredSeries | undefined, table: CandleTable | undefined, now: number) => number,
  ): Promise<CoveredSeries | undefined> {
    const table = await this.#table(name, tableUntilOf);
    if (!table?.rangeOf(id)) return undefined;
    const key = `${name} ${id}`;
    return this.#rows.get(key, {
      read: async (signal) => {
        try {
          const series = await this.#reader.series(name, table, { id, stepMs }, signal);
          this.#unopened.delete(key);
          return series;
        } catch (error) {
          if (!(error instanceof StoreError)) throw error;
        }
        // The file has changed since the table was read, or the row is damaged.
        this.#tables.forget(name);
        const newer = await this.#table(name, tableUntilOf);
        return newer && this.#opened(key, () => this.#reader.series(name, newer, { id, stepMs }, signal));
      },
      untilOf: (series, now) => untilOf(series, table, now),
    });
  }

  #table(
    name: string,
    untilOf: (now: number, table: CandleTable | undefined) => number,
  ): Promise<CandleTable | undefined> {
    return this.#tables.get(name, {
      read: (signal) => this.#opened(name, () => this.#reader.table(name, signal)),
      untilOf: (table, now) => untilOf(now, table),
    });
  }

  /** Undefined if an object cannot be opened: the next job that replaces it sets it aside. */
  async #opened<T>(key: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
    try {
      const value = await read();
      this.#unopened.delete(key);
      return value;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      count('HistoryUnusable');
      if (this.#unopened.size >= MAX_UNOPENED) this.#unopened.clear();
      this.#unopened.add(key);
      return undefined;
    }
  }
}

function within(candles: readonly StoredCandle[], { from, to }: Part): readonly StoredCandle[] {
  // Searches from the end: most windows end with the last candle, or close to it.
  let end = candles.length;
  while (end > 0 && (candles[end - 1]?.opensAt ?? 0) >= to) end -= 1;
  let first = end;
  while (first > 0 && (candles[first - 1]?.opensAt ?? 0) >= from) first -= 1;
  return candles.slice(first, end);
}
