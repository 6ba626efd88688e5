import type { PastPrice } from '../../../shared/marketdata/candles.ts';
import { closesOf } from '../../../shared/marketdata/past-price.ts';
import type { CandleFile, DayOfHours } from '../../../shared/marketdata/store/candle-files.ts';
import { readSeries } from '../../../shared/marketdata/store/candle-rows.ts';
import { withExact } from '../../../shared/marketdata/store/exact-hours.ts';
import { objectNames, tokenSourceOf } from '../../../shared/marketdata/store/names.ts';
import type { StoredCandle } from '../../../shared/marketdata/store/stored-candle.ts';
import { encodeWeek, openWeek, WEEK_HOURS } from '../../../shared/marketdata/store/week.ts';
import { replacing, retryOnConflict } from '../../../shared/platform/objects.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/platform/time.ts';
import { BINARY, type HistoryStore } from './history-store.ts';

/** What publishing the fetched closes needs of the store. */
type WeekStore = Pick<HistoryStore, 'open' | 'objects'>;

/**
 * Publishes the recent hourly closes of all coins that the provider lists: those published before, and those of `days`, whose
 * hours may have changed; `hours` are the last day's. Does nothing until a list has been sampled. Repeating it changes
 * nothing.
 */
export async function publishWeek(
  store: HistoryStore,
  days: readonly number[],
  hours: CandleFile | undefined,
  now: number,
): Promise<void> {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const listed = await listedCoins(store, today);
  if (listed.length === 0) return;
  await retryOnConflict(async () => {
    const before = await store.open(objectNames.week, openWeek, ({ isWhole }) => isWhole);
    const oldest = today - WEEK_HOURS * HOUR_MS;
    const isUsable = before.content?.isWhole === true;
    const from = isUsable ? Math.max(oldest, Math.min(today, ...days)) : oldest;
    const fetched = (await store.open(objectNames.pastWeek, openWeek)).content;
    const coins = new Map<string, Map<number, PastPrice>>();
    for (const id of listed)
      coins.set(id, new Map([...(fetched?.closesOf(id) ?? []), ...(before.content?.closesOf(id) ?? [])]));
    // Sequential, because a day's hours of all coins are large.
    for (let day = from; day <= today; day += DAY_MS) {
      const sampled = day === days.at(-1) && hours ? hours : (await store.hours(day)).content;
      addDay(coins, sampled, (await store.exact(day)).content, now);
    }
    let end = 0;
    for (const closes of coins.values()) for (const over of closes.keys()) end = Math.max(end, over);
    if (end === 0) return;
    const bytes = encodeWeek(end, coins);
    if (before.bytes && Buffer.compare(bytes, before.bytes) === 0) return;
    await store.objects.put(objectNames.week, bytes, BINARY, replacing(before.etag));
  });
}

/**
 * Publishes the recent closes of hours that were fetched from exchanges, with those of earlier runs, for the week: in a new store
 * its first days have no hours of their own.
 */
export async function publishPastWeek(
  store: WeekStore,
  hours: ReadonlyMap<string, readonly StoredCandle[]>,
  now: number,
): Promise<void> {
  const from = now - WEEK_HOURS * HOUR_MS;
  const recent = [...hours].flatMap(([id, all]) => {
    const own = all.filter(({ opensAt }) => opensAt >= from);
    return own.length > 0 ? [[id, own] as const] : [];
  });
  if (recent.length === 0) return;
  await retryOnConflict(async () => {
    const before = await store.open(objectNames.pastWeek, openWeek);
    const coins = new Map(before.content?.ids().map((id) => [id, before.content?.closesOf(id) ?? new Map()]));
    for (const [id, own] of recent) {
      const closes = coins.get(id) ?? new Map<number, PastPrice>();
      for (const [index, close] of closesOf(own, HOUR_MS).entries())
        closes.set((own[index]?.opensAt ?? 0) + HOUR_MS, close);
      coins.set(id, closes);
    }
    const end = Math.max(...[...coins.values()].flatMap((closes) => Math.max(...closes.keys())));
    await store.objects.put(objectNames.pastWeek, encodeWeek(end, coins), BINARY, replacing(before.etag));
  });
}

function addDay(
  coins: ReadonlyMap<string, Map<number, PastPrice>>,
  sampled: CandleFile | undefined,
  exact: DayOfHours | undefined,
  now: number,
): void {
  for (const [id, closes] of coins) {
    const hours = withExact(exact?.coins.get(id) ?? [], hoursOf(sampled, id), now);
    const over = hours.filter(({ opensAt }) => opensAt + HOUR_MS <= now);
    const unitFrom = over.findLast(({ isNewUnit }) => isNewUnit)?.opensAt ?? Number.NEGATIVE_INFINITY;
    for (const [index, close] of closesOf(over, HOUR_MS).entries())
      closes.set((over[index]?.opensAt ?? 0) + HOUR_MS, close);
    // A line of two units would be read as a rise or a fall.
    for (const over of closes.keys()) if (over <= unitFrom) closes.delete(over);
  }
}

function hoursOf(day: CandleFile | undefined, id: string) {
  const row = day?.rows.content(id);
  return day && row ? readSeries(row, HOUR_MS, day.sources).candles : [];
}

/** The coins of the last sampled list, of today or the day before. */
async function listedCoins(store: HistoryStore, today: number): Promise<string[]> {
  for (const day of [today, today - DAY_MS]) {
    const name = (await store.samplesOf(day)).findLast((one) => tokenSourceOf(one) === undefined);
    const samples = name === undefined ? undefined : await store.samples(name);
    if (samples) return Array.from(samples.all(), ({ id }) => id);
  }
  return [];
}
