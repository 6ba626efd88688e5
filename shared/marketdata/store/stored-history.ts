import { count } from '../../platform/metrics.ts';
import { DAY_MS, HOUR_MS } from '../../platform/time.ts';
import { hoursIn } from '../snapshot/hour-fields.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { Span } from '../window.ts';
import { dayOf, dayWithAmounts, withExact } from './exact-hours.ts';
import { HeldObjects } from './held-objects.ts';
import {
  EXACT_LATE_MS,
  exactHeldUntil,
  type HoursKind,
  sampledHeldUntil,
  seriesHeldUntil,
  startOfDay,
  tableHeldUntil,
} from './held-until.ts';
import type { HoursTable } from './hours-file.ts';
import { dayText, monthText } from './names.ts';
import type { HistoryReader } from './reader.ts';
import { SampleSlots } from './sample-slots.ts';
import type { Asked, Series } from './series-file.ts';
import { StoreError } from './store-error.ts';
import { joined, type StoredCandle } from './stored-candle.ts';

/** What the store has of a coin in a span of time, the running interval included. In USD. */
export interface StoredRows {
  /** Ascending. */
  readonly candles: readonly StoredCandle[];
  /** Providers were asked for all that opened in here. Milliseconds since the epoch. */
  readonly asked: Asked | undefined;
  /** Whether something is missing because an object cannot be opened: nobody is asked for that. */
  readonly isSetAside: boolean;
}

interface Options {
  readonly reader: HistoryReader;
  readonly now?: () => number;
  /** As `SampleSlots` has them. */
  readonly tokenSources?: readonly string[];
}

/** S3 answers a read of some kilobytes in 20 to 60 ms; a request upstream takes longer than this. */
const TIMEOUT_MS = 1_500;

/** Objects that cannot be opened are few; if they are not, a request for one of them is asked for again. */
const MAX_UNOPENED = 1_000;

interface HoursOn {
  readonly hours: readonly StoredCandle[];
  /** Those made of samples, as far as they had to be read. */
  readonly sampled: readonly StoredCandle[];
}

/** This container's view of our own history. */
export class StoredHistory {
  /** The single samples, as far as they are kept. */
  readonly slots: SampleSlots;
  readonly #reader: HistoryReader;
  readonly #now: () => number;
  readonly #series: HeldObjects<Series | undefined>;
  readonly #tables: HeldObjects<HoursTable | undefined>;
  readonly #hours: HeldObjects<readonly StoredCandle[]>;
  /** Keys of what could not be opened when it was read last. */
  readonly #unopened = new Set<string>();

  constructor({ reader, now = Date.now, tokenSources = [] }: Options) {
    this.#reader = reader;
    this.#now = now;
    this.slots = new SampleSlots({ reader, now, tokenSources });
    this.#series = new HeldObjects(now);
    this.#tables = new HeldObjects(now);
    this.#hours = new HeldObjects(now);
  }

  /**
   * The candles of a coin. An object that cannot be opened counts as empty, and as set aside. Throws S3Error and
   * TransportError if the store cannot be asked.
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

  /** Reads where the running day's hours are, ahead of the first request. Never throws. */
  async prepare(): Promise<void> {
    const today = startOfDay(this.#now());
    await Promise.allSettled([this.#table('hours', today), this.#table('exact', today)]);
  }

  async #days(
    id: string,
    { from, to }: Pick<Span, 'from' | 'to'>,
    running: readonly StoredCandle[],
    snapshotMs: number | undefined,
  ): Promise<StoredRows> {
    const today = startOfDay(this.#now());
    const foldedOn = async (day: number): Promise<StoredCandle | undefined> => {
      if (day < from || day >= to) return undefined;
      const { hours, sampled } = await this.#hoursOn(day, id, running);
      // Without a snapshot there are hours of the table alone, which tells how often they were sampled.
      const intervalMs = snapshotMs ?? 1000 * ((await this.#table('hours', day))?.intervalSeconds ?? 0);
      const until = this.#now();
      const candle = dayOf(hours, { intervalMs, until });
      return candle && dayWithAmounts(candle, sampled, until);
    };
    // Two objects at the same time: one round trip less for a first chart.
    const [series, ofToday] = await Promise.all([this.#daily(id), foldedOn(today)]);
    const last = series?.candles.at(-1)?.opensAt ?? Number.NEGATIVE_INFINITY;
    // The day before is rolled up some minutes after midnight.
    const before = today - DAY_MS > last ? await foldedOn(today - DAY_MS) : undefined;
    const open = [before, ofToday].filter((day) => day !== undefined).filter(({ opensAt }) => opensAt > last);
    return {
      candles: [...within(series?.candles ?? [], from, to), ...open],
      asked: series?.asked,
      isSetAside: series?.setAside !== undefined || this.#isUnopened(id, [id], [today - DAY_MS, today]),
    };
  }

  async #hoursOf(
    id: string,
    { from, to }: Pick<Span, 'from' | 'to'>,
    running: readonly StoredCandle[],
  ): Promise<StoredRows> {
    const today = startOfDay(this.#now());
    const starts = startsOfMonths(from, Math.min(to, today));
    const months = await Promise.all(starts.map((time) => this.#hourly(id, time)));
    const last = months.at(-1)?.candles.at(-1)?.opensAt ?? Number.NEGATIVE_INFINITY;
    // Of a month of hours most charts want a day.
    const rolledUp = months.flatMap((series) => within(series?.candles ?? [], from, to));
    const open = [today - DAY_MS, today].filter((day) => day > last && day + DAY_MS > from && day < to);
    const hours = await Promise.all(open.map((day) => this.#hoursOn(day, id, running)));
    const ofDays = hours.flatMap((one) => one.hours);
    const candles = joined(joined(rolledUp, ofDays, HOUR_MS), running, HOUR_MS);
    const keys = starts.map((time) => `${monthText(time)} ${id}`);
    return {
      candles: within(candles, from, to),
      asked: months.at(-1)?.asked,
      isSetAside: months.some((series) => series?.setAside !== undefined) || this.#isUnopened(id, keys, open),
    };
  }

  /** Whether one of a coin's series, or its hours of one of these days, could not be opened. */
  #isUnopened(id: string, series: readonly string[], days: readonly number[]): boolean {
    const tables = days.flatMap((day) => [`hours ${dayText(day)}`, `exact ${dayText(day)}`]);
    const keys = [...series, ...tables, ...tables.map((table) => `${table} ${id}`)];
    return this.#unopened.size > 0 && keys.some((key) => this.#unopened.has(key));
  }

  #daily(id: string): Promise<Series | undefined> {
    return this.#series.get(
      id,
      () => this.#read(id, (signal) => this.#reader.daily(id, signal)),
      seriesHeldUntil,
    );
  }

  #hourly(id: string, time: number): Promise<Series | undefined> {
    const isOver = monthText(time) !== monthText(this.#now() - DAY_MS);
    const key = `${monthText(time)} ${id}`;
    return this.#series.get(
      key,
      () => this.#read(key, (signal) => this.#reader.hourly(id, time, signal)),
      (series, now) => (isOver && series ? now + DAY_MS : seriesHeldUntil(series, now)),
    );
  }

  /** The hours of a day; those that are sampled are read only if exchanges do not have them all. */
  async #hoursOn(day: number, id: string, running: readonly StoredCandle[]): Promise<HoursOn> {
    const exact = await this.#exactHoursIn(day, id);
    const late = within(running, day, day + DAY_MS);
    const now = this.#now();
    const known = withExact(exact, late, now);
    const due = Math.min(now - EXACT_LATE_MS, day + DAY_MS);
    const isWhole = within(known, day, due).length >= Math.ceil((due - day) / HOUR_MS);
    if (exact.length > 0 && isWhole) return { hours: known, sampled: late };
    const sampled = joined(await this.#hoursIn('hours', day, id), late, HOUR_MS);
    return { hours: withExact(exact, sampled, now), sampled };
  }

  /** Of a coin that exchanges do not know nothing is read, and nothing held. */
  async #exactHoursIn(day: number, id: string): Promise<readonly StoredCandle[]> {
    const table = await this.#table('exact', day);
    return table?.rangeOf(id) ? this.#hoursIn('exact', day, id) : [];
  }

  async #hoursIn(kind: HoursKind, day: number, id: string): Promise<readonly StoredCandle[]> {
    const key = `${kind} ${dayText(day)} ${id}`;
    return this.#hours.get(
      key,
      async () => {
        const table = await this.#table(kind, day);
        if (!table) return [];
        const read = (of: HoursTable) => {
          const signal = AbortSignal.timeout(TIMEOUT_MS);
          return kind === 'exact'
            ? this.#reader.exactHours(of, id, signal)
            : this.#reader.hours(of, id, signal);
        };
        try {
          const hours = await read(table);
          this.#unopened.delete(key);
          return hours;
        } catch (error) {
          if (!(error instanceof StoreError)) throw error;
        }
        // The coins of the day have changed since the table was read, or the row is damaged.
        this.#tables.forget(`${kind} ${dayText(day)}`);
        const newer = await this.#table(kind, day);
        return (newer && (await this.#read(key, () => read(newer)))) ?? [];
      },
      (hours, now) => (kind === 'exact' ? exactHeldUntil(hours, day, now) : sampledHeldUntil(hours, now)),
    );
  }

  #table(kind: HoursKind, day: number): Promise<HoursTable | undefined> {
    const key = `${kind} ${dayText(day)}`;
    return this.#tables.get(
      key,
      () =>
        this.#read(key, (signal) =>
          kind === 'exact' ? this.#reader.exactTable(day, signal) : this.#reader.hoursTable(day, signal),
        ),
      (table, now) => tableHeldUntil(kind, table, day, now),
    );
  }

  /** Undefined for an object that cannot be opened: the next job that replaces it sets it aside. */
  async #read<T>(key: string, read: (signal: AbortSignal) => Promise<T | undefined>): Promise<T | undefined> {
    try {
      const found = await read(AbortSignal.timeout(TIMEOUT_MS));
      this.#unopened.delete(key);
      return found;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      count('HistoryUnusable');
      if (this.#unopened.size >= MAX_UNOPENED) this.#unopened.clear();
      this.#unopened.add(key);
      return undefined;
    }
  }
}

/** A time in each month from one to another, ascending. */
function startsOfMonths(from: number, to: number): number[] {
  const times: number[] = [];
  for (let time = from; time < to; ) {
    times.push(time);
    const date = new Date(time);
    time = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  }
  return times;
}

function within(candles: readonly StoredCandle[], from: number, to: number): readonly StoredCandle[] {
  // From the end: most windows end with the last candle, or not far from it.
  let end = candles.length;
  while (end > 0 && (candles[end - 1]?.opensAt ?? 0) >= to) end -= 1;
  let first = end;
  while (first > 0 && (candles[first - 1]?.opensAt ?? 0) >= from) first -= 1;
  return candles.slice(first, end);
}
