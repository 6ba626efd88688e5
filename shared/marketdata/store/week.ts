/** The recent hourly closes of all listed coins in one object, so that charts of many coins need only one read. */

import { HOUR_MS, MINUTE_MS } from '../../platform/time.ts';
import { type FileFormat, StoreError, signatureOf } from '../binary-file.ts';
import type { PastPrice } from '../candles.ts';
import { isStale, lifetimes } from '../freshness.ts';
import { candleQualities, listed, type Provenance } from '../provenance.ts';
import { versions } from './names.ts';
import { openRows } from './rows.ts';
import { encodeRows } from './rows-writer.ts';
import { SourceList } from './source-list.ts';

/** A week and one more day, because the object may be late. */
export const WEEK_HOURS = 8 * 24;
const LINE_HOURS = 7 * 24;

export interface Week {
  /** The end of its last hour. Milliseconds since the epoch. */
  readonly end: number;
  /** The coins in it. */
  ids(): string[];
  /** A coin's closes in USD by the end of their hours, in milliseconds since the epoch; empty for a missing coin. */
  closesOf(id: string): Map<number, PastPrice>;
  /** Its closes of the last seven days; undefined without any. Faster than `closesOf`, for pages of many coins. */
  lineOf(id: string): WeekLine | undefined;
  /** False if a row is damaged. */
  readonly isWhole: boolean;
  /** Its size in memory. */
  readonly bytes: number;
}

/** Known hourly closes in USD, ascending, and their provenance. */
export interface WeekLine extends Provenance {
  readonly prices: readonly number[];
}

/** Prices by the end of their hours. */
export type Closes = ReadonlyMap<number, PastPrice>;

/**
 * A file of rows (`rows.ts`; the time is `end`), with the names of all sources in JSON as its text. A row has for each hour,
 * the oldest first, its close (double; NaN: unknown), the index of its quality in `candleQualities` and the whole minutes from
 * the price to the end of the hour (8 bits each), and the index of its source (16 bits).
 */
const format: FileFormat = {
  signature: signatureOf('WEEK'),
  version: versions.week,
  name: 'Week',
  error: StoreError,
};
const at = { quality: 8, minutes: 9, source: 10 } as const;
const CLOSE_BYTES = 12;

/** The file of the hours up to `end`, without those older than a week and a day. */
export function encodeWeek(end: number, coins: Iterable<readonly [id: string, closes: Closes]>): Buffer {
  const sources = new SourceList();
  const first = end - (WEEK_HOURS - 1) * HOUR_MS;
  const rows = Array.from(coins, ([id, closes]) => {
    const content = Buffer.alloc(WEEK_HOURS * CLOSE_BYTES);
    for (let hour = 0; hour < WEEK_HOURS; hour += 1) {
      const over = first + hour * HOUR_MS;
      const close = closes.get(over);
      const from = hour * CLOSE_BYTES;
      content.writeDoubleLE(close?.price ?? Number.NaN, from);
      if (!close) continue;
      content.writeUInt8(candleQualities.indexOf(close.quality), from + at.quality);
      content.writeUInt8(Math.max(0, Math.floor((over - close.time) / MINUTE_MS)), from + at.minutes);
      content.writeUInt16LE(sources.placeOf(close.source), from + at.source);
    }
    return [id, content] as const;
  });
  const header = { time: end, seconds: HOUR_MS / 1000, source: '' };
  return encodeRows(format, { header, text: JSON.stringify(sources.names), rows });
}

/** Throws StoreError; a coin with a damaged row counts as missing. */
export function openWeek(bytes: Uint8Array): Week {
  const rows = openRows(format, bytes);
  const end = rows.header.time;
  const names = JSON.parse(rows.text) as string[]; // written above
  const first = end - (WEEK_HOURS - 1) * HOUR_MS;
  return {
    end,
    isWhole: rows.damaged.length === 0,
    bytes: bytes.byteLength,
    ids: () => Array.from(rows.entries(), ([id]) => id),
    lineOf(id) {
      const content = rows.content(id);
      const prices: number[] = [];
      const sources = new Set<number>();
      let weakest = 0;
      let last = 0;
      const firstHour = WEEK_HOURS - LINE_HOURS;
      for (let hour = firstHour; content && hour < WEEK_HOURS; hour += 1) {
        const from = hour * CLOSE_BYTES;
        const price = content.readDoubleLE(from);
        if (Number.isNaN(price)) continue;
        prices.push(price);
        weakest = Math.max(weakest, content.readUInt8(from + at.quality));
        sources.add(content.readUInt16LE(from + at.source));
        last = first + hour * HOUR_MS - content.readUInt8(from + at.minutes) * MINUTE_MS;
      }
      const quality = candleQualities[weakest];
      if (prices.length === 0 || !quality) return undefined;
      const source = listed(...[...sources].map((place) => names[place]));
      // The roll-up adds each hour during the following one.
      const freshUntil = last + HOUR_MS + lifetimes.history.runningMs;
      return {
        prices,
        source,
        quality: isStale({ freshUntil }) ? 'stale' : quality,
        madeAt: last,
        freshUntil,
      };
    },
    closesOf(id) {
      const closes = new Map<number, PastPrice>();
      const content = rows.content(id);
      for (let from = 0; content && from < content.length; from += CLOSE_BYTES) {
        const price = content.readDoubleLE(from);
        const quality = candleQualities[content.readUInt8(from + at.quality)];
        const source = names[content.readUInt16LE(from + at.source)];
        if (Number.isNaN(price) || quality === undefined || source === undefined) continue;
        const over = first + (from / CLOSE_BYTES) * HOUR_MS;
        closes.set(over, {
          price,
          time: over - content.readUInt8(from + at.minutes) * MINUTE_MS,
          quality,
          source,
        });
      }
      return closes;
    },
  };
}
