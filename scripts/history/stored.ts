/** Shows what is stored: the state of the history, or the data of one coin. */
import { LISTINGS_NAME, listingsIn } from '../../shared/marketdata/sources/listings.ts';
import { pairOf } from '../../shared/marketdata/sources/market.ts';
import { SOURCES_PREFIX, sourcesReader } from '../../shared/marketdata/sources/source-map.ts';
import { openCandles, openHours } from '../../shared/marketdata/store/candle-files.ts';
import { readSeries } from '../../shared/marketdata/store/candle-rows.ts';
import { bases, openCoin } from '../../shared/marketdata/store/coin-object.ts';
import { SNAPSHOT_NAME, SNAPSHOT_PREFIX } from '../../shared/marketdata/store/current-snapshot.ts';
import {
  baseOf,
  HISTORY_PREFIX,
  objectNames,
  shardOf,
  slotOf,
  steps,
} from '../../shared/marketdata/store/names.ts';
import { isPastKnown, mergedNotes, readPastNote } from '../../shared/marketdata/store/past-note.ts';
import { openSamples } from '../../shared/marketdata/store/samples.ts';
import { openSnapshot } from '../../shared/marketdata/store/snapshot.ts';
import type { StoredCandle } from '../../shared/marketdata/store/stored-candle.ts';
import type { Ticker } from '../../shared/marketdata/ticker.ts';
import { ifMissing, objectsOf } from '../../shared/platform/objects.ts';
import { openOnlyFrom } from '../../shared/platform/stored-object.ts';
import { DAY_MS, HOUR_MS } from '../../shared/platform/time.ts';
import { symbolKey } from '../../shared/registry/fold.ts';

const READ_TIMEOUT_MS = 30_000;

/** The state of the history; null where something is missing. Throws S3's errors and TransportError. */
export async function statusOf(bucket: string, now: number) {
  const [note, rolledUp, hoursUntil, coins] = await Promise.all([
    json(bucket, objectNames.past),
    json(bucket, objectNames.rolledUp),
    endOfHours(bucket, now),
    sampledCoins(bucket, now),
  ]);
  const notes = note === undefined ? mergedNotes() : readPastNote(note);
  return {
    bucket,
    /** The end of the newest published hour. */
    hoursUntil: hoursUntil === undefined ? null : new Date(hoursUntil),
    rolledUpThrough: (rolledUp as { readonly through?: unknown } | undefined)?.through ?? null,
    /** Coins in the last samples whose past is stored, or known not to exist. */
    coins: coins
      ? { complete: coins.filter((id) => isPastKnown(notes, id)).length, all: coins.length }
      : null,
  };
}

/** The coin with an id, or the coins with a symbol. Throws an Error if nothing is stored of them. */
export async function shownOf(bucket: string, coin: string) {
  const open = openOnlyFrom(objectsOf(bucket, SOURCES_PREFIX));
  const [{ content: map }, { content: listings }, all] = await Promise.all([
    sourcesReader(bucket).map(),
    open(LISTINGS_NAME, listingsIn),
    tickersOf(bucket),
  ]);
  const known = all.find(({ id }) => id === coin);
  const symbol = symbolKey(known?.symbol ?? coin);
  const tickers = known ? [known] : all.filter((ticker) => symbolKey(ticker.symbol) === symbol);
  const ids = tickers.length > 0 ? tickers.map(({ id }) => id) : [coin];
  const candles = Object.fromEntries(
    await Promise.all(ids.map(async (id) => [id, await candlesOf(bucket, id)] as const)),
  );
  const markets = map?.state.exchanges.flatMap(({ exchange, markets: own }) => {
    const stated = listings?.get(exchange)?.coins;
    return own
      .filter(({ base, mapped }) => symbolKey(base) === symbol || ids.includes(mapped?.coin ?? ''))
      .map((market) => ({ exchange, ...market, stated: stated?.get(pairOf(market)) ?? null }));
  });
  if (tickers.length === 0 && !markets?.length && candles[coin]?.length === 0)
    throw new Error(
      `Nothing is stored of ${coin}${map ? '' : ', and no market is mapped yet'}: npx coinsearch finds ids`,
    );
  return {
    tickers,
    /**
     * Each with its coin and the one that the provider states. Null: there is no map yet. The job of the markets makes it in its first
     * run, or not at all if CANDLE_SOURCES is empty.
     */
    markets: markets ?? null,
    /** The candles by coin. */
    candles,
  };
}

async function tickersOf(bucket: string): Promise<Ticker[]> {
  const bytes = await bytesOf(bucket, SNAPSHOT_NAME, SNAPSHOT_PREFIX);
  return bytes ? Array.from(openSnapshot(bytes).tickers(), ({ data }) => data) : [];
}

/** The number of a coin's candles in each object, and the times of the first and the last one. */
async function candlesOf(bucket: string, id: string) {
  const objects = objectsOf(bucket, HISTORY_PREFIX);
  const found: { name: string; count: number; first: Date; last: Date }[] = [];
  const add = (name: string, candles: readonly StoredCandle[]) => {
    const time = (index: number) => new Date(candles.at(index)?.opensAt ?? 0);
    if (candles.length > 0) found.push({ name, count: candles.length, first: time(0), last: time(-1) });
  };
  const own = await bytesOf(bucket, objectNames.coin(id));
  for (const base of bases)
    add(`${objectNames.coin(id)} ${base}`, (own && openCoin(own).series(base)?.candles) ?? []);
  const lists = await Promise.all(bases.map((base) => objects.list(objectNames.allSeries(base))));
  for (const name of lists.flat().filter((one) => one.endsWith(`/${shardOf(id)}`))) {
    const bytes = await bytesOf(bucket, name);
    const file = bytes && openCandles(bytes);
    const row = file && new Map(file.rows.entries()).get(id);
    if (!row) continue;
    add(name, readSeries(row, steps[baseOf(name)], file.sources).candles);
  }
  return found;
}

async function bytesOf(
  bucket: string,
  name: string,
  prefix = HISTORY_PREFIX,
): Promise<Uint8Array | undefined> {
  const object = await objectsOf(bucket, prefix)
    .get(name, AbortSignal.timeout(READ_TIMEOUT_MS))
    .catch(ifMissing);
  return object?.bytes;
}

async function json(bucket: string, name: string): Promise<unknown> {
  const bytes = await bytesOf(bucket, name);
  return bytes && JSON.parse(Buffer.from(bytes).toString());
}

/** The end of the stored hours of today, or of yesterday; milliseconds since the epoch. */
async function endOfHours(bucket: string, now: number): Promise<number | undefined> {
  for (const day of [now, now - DAY_MS]) {
    const bytes = await bytesOf(bucket, objectNames.hours(day));
    const coins = bytes ? [...openHours(bytes).coins.values()] : [];
    if (coins.length > 0) return Math.max(...coins.map((hours) => (hours.at(-1)?.opensAt ?? 0) + HOUR_MS));
  }
  return undefined;
}

/** The coins of the last slot's samples, of the list and of token prices; undefined without any of today or yesterday. */
async function sampledCoins(bucket: string, now: number): Promise<string[] | undefined> {
  const objects = objectsOf(bucket, HISTORY_PREFIX);
  for (const day of [now, now - DAY_MS]) {
    const names = await objects.list(objectNames.samplesOfDay(day));
    const last = slotOf(names.at(-1) ?? '');
    const files = await Promise.all(
      names.filter((name) => slotOf(name) === last).map((name) => bytesOf(bucket, name)),
    );
    const ids = files.flatMap((bytes) => (bytes ? Array.from(openSamples(bytes).all(), ({ id }) => id) : []));
    if (ids.length > 0) return [...new Set(ids)];
  }
  return undefined;
}
