import { withExact } from '../../../shared/marketdata/store/exact-hours.ts';
import type { HoursTable } from '../../../shared/marketdata/store/hours-file.ts';
import type { HistoryReader } from '../../../shared/marketdata/store/reader.ts';
import { StoreError } from '../../../shared/marketdata/store/store-error.ts';
import type { StoredCandle } from '../../../shared/marketdata/store/stored-candle.ts';
import { DAY_MS } from '../../../shared/platform/time.ts';

/** For so many days samples and the hours made of them are kept. */
export const KEPT_DAYS = 35;

const READ_TIMEOUT_MS = 10_000;

export interface HoursOfDay {
  readonly hours: readonly StoredCandle[];
  readonly intervalSeconds: number;
}

/**
 * A coin's hours of the kept days that are over, ascending by day: all that can be had of it if its own objects cannot be
 * used. Days whose objects cannot be used either are left out. Throws what reading throws.
 */
export type KeptHours = (id: string) => Promise<HoursOfDay[]>;

export function keptHours(reader: HistoryReader): KeptHours {
  const sampled = dayReader(reader.hoursTable, reader.hours);
  const exact = dayReader(reader.exactTable, reader.exactHours);

  async function hoursOf(id: string, day: number): Promise<HoursOfDay[]> {
    const [own, told] = await Promise.all([sampled(id, day), exact(id, day)]);
    const hours = withExact(told?.hours ?? [], own?.hours ?? [], Date.now());
    const intervalSeconds = (own ?? told)?.intervalSeconds;
    return intervalSeconds !== undefined && hours.length > 0 ? [{ hours, intervalSeconds }] : [];
  }

  return async (id) => {
    const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    const days = Array.from({ length: KEPT_DAYS }, (_, index) => today - (KEPT_DAYS - index) * DAY_MS);
    return (await Promise.all(days.map((day) => hoursOf(id, day)))).flat();
  };
}

function dayReader(readTable: HistoryReader['hoursTable'], readHours: HistoryReader['hours']) {
  const tables = new Map<number, Promise<HoursTable | undefined>>();
  const signal = () => AbortSignal.timeout(READ_TIMEOUT_MS);

  return async (id: string, day: number): Promise<HoursOfDay | undefined> => {
    const reading = tables.get(day) ?? usable(readTable(day, signal()));
    tables.set(day, reading);
    const table = await reading;
    const hours = table && (await usable(readHours(table, id, signal())));
    return hours && { hours, intervalSeconds: table.intervalSeconds };
  };
}

async function usable<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof StoreError) return undefined;
    throw error;
  }
}
