/**
 * The last stored price of a coin that has none now, for whoever still holds it, and the coin as which it continued. Loaded for
 * such answers only; makes no upstream calls.
 */
import { ApiError } from '../../http/errors.ts';
import { ByteCache } from '../../platform/caches.ts';
import type { Environment } from '../../platform/environment.ts';
import { Held } from '../../platform/held.ts';
import { ifMissing, type Objects, objectsOf } from '../../platform/objects.ts';
import { HOUR_MS } from '../../platform/time.ts';
import { currentRegistry } from '../../registry/container.ts';
import { successionText } from '../../registry/successors.ts';
import { openCandleRow, openCandleTable } from '../store/candle-files.ts';
import { coinCandlesOf } from '../store/coin-objects.ts';
import { HISTORY_PREFIX, objectNames, steps } from '../store/names.ts';
import type { StoredCandle } from '../store/stored-candle.ts';

const BASE = '24h';
/** A coin that was dropped earlier has been without a price for so long that few need its last one. */
const YEARS = 4;
const TABLE_GUESS_BYTES = 64 * 1024;
const CANDLE_BYTES = 300;
const MAX_BYTES = 1024 * 1024;
/** By the coins' ids: requests for such a coin come in bursts. */
const days = new Held<StoredCandle | undefined>({
  readMs: 2_000,
  cache: new ByteCache(MAX_BYTES, () => CANDLE_BYTES),
});

/**
 * The last stored day of a coin; undefined if there is none, or the store cannot be read. Reads the coin's own candles, and the
 * shards of its days from this year's back to the first with the coin. Never throws.
 */
export async function lastDay(environment: Environment, id: string): Promise<StoredCandle | undefined> {
  const read = (signal: AbortSignal) => readLastDay(environment, id, signal);
  const untilOf = (_day: unknown, now: number) => now + HOUR_MS;
  return days.get(id, { read, untilOf }).catch(() => undefined);
}

async function readLastDay(environment: Environment, id: string, signal: AbortSignal) {
  const { HISTORY_BUCKET: bucket } = environment;
  const fetched = (await coinCandlesOf(environment).read(id)).series(BASE)?.candles.at(-1);
  const merged = bucket
    ? await lastMerged(objectsOf(bucket, HISTORY_PREFIX), id, fetched, signal)
    : undefined;
  return merged ?? fetched;
}

/** The last day in the shards, if it is later than a known one. */
async function lastMerged(
  objects: Pick<Objects, 'getRange'>,
  id: string,
  known: StoredCandle | undefined,
  signal: AbortSignal,
) {
  const year = new Date().getUTCFullYear();
  const from = known ? new Date(known.opensAt).getUTCFullYear() : year - YEARS;
  for (let of = year; of >= from; of -= 1) {
    const name = objectNames.series(BASE, id, Date.UTC(of));
    const candles = await candlesIn(objects, name, id, signal).catch(ifMissing);
    const last = candles?.at(-1);
    if (last) return known && known.opensAt > last.opensAt ? undefined : last;
  }
  return undefined;
}

async function candlesIn(
  objects: Pick<Objects, 'getRange'>,
  name: string,
  id: string,
  signal: AbortSignal,
): Promise<readonly StoredCandle[] | undefined> {
  for (let needed = TABLE_GUESS_BYTES; ; ) {
    const beginning = await objects.getRange(name, [0, needed - 1], signal);
    const table = beginning && openCandleTable(beginning.bytes, needed);
    if (typeof table === 'number') {
      needed = table;
      continue;
    }
    const range = table?.rangeOf(id);
    const row = range && (await objects.getRange(name, range, signal));
    return table && row && openCandleRow(table, row.bytes, id, steps[BASE]).candles;
  }
}

/** `the last one was 0.0123 USD on 2026-03-04`; undefined without one. */
export async function lastPriceText(environment: Environment, id: string): Promise<string | undefined> {
  const last = await lastDay(environment, id);
  if (!last) return undefined;
  const price = last.close.toLocaleString('en-US', { useGrouping: false, maximumSignificantDigits: 8 });
  return `the last one was ${price} USD on ${new Date(last.opensAt).toISOString().slice(0, 10)}`;
}

/** The 404 for a coin that has no price now; `otherwise`, if nothing else is known of it. */
export async function unpriced(
  environment: Environment,
  id: string,
  otherwise = ApiError.notFound(`No price of ${id} is known`),
): Promise<ApiError> {
  const text = await pastText(environment, id);
  return text === undefined ? otherwise : ApiError.notFound(`No price of ${id} is known now; ${text}`);
}

/** The last price of a coin, and its successor; undefined if neither is known. */
export async function pastText(environment: Environment, id: string): Promise<string | undefined> {
  const registry = currentRegistry();
  const texts = [await lastPriceText(environment, id), registry && successionText(id, registry)].filter(
    (text) => text !== undefined,
  );
  return texts.length > 0 ? texts.join('; ') : undefined;
}
