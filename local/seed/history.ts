/** The past of a simulated market as own history has it: made when it is asked for, and kept from then on. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type DayOfHours, encodeHours, openHours } from '../../shared/marketdata/store/hours-file.ts';
import { HISTORY_PREFIX, objectNames } from '../../shared/marketdata/store/names.ts';
import { DAY_MS, HOUR_MS } from '../../shared/marketdata/store/reader.ts';
import { encodeSeries, openSeries, type Series } from '../../shared/marketdata/store/series-file.ts';
import { StoreError } from '../../shared/marketdata/store/store-error.ts';
import { joined, type StoredCandle } from '../../shared/marketdata/store/stored-candle.ts';
import type { StoredObjects } from '../object-folder.ts';
import type { World } from '../provider/index.ts';
import type { Asset } from '../provider/market.ts';
import { listedAssets } from '../provider/routes.ts';
import { SAMPLE_MS, type Stretch, sampledCandles } from './candles.ts';

const SEEDED_DAYS = 365;
const SOURCE = 'simulated';
/** Coins whose hours are made before others get a turn: some 10 ms. */
const COINS_A_TURN = 50;

/**
 * Objects that begin with the past: days and hours of each active coin, and the last two days' hours of all coins that
 * the provider lists. What is there already is kept, and gets what passed while nothing ran. No list shows an object
 * that nobody has asked for.
 */
export class SeededHistory implements StoredObjects {
  readonly #objects: StoredObjects;
  readonly #world: World;
  readonly #beginning: string;
  /** The time up to which an object is known to be there. */
  readonly #wholeUntil = new Map<string, number>();
  readonly #hours = new Map<string, readonly StoredCandle[]>();

  constructor(objects: StoredObjects, bucket: string, world: World) {
    this.#objects = objects;
    this.#world = world;
    this.#beginning = `/${bucket}/${HISTORY_PREFIX}`;
  }

  get(path: string): Buffer | undefined {
    const stored = this.#objects.get(path);
    if (!path.startsWith(this.#beginning)) return stored;
    const whole = this.#completed(path, decodeURIComponent(path.slice(this.#beginning.length)), stored);
    if (whole) this.#objects.set(path, whole);
    return whole ?? stored;
  }

  set(path: string, content: Buffer): void {
    this.#wholeUntil.delete(path);
    this.#objects.set(path, content);
  }

  keys(beginning?: string): Iterable<string> {
    return this.#objects.keys(beginning);
  }

  [Symbol.iterator](): Iterator<[string, Buffer]> {
    return this.#objects[Symbol.iterator]();
  }

  /** Makes the running day's hours before anybody asks, and a few coins at a time. */
  async prepare(signal: AbortSignal): Promise<void> {
    const { day, hour } = this.#passed();
    for (const [index, asset] of this.#listed().entries()) {
      if (index % COINS_A_TURN === 0) await nextTurn();
      if (signal.aborted) return;
      this.#hoursOf(asset, { from: day, to: hour });
    }
    this.get(this.#beginning + objectNames.hours(day));
  }

  /** The object with what it lacks; undefined if it lacks nothing, or is none of a past. */
  #completed(path: string, name: string, stored: Buffer | undefined): Buffer | undefined {
    const { day, hour } = this.#passed();
    const [, ofDay] = /^hours\/(\d{4}-\d\d-\d\d)$/.exec(name) ?? [];
    const until = ofDay === undefined ? day : hour;
    if (this.#wholeUntil.get(path) === until) return undefined;
    const whole = ofDay === undefined ? this.#series(name, stored) : this.#hoursFile(ofDay, stored);
    if (whole || stored) this.#wholeUntil.set(path, until);
    return whole;
  }

  #series(name: string, stored: Buffer | undefined): Buffer | undefined {
    const [, step, encoded = '', month] = /^(daily|hourly)\/(~[^/]+)(?:\/(\d{4}-\d\d))?$/.exec(name) ?? [];
    const id = idOf(encoded);
    const asset = id === undefined ? undefined : this.#world.market.asset(id);
    if (id === undefined || !asset || asset.coin.is_active === false) return undefined;
    const { day } = this.#passed();
    const year = { from: day - SEEDED_DAYS * DAY_MS, to: day };
    if (step === 'daily' && name === objectNames.daily(id)) {
      return completeSeries(asset, { id, stepMs: DAY_MS }, year, stored);
    }
    const start = Date.parse(`${month}-01`);
    if (step !== 'hourly' || Number.isNaN(start) || name !== objectNames.hourly(id, start)) return undefined;
    const end = new Date(start).setUTCMonth(new Date(start).getUTCMonth() + 1);
    const stretch = { from: Math.max(start, year.from), to: Math.min(end, year.to) };
    return completeSeries(asset, { id, stepMs: HOUR_MS }, stretch, stored);
  }

  #hoursFile(ofDay: string, stored: Buffer | undefined): Buffer | undefined {
    const day = Date.parse(ofDay);
    const { day: today, hour } = this.#passed();
    const stretch = { from: day, to: Math.min(day + DAY_MS, hour) };
    if (!(day >= today - DAY_MS) || stretch.from >= stretch.to) return undefined;
    const before = stored && usable(() => openHours(stored));
    const coins = new Map(before?.coins);
    let isChanged = false;
    for (const asset of this.#listed()) {
      const { id } = asset.coin;
      const hours = coins.get(id) ?? [];
      if (hasAll(hours, stretch, HOUR_MS)) continue;
      const all = joined(hours, this.#hoursOf(asset, stretch));
      if (all.length === hours.length) continue;
      coins.set(id, all);
      isChanged = true;
    }
    this.#hours.clear();
    const head: Omit<DayOfHours, 'coins'> = before ?? {
      day,
      intervalSeconds: SAMPLE_MS / 1000,
      source: SOURCE,
    };
    return isChanged ? Buffer.from(encodeHours({ ...head, coins })) : undefined;
  }

  #hoursOf(asset: Asset, stretch: Stretch): readonly StoredCandle[] {
    const key = `${stretch.from}-${stretch.to} ${asset.coin.id}`;
    const hours = this.#hours.get(key) ?? sampledCandles(asset, stretch, HOUR_MS);
    this.#hours.set(key, hours);
    return hours;
  }

  #listed(): Asset[] {
    // Nobody can ask for an id that is not well-formed, and a file cannot hold it.
    return listedAssets(this.#world.market, this.#world.plan).filter(({ coin }) => coin.id.isWellFormed());
  }

  /** The beginnings of the running day and the running hour. */
  #passed(): { readonly day: number; readonly hour: number } {
    const now = this.#world.now();
    return { day: Math.floor(now / DAY_MS) * DAY_MS, hour: Math.floor(now / HOUR_MS) * HOUR_MS };
  }
}

function completeSeries(
  asset: Asset,
  of: Pick<Series, 'id' | 'stepMs'>,
  stretch: Stretch,
  stored: Buffer | undefined,
): Buffer | undefined {
  if (stretch.from >= stretch.to) return undefined;
  const before = stored && usable(() => openSeries(stored, of));
  if (before?.asked && before.asked.to >= stretch.to) return undefined;
  const candles = joined(before?.candles ?? [], sampledCandles(asset, stretch, of.stepMs));
  const asked = { from: Math.min(before?.asked?.from ?? stretch.from, stretch.from), to: stretch.to };
  return Buffer.from(encodeSeries({ ...of, candles, asked }));
}

function hasAll(candles: readonly StoredCandle[], { from, to }: Stretch, stepMs: number): boolean {
  return candles.filter(({ opensAt }) => opensAt >= from && opensAt < to).length * stepMs >= to - from;
}

/** The id in an object's name; undefined if it is none. */
function idOf(encoded: string): string | undefined {
  try {
    return encoded === '' ? undefined : decodeURIComponent(encoded.slice(1));
  } catch {
    return undefined;
  }
}

/** What cannot be used is made anew. */
function usable<T>(open: () => T): T | undefined {
  try {
    return open();
  } catch (error) {
    if (error instanceof StoreError) return undefined;
    throw error;
  }
}
