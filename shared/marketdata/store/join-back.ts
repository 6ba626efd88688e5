/** Joins what an object of the history once held with what it holds by now. */

import { again, replacing } from '../../platform/objects.ts';
import { type Bucket, type Opened, type OpenObject, openFrom } from '../../platform/open-object.ts';
import { DAY_MS, HOUR_MS } from '../../platform/time.ts';
import { askedTogether } from './asked.ts';
import { encodeHours, openHours } from './hours-file.ts';
import { isDayName, isSeriesName, objectNames } from './names.ts';
import { encodeSeries, openSeries } from './series-file.ts';
import { StoreError } from './store-error.ts';
import { joined } from './stored-candle.ts';

const BINARY = 'application/octet-stream';

/** Whether an object of that name, below the prefix, can be joined: a coin's candles, or the hours of a day. */
export function canBeJoined(name: string): boolean {
  return isSeriesName(name) || isDayName(name);
}

/**
 * Joins the candles that an object once held, set aside or of an earlier version, with those that are there by now.
 * `name` is the object's usual one below the prefix. Of two candles for one interval the better one stays, so nothing gets
 * less, and joining the same twice changes nothing. Returns whether anything changed. Throws StoreError if the bytes
 * cannot be opened, or are another coin's or day's, and what opening and puts throw.
 */
export async function joinBack(bucket: Bucket, name: string, bytes: Uint8Array): Promise<boolean> {
  const open = openFrom(bucket);
  const join = isSeriesName(name) ? seriesJoiner(name, bytes, open) : dayJoiner(name, bytes, open);
  return again(async () => {
    const { all, before } = await join();
    if (before.bytes && Buffer.compare(all, before.bytes) === 0) return false;
    await bucket.put(name, all, BINARY, replacing(before.etag));
    return true;
  });
}

/** Reads what is there, and encodes both together. */
type Joiner = () => Promise<{ readonly all: Uint8Array; readonly before: Opened<unknown> }>;

function seriesJoiner(name: string, bytes: Uint8Array, open: OpenObject): Joiner {
  const old = openSeries(bytes);
  const { id, stepMs } = old;
  const month = old.candles[0]?.opensAt ?? 0;
  if (name !== (stepMs === DAY_MS ? objectNames.daily(id) : objectNames.hourly(id, month)))
    throw new StoreError(`Candles of ${id} are not those of ${name}`);
  return async () => {
    const before = await open(name, (stored) => openSeries(stored, old));
    const candles = joined(before.content?.candles ?? [], old.candles, stepMs);
    const asked = askedTogether(before.content?.asked, old.asked, { candles, stepMs });
    return { all: encodeSeries({ id, stepMs, candles, asked }), before };
  };
}

function dayJoiner(name: string, bytes: Uint8Array, open: OpenObject): Joiner {
  const old = openHours(bytes);
  if (name !== objectNames.hours(old.day) && name !== objectNames.exact(old.day))
    throw new StoreError(`Hours of ${new Date(old.day).toISOString()} are not those of ${name}`);
  return async () => {
    const before = await open(name, openHours);
    const coins = new Map(before.content?.coins);
    for (const [id, candles] of old.coins) coins.set(id, joined(coins.get(id) ?? [], candles, HOUR_MS));
    return { all: encodeHours({ ...old, ...before.content, coins }), before };
  };
}
