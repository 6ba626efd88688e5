import { listed } from '../../../../shared/marketdata/candles.ts';
import { MERGED_AFTER_MS } from '../../../../shared/marketdata/store/held-until.ts';
import type { StoredCandle } from '../../../../shared/marketdata/store/stored-candle.ts';
import { closeAfter, type Span } from '../../../../shared/marketdata/window.ts';
import { retryOnConflict } from '../../../../shared/platform/objects.ts';
import { DAY_MS, HOUR_MS } from '../../../../shared/platform/time.ts';
import type { HistoryStore } from '../history-store.ts';
import type { KnownPrices } from './batch.ts';
import type { RateAt } from './rates.ts';
import type { Coin, Run } from './run.ts';

/** Coins' hours, ascending, by the beginning of their day and the coin's id. */
export type HoursByDay = ReadonlyMap<number, ReadonlyMap<string, readonly StoredCandle[]>>;

type ExactStore = Pick<HistoryStore, 'exact' | 'putExact'>;

/**
 * The day before is included until it may be merged into the shards: nobody would read what is added to its hours after that, and the
 * job of the past would take them for complete.
 */
const DAY_BEFORE_MS = MERGED_AFTER_MS;
/** An hour that one exchange lacks is fetched from another one only this long after its close: usually there were no trades. */
const JUST_CLOSED_MS = 15 * 60_000;
const EVERY_SECONDS = 600;

/** The published hours of the running day and, until so long after its end, of the day before. */
export async function publishedHours(
  store: Pick<HistoryStore, 'exact'>,
  now: number,
  dayBeforeMs = DAY_BEFORE_MS,
): Promise<HoursByDay> {
  const days = new Set([now - dayBeforeMs, now].map((time) => Math.floor(time / DAY_MS) * DAY_MS));
  const read = Array.from(days, async (day) => {
    const coins = (await store.exact(day)).content?.coins;
    return [day, coins ?? new Map()] as const;
  });
  return new Map(await Promise.all(read));
}

/** A coin's hours of several days. */
export function hoursOf(published: HoursByDay, id: string): StoredCandle[] {
  return [...published.values()].flatMap((coins) => coins.get(id) ?? []);
}

/** Fetches a coin's unsettled hours from the preferred exchange, and from the next one if that has none. */
export async function lateHours(
  run: Run,
  { id, markets }: Coin,
  published: HoursByDay,
  prices: { readonly known: KnownPrices; readonly rateAt: RateAt },
  now: number,
): Promise<StoredCandle[]> {
  const hours = new Map(hoursOf(published, id).map((hour) => [hour.opensAt, hour]));
  const isNew = hours.size === 0;
  const fetched: StoredCandle[] = [];
  const start = Math.min(...published.keys());
  for (const market of markets) {
    const open = openHours(hours, start, now);
    const [from] = open;
    if (from === undefined) break;
    const span: Span = { base: '1h', stepMs: HOUR_MS, from, to: closeAfter(now, '1h'), closed: false };
    const { candles, isWhole } = await run.candlesOf(market, span, prices);
    for (const hour of candles) {
      const known = hours.get(hour.opensAt);
      // An hour from a preferred exchange in this run is as good, although it is some milliseconds older.
      if (known && (!isNewer(hour, known) || fetched.includes(known))) continue;
      hours.set(hour.opensAt, hour);
      fetched.push(hour);
    }
    const isLacking = openHours(hours, start, now).some(
      (hour) => hour + HOUR_MS <= now && (isNew || now - hour - HOUR_MS < JUST_CLOSED_MS) && !hours.has(hour),
    );
    if (isWhole && candles.length > 0 && !isLacking) break;
  }
  return fetched;
}

/** Hours that are not settled, from a time up to now. */
function openHours(hours: ReadonlyMap<number, StoredCandle>, start: number, now: number): number[] {
  const all = Array.from({ length: Math.ceil((now - start) / HOUR_MS) }, (_, hour) => start + hour * HOUR_MS);
  return all.filter((opensAt) => {
    const known = hours.get(opensAt);
    return !known?.isSettled;
  });
}

/** Whether a candle was fetched later than another one of its interval. */
function isNewer(candle: StoredCandle, known: StoredCandle | undefined): boolean {
  return !known || candle.lastAt > known.lastAt || (candle.isSettled && !known.isSettled);
}

/**
 * Merges hours into the published ones, also if others publish meanwhile. Of two candles for one hour the later one is kept.
 */
export async function publishHours(
  store: ExactStore,
  fetched: ReadonlyMap<string, readonly StoredCandle[]>,
): Promise<void> {
  const days = new Set(
    [...fetched.values()].flat().map(({ opensAt }) => Math.floor(opensAt / DAY_MS) * DAY_MS),
  );
  for (const day of [...days].sort((a, b) => a - b))
    await retryOnConflict(() => publishDay(store, day, fetched));
}

async function publishDay(
  store: ExactStore,
  day: number,
  fetched: ReadonlyMap<string, readonly StoredCandle[]>,
): Promise<void> {
  const published = await store.exact(day);
  const coins = new Map(published.content?.coins);
  let isChanged = false;
  for (const [id, hours] of fetched) {
    const known = new Map(coins.get(id)?.map((hour) => [hour.opensAt, hour]));
    for (const hour of hours) {
      if (hour.opensAt < day || hour.opensAt >= day + DAY_MS) continue;
      if (!isNewer(hour, known.get(hour.opensAt))) continue;
      known.set(hour.opensAt, hour);
      isChanged = true;
    }
    if (known.size > 0)
      coins.set(
        id,
        [...known.values()].sort((a, b) => a.opensAt - b.opensAt),
      );
  }
  if (!isChanged) return;
  const source = listed(...[...coins.values()].flat().map((hour) => hour.source));
  await store.putExact({ day, intervalSeconds: EVERY_SECONDS, source, coins }, published.etag);
}
