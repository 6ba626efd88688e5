import { count } from '../../platform/metrics.ts';
import { hoursIn } from '../snapshot/hour-fields.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { Span } from '../window.ts';
import { closed, foldCandles, sampledSoFar } from './fold-samples.ts';
import { HeldObjects } from './held-objects.ts';
import type { HoursTable } from './hours-file.ts';
import { dayText, monthText } from './names.ts';
import { DAY_MS, type HistoryReader, HOUR_MS } from './reader.ts';
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
}

interface Options {
  readonly reader: HistoryReader;
  readonly now?: () => number;
}

/** S3 answers a read of some kilobytes in 20 to 60 ms; a request upstream takes longer than this. */
const TIMEOUT_MS = 1_500;
/** By then the hours are published, and the days rolled up, most of the time; until they are, they are looked for again. */
const HOURS_AFTER_MS = 35 * 60_000;
const DAY_AFTER_MS = 45 * 60_000;
const LOOK_AGAIN_MS = 60_000;

/** This container's view of our own history. */
export class StoredHistory {
  /** The single samples, as far as they are kept. */
  readonly slots: SampleSlots;
  readonly #reader: HistoryReader;
  readonly #now: () => number;
  readonly #series: HeldObjects<Series | undefined>;
  readonly #tables: HeldObjects<HoursTable | undefined>;
  readonly #hours: HeldObjects<readonly StoredCandle[]>;

  constructor({ reader, now = Date.now }: Options) {
    this.#reader = reader;
    this.#now = now;
    this.slots = new SampleSlots({ reader, now });
    this.#series = new HeldObjects(now);
    this.#tables = new HeldObjects(now);
    this.#hours = new HeldObjects(now);
  }

  /**
   * The candles of a coin. An object that cannot be used counts as if it were not there. Throws S3Error and
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
    await this.#table(dayOf(this.#now())).catch(() => undefined);
  }

  async #days(
    id: string,
    { from, to }: Pick<Span, 'from' | 'to'>,
    running: readonly StoredCandle[],
    snapshotMs: number | undefined,
  ): Promise<StoredRows> {
    const series = await this.#daily(id);
    const today = dayOf(this.#now());
    const last = series?.candles.at(-1)?.opensAt ?? Number.NEGATIVE_INFINITY;
    // The day before is rolled up some minutes after midnight.
    const open = [today - DAY_MS, today].filter((day) => day > last && day >= from && day < to);
    const folded = await Promise.all(
      open.map(async (day) => {
        const hours = joined(await this.#hoursIn(day, id), within(running, day, day + DAY_MS));
        const candle = foldCandles(hours, { stepMs: DAY_MS, shorterMs: HOUR_MS, until: this.#now() });
        // Without a snapshot there are hours of the table alone, which tells how often they were sampled.
        const intervalMs = snapshotMs ?? 1000 * ((await this.#table(day))?.intervalSeconds ?? 0);
        if (!candle) return [];
        return [day === today ? sampledSoFar(candle, intervalMs) : closed(candle, intervalMs, DAY_MS)];
      }),
    );
    const days = within(series?.candles ?? [], from, to);
    return { candles: [...days, ...folded.flat()], asked: series?.asked };
  }

  async #hoursOf(
    id: string,
    { from, to }: Pick<Span, 'from' | 'to'>,
    running: readonly StoredCandle[],
  ): Promise<StoredRows> {
    const today = dayOf(this.#now());
    const months = await Promise.all(
      startsOfMonths(from, Math.min(to, today)).map((time) => this.#hourly(id, time)),
    );
    const last = months.at(-1)?.candles.at(-1)?.opensAt ?? Number.NEGATIVE_INFINITY;
    // Of a month of hours most charts want a day.
    const rolledUp = months.flatMap((series) => within(series?.candles ?? [], from, to));
    const open = [today - DAY_MS, today].filter((day) => day > last && day + DAY_MS > from && day < to);
    const hours = (await Promise.all(open.map((day) => this.#hoursIn(day, id)))).flat();
    const candles = joined(joined(rolledUp, hours), running);
    return { candles: within(candles, from, to), asked: months.at(-1)?.asked };
  }

  #daily(id: string): Promise<Series | undefined> {
    return this.#series.get(
      id,
      () => this.#read((signal) => this.#reader.daily(id, signal)),
      (series, now) => this.#untilRolledUp(series, now),
    );
  }

  #hourly(id: string, time: number): Promise<Series | undefined> {
    const isOver = monthText(time) !== monthText(this.#now() - DAY_MS);
    return this.#series.get(
      `${monthText(time)} ${id}`,
      () => this.#read((signal) => this.#reader.hourly(id, time, signal)),
      (series, now) => (isOver && series ? now + DAY_MS : this.#untilRolledUp(series, now)),
    );
  }

  /** Until the next day is added; soon, if the last one is not there. */
  #untilRolledUp(series: Series | undefined, now: number): number {
    const last = series?.candles.at(-1);
    const isUpToDate = last !== undefined && last.opensAt + (series?.stepMs ?? 0) >= dayOf(now);
    return isUpToDate ? dayOf(now) + DAY_MS + DAY_AFTER_MS : now + LOOK_AGAIN_MS;
  }

  async #hoursIn(day: number, id: string): Promise<readonly StoredCandle[]> {
    return this.#hours.get(
      `${dayText(day)} ${id}`,
      async () => {
        const table = await this.#table(day);
        if (!table) return [];
        const read = (of: HoursTable) => this.#reader.hours(of, id, AbortSignal.timeout(TIMEOUT_MS));
        try {
          return await read(table);
        } catch (error) {
          if (!(error instanceof StoreError)) throw error;
        }
        // The coins of the day have changed since the table was read, or the row is damaged.
        this.#tables.forget(dayText(day));
        const newer = await this.#table(day);
        return (newer && (await this.#read(() => read(newer)))) ?? [];
      },
      (hours, now) => {
        const next = (hours.at(-1)?.opensAt ?? Number.NEGATIVE_INFINITY) + 2 * HOUR_MS + HOURS_AFTER_MS;
        return Math.max(next, now + LOOK_AGAIN_MS);
      },
    );
  }

  #table(day: number): Promise<HoursTable | undefined> {
    return this.#tables.get(
      dayText(day),
      () => this.#read((signal) => this.#reader.hoursTable(day, signal)),
      // Coins are added to it seldom, and one that is not in it costs nothing to look for.
      (table, now) => now + (table ? HOUR_MS / 4 : LOOK_AGAIN_MS),
    );
  }

  /** Undefined for an object that cannot be used: the next roll-up replaces it. */
  async #read<T>(read: (signal: AbortSignal) => Promise<T | undefined>): Promise<T | undefined> {
    try {
      return await read(AbortSignal.timeout(TIMEOUT_MS));
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      count('HistoryUnusable');
      return undefined;
    }
  }
}

function dayOf(time: number): number {
  return Math.floor(time / DAY_MS) * DAY_MS;
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
