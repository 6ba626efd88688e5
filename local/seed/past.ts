/** The files of own history that a simulated market's past has. */
import { backfillNote } from '../../shared/marketdata/store/backfill-note.ts';
import { encodeHours, openHours } from '../../shared/marketdata/store/hours-file.ts';
import { dayText, objectNames, slotOf } from '../../shared/marketdata/store/names.ts';
import { encodeSamples } from '../../shared/marketdata/store/sample-file.ts';
import { encodeSeries, openSeries } from '../../shared/marketdata/store/series-file.ts';
import { StoreError } from '../../shared/marketdata/store/store-error.ts';
import { joined, type StoredCandle } from '../../shared/marketdata/store/stored-candle.ts';
import { DAY_MS, HOUR_MS } from '../../shared/platform/time.ts';
import type { World } from '../provider/index.ts';
import type { Asset } from '../provider/market.ts';
import { listedAssets } from '../provider/routes.ts';
import { SAMPLE_MS, SOURCE, type Stretch, sampleAt, sampledCandles } from './candles.ts';
import { exactCandles } from './exact.ts';
import type { Listings } from './listings.ts';

const SEEDED_DAYS = 365;
/** Days of exchanges: as many as the job of the candles asks for. */
const EXACT_DAYS = 730;

/**
 * The past up to when this was made: days and hours of each active coin, those of exchanges if they trade it, and what
 * jobs go on from.
 */
export class SimulatedPast {
  readonly #world: World;
  readonly #listings: Listings | undefined;
  readonly #startedAt: number;
  /** The beginnings of the day and the hour in which it started. */
  readonly #day: number;
  readonly #hour: number;
  /** Hours of the running day that are made already, by coin. */
  readonly #prepared = new Map<string, readonly StoredCandle[]>();

  /** Without listings no exchange has told anything. */
  constructor(world: World, listings: Listings | undefined) {
    this.#world = world;
    this.#listings = listings;
    this.#startedAt = world.now();
    this.#day = Math.floor(this.#startedAt / DAY_MS) * DAY_MS;
    this.#hour = Math.floor(this.#startedAt / HOUR_MS) * HOUR_MS;
  }

  /** The name of the file with the running day's hours, which takes the longest to make. */
  get runningDay(): string {
    return objectNames.hours(this.#day);
  }

  /** Makes the running day's hours ahead of their file, those of one more coin each time that it goes on. */
  *prepare(stored: Buffer | undefined): Generator<void> {
    const known = stored && usable(() => openHours(stored))?.coins;
    for (const asset of this.#listed()) {
      yield;
      const { id } = asset.coin;
      const rest = restOf(known?.get(id) ?? [], { from: this.#day, to: this.#hour });
      this.#prepared.set(id, sampledCandles(asset, rest, HOUR_MS));
    }
  }

  /** A file with what it lacks of the past; undefined if it lacks nothing, or has no past. */
  file(name: string, stored: Buffer | undefined): Buffer | undefined {
    const [kind = '', ...rest] = name.replace(/\.v\d+\//, '/').split('/');
    switch (kind) {
      case 'daily':
      case 'hourly':
        return this.#series(name, stored);
      case 'hours':
        return this.#hours(Date.parse(rest.join()), stored);
      case 'exact':
        return this.#exactHours(Date.parse(rest.join()), stored);
      case 'samples':
        return stored ? undefined : this.#samples(slotOf(name));
      case objectNames.backfill:
        return stored ? undefined : this.#backfill();
      case objectNames.rolledUp:
        return this.#rolledUp(stored);
      default:
        return undefined;
    }
  }

  #series(name: string, stored: Buffer | undefined): Buffer | undefined {
    const [, encoded = '', month] = /^[a-z]+\.v\d+\/~([^/]+)(?:\/(\d{4}-\d\d))?$/.exec(name) ?? [];
    const id = decoded(encoded);
    const asset = this.#world.market.asset(id);
    if (!asset || asset.coin.is_active === false) return undefined;
    const year = { from: this.#day - SEEDED_DAYS * DAY_MS, to: this.#day };
    if (name === objectNames.daily(id)) {
      const days = this.#listings?.coins.has(id) ? EXACT_DAYS : SEEDED_DAYS;
      const asked = { from: this.#day - days * DAY_MS, to: this.#day };
      return completed({ id, stepMs: DAY_MS }, asked, stored, () =>
        joined(this.#exact(id, asked, DAY_MS), sampledCandles(asset, year, DAY_MS), DAY_MS),
      );
    }
    const start = Date.parse(`${month}-01`);
    if (Number.isNaN(start) || name !== objectNames.hourly(id, start)) return undefined;
    const end = new Date(start).setUTCMonth(new Date(start).getUTCMonth() + 1);
    const stretch = { from: Math.max(start, year.from), to: Math.min(end, year.to) };
    return completed({ id, stepMs: HOUR_MS }, stretch, stored, () =>
      joined(this.#exact(id, stretch, HOUR_MS), sampledCandles(asset, stretch, HOUR_MS), HOUR_MS),
    );
  }

  /** Of the running day and the one before: older ones are in the series of the coins. */
  #hours(day: number, stored: Buffer | undefined): Buffer | undefined {
    const stretch = { from: day, to: Math.min(day + DAY_MS, this.#hour) };
    if (!(day >= this.#day - DAY_MS) || stretch.from >= stretch.to) return undefined;
    const before = stored && usable(() => openHours(stored));
    const coins = new Map(before?.coins);
    let isChanged = false;
    for (const asset of this.#listed()) {
      const { id } = asset.coin;
      const hours = coins.get(id) ?? [];
      const rest = restOf(hours, stretch);
      if (rest.from >= rest.to) continue;
      const prepared = day === this.#day ? this.#prepared.get(id) : undefined;
      const all = joined(hours, prepared ?? sampledCandles(asset, rest, HOUR_MS), HOUR_MS);
      if (all.length === 0) continue;
      coins.set(id, all);
      isChanged = true;
    }
    this.#prepared.clear();
    const { intervalSeconds, source } = before ?? { intervalSeconds: SAMPLE_MS / 1000, source: SOURCE };
    return isChanged ? Buffer.from(encodeHours({ day, intervalSeconds, source, coins })) : undefined;
  }

  /** Those that exchanges told, the running one included. */
  #exactHours(day: number, stored: Buffer | undefined): Buffer | undefined {
    if (!this.#listings || !(day === this.#day || day === this.#day - DAY_MS)) return undefined;
    const coins = new Map(stored && usable(() => openHours(stored))?.coins);
    for (const id of this.#listings.coins.keys()) {
      const hours = new Map(coins.get(id)?.map((hour) => [hour.opensAt, hour]));
      for (const hour of this.#exact(id, { from: day, to: day + DAY_MS }, HOUR_MS)) {
        if ((hours.get(hour.opensAt)?.lastAt ?? 0) < hour.lastAt) hours.set(hour.opensAt, hour);
      }
      if (hours.size > 0)
        coins.set(
          id,
          [...hours.values()].sort((a, b) => a.opensAt - b.opensAt),
        );
    }
    const file = { day, intervalSeconds: SAMPLE_MS / 1000, source: SOURCE, coins };
    return coins.size > 0 ? Buffer.from(encodeHours(file)) : undefined;
  }

  #exact(id: string, stretch: Stretch, stepMs: number): StoredCandle[] {
    const { coins, rateAt } = this.#listings ?? {};
    const listed = coins?.get(id);
    return listed && rateAt ? exactCandles(listed, stretch, stepMs, { rateAt, now: this.#startedAt }) : [];
  }

  /** What the snapshot makes the running hour and the one before it of. */
  #samples(slot: number): Buffer | undefined {
    const isPast = slot >= this.#hour - HOUR_MS && slot + SAMPLE_MS <= this.#startedAt;
    if (!isPast || slot % SAMPLE_MS !== 0) return undefined;
    const samples = this.#listed()
      .filter(({ firstMs }) => firstMs <= slot)
      .map((asset) => ({ id: asset.coin.id, ...sampleAt(asset, slot) }));
    const taken = { takenAt: slot, intervalSeconds: SAMPLE_MS / 1000, source: SOURCE };
    return Buffer.from(encodeSamples(samples, taken));
  }

  /** The days before this one are in the series, whether they were rolled up or not. */
  #rolledUp(stored: Buffer | undefined): Buffer | undefined {
    const through = dayText(this.#day - DAY_MS);
    const known = stored && usable(() => rolledUpThrough(stored));
    return known !== undefined && known >= through ? undefined : Buffer.from(JSON.stringify({ through }));
  }

  /** What is made when it is asked for is there: nobody has to be asked for it. */
  #backfill(): Buffer {
    const active = this.#world.market.coins.filter(({ is_active }) => is_active !== false);
    const asked = { through: this.#day, at: this.#startedAt, failed: false };
    return Buffer.from(JSON.stringify(backfillNote(new Map(active.map(({ id }) => [id, asked])))));
  }

  #listed(): Asset[] {
    // Nobody can ask for an id that is not well-formed, and a file cannot hold it.
    return listedAssets(this.#world.market, this.#world.plan).filter(({ coin }) => coin.id.isWellFormed());
  }
}

/** A series that has all of a stretch; undefined if it has it already, or there is nothing in it. */
function completed(
  of: { readonly id: string; readonly stepMs: number },
  { from, to }: Stretch,
  stored: Buffer | undefined,
  make: () => StoredCandle[],
): Buffer | undefined {
  if (from >= to) return undefined;
  const before = stored && usable(() => openSeries(stored, of));
  if (before?.asked && before.asked.from <= from && before.asked.to >= to) return undefined;
  const candles = joined(before?.candles ?? [], make(), of.stepMs);
  const asked = { from: Math.min(before?.asked?.from ?? from, from), to };
  return Buffer.from(encodeSeries({ ...of, candles, asked }));
}

/** What follows the hours that are known from the beginning on without a gap. */
function restOf(hours: readonly StoredCandle[], { from, to }: Stretch): Stretch {
  const gap = hours.findIndex(({ opensAt }, index) => opensAt !== from + index * HOUR_MS);
  return { from: from + (gap < 0 ? hours.length : gap) * HOUR_MS, to };
}

/** Empty, which is no coin's id, if it cannot be decoded. */
function decoded(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return '';
  }
}

function rolledUpThrough(stored: Buffer): string | undefined {
  const { through } = (JSON.parse(stored.toString()) ?? {}) as { through?: unknown }; // checked below
  return typeof through === 'string' ? through : undefined;
}

/** What cannot be used is made anew. */
function usable<T>(open: () => T): T | undefined {
  try {
    return open();
  } catch (error) {
    if (error instanceof StoreError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
