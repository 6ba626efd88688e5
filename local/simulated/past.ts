/** The past of a simulated world as the service's own store would have it, made when an object is first read. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { replacedCoins } from '../../registry-layer/simulated/list.ts';
import { StoreError } from '../../shared/marketdata/binary-file.ts';
import { openCandles, openHours } from '../../shared/marketdata/store/candle-files.ts';
import { encodeCandles, encodeHours } from '../../shared/marketdata/store/candle-files-writer.ts';
import { encodeCoin } from '../../shared/marketdata/store/coin-changes.ts';
import { bases } from '../../shared/marketdata/store/coin-object.ts';
import { dayOf } from '../../shared/marketdata/store/exact-hours.ts';
import {
  dayText,
  HISTORY_PREFIX,
  objectNames,
  periodOf,
  periodsIn,
  seriesName,
  shardOf,
  slotOf,
} from '../../shared/marketdata/store/names.ts';
import { pastNote } from '../../shared/marketdata/store/past-note.ts';
import { encodeSamples } from '../../shared/marketdata/store/samples.ts';
import { joinSeries } from '../../shared/marketdata/store/series-writer.ts';
import { SourceList } from '../../shared/marketdata/store/source-list.ts';
import { joined, type StoredCandle } from '../../shared/marketdata/store/stored-candle.ts';
import type { BaseInterval } from '../../shared/marketdata/window.ts';
import type { StoredObjects } from '../object-folder.ts';
import type { Simulated } from './index.ts';
import { type Listings, listingsOf, seedContracts, seedSources } from './listings.ts';
import { type Asset, DAY_MS, HOUR_MS, priceAt, rangeBetween, rankedAssets, volumeBetween } from './market.ts';
import { flatBar } from './tape.ts';

export const SAMPLE_MS = 600_000;
const SOURCE = 'simulated';
const SEEDED_DAYS = 365;
/** Days of exchanges: as many as the job of the candles fetches. */
const EXACT_DAYS = 730;
/** Days that the job of the past folds from hours, if their market is not in USD. */
const HOUR_DAYS = 30;
/** Kraken has the latest 720 days, including the running one. It has 720 hours too, but a job would have fetched the others in time. */
const KRAKEN_DAYS = 720;
/** Coins that others replaced had their last price so many days ago. */
const GONE_DAYS = 90;
const FREE_TICKERS = 2000;
/** Some 10 ms. */
const COINS_A_TURN = 50;

/** Milliseconds since the epoch, both at an interval's beginning; `to` is exclusive. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

export interface SeededStore extends StoredObjects {
  /** Prepares the running day's hours, which every first chart reads, a few coins at a time. */
  prepare(): Promise<void>;
}

/**
 * A store that starts with a past, as if the service had run for a year: days and hours of each active coin, from
 * exchanges if they trade it, days of the coins that others replaced, and the state from which jobs go on. Stored objects are kept, and completed up to now. An
 * object is made when it is first read; lists include only days and hours of shards before that. Earlier exchanges in
 * `exchanges` take precedence.
 */
export function seedStore(
  objects: StoredObjects,
  bucket: string,
  simulated: Simulated,
  exchanges: readonly string[] = [],
): SeededStore {
  const listings = listingsOf(simulated, exchanges);
  if (listings.all.length > 0) seedSources(objects, bucket, listings, simulated.now());
  seedContracts(objects, bucket, simulated);
  const past = new SimulatedPast(simulated, listings);
  const root = `/${bucket}/${HISTORY_PREFIX}`;
  /** Objects that have their whole past, or were deleted. */
  const whole = new Set<string>();
  return {
    get(path) {
      const stored = objects.get(path);
      if (whole.has(path) || !path.startsWith(root)) return stored;
      const made = past.object(decodeURIComponent(path.slice(root.length)), stored);
      if (made) objects.set(path, made);
      if (made || stored) whole.add(path);
      return made ?? stored;
    },
    set: (path, content) => void objects.set(path, content),
    delete(path) {
      whole.add(path);
      objects.delete(path);
    },
    keys: (beginning) =>
      new Set([...objects.keys(beginning), ...past.shardNames().map((name) => root + name)]),
    [Symbol.iterator]: () => objects[Symbol.iterator](),
    prepare: () => past.prepare(),
  };
}

class SimulatedPast {
  readonly #simulated: Simulated;
  readonly #listings: Listings;
  readonly #startedAt: number;
  /** The beginnings of the day and the hour in which it started. */
  readonly #day: number;
  readonly #hour: number;

  /** The running day's hours by coin, as far as they are computed. */
  readonly #prepared = new Map<string, StoredCandle[]>();

  /** The coins by the names of their objects; computed when it is first needed. */
  #ids: ReadonlyMap<string, string> | undefined;

  /** The coins of each shard, as far as the provider lists them: the past of all others would take too long. */
  readonly #shards: ReadonlyMap<string, readonly Asset[]>;

  /** Those of coins that are no longer traded, which have days alone. */
  readonly #gone: ReadonlyMap<string, readonly Asset[]>;

  constructor(simulated: Simulated, listings: Listings) {
    this.#simulated = simulated;
    this.#listings = listings;
    this.#shards = Map.groupBy(this.#listed(), ({ coin }) => shardOf(coin.id));
    const gone = replacedCoins.flatMap(({ id }) => simulated.market.asset(id) ?? []);
    this.#gone = Map.groupBy(gone, ({ coin }) => shardOf(coin.id));
    this.#startedAt = simulated.now();
    this.#day = Math.floor(this.#startedAt / DAY_MS) * DAY_MS;
    this.#hour = Math.floor(this.#startedAt / HOUR_MS) * HOUR_MS;
  }

  /** Computing the hours of all coins takes a third of a second, which would block other requests. */
  async prepare(): Promise<void> {
    for (const [index, asset] of this.#listed().entries()) {
      if (index % COINS_A_TURN === 0) await nextTurn();
      this.#prepared.set(asset.coin.id, sampledCandles(asset, { from: this.#day, to: this.#hour }, HOUR_MS));
    }
  }

  /** An object completed with its past; undefined if nothing is missing, or it has no past. */
  object(name: string, stored: Buffer | undefined): Buffer | undefined {
    const [kind = '', ...rest] = name.replace(/\.v\d+\//, '/').split('/');
    const day = Date.parse(rest.join());
    switch (kind) {
      case 'days':
      case 'hours':
        return this.#shard(name, stored);
      case 'day-hours':
        return this.#hoursOfDay(day, stored);
      case 'day-exact':
        return this.#exactHoursOfDay(day, stored);
      case 'coins':
        return stored ? undefined : this.#fetched(name);
      case 'samples':
        return stored ? undefined : this.#samples(slotOf(name));
      case objectNames.past:
        return stored ? undefined : this.#pastNote();
      case objectNames.rolledUp:
        return this.#rolledUp(stored);
      default:
        return undefined;
    }
  }

  /** The names of all shards that have a past. */
  shardNames(): string[] {
    return [...this.#shards].flatMap(([shard, assets]) =>
      bases.flatMap((base) => {
        const from = Math.min(...assets.map(({ coin }) => this.#beginning(base, coin.id)));
        return periodsIn(base, { from, to: this.#day }).map((part) => seriesName(base, part.from, shard));
      }),
    );
  }

  /** Where a coin's past begins. */
  #beginning(base: BaseInterval, id: string): number {
    const isLong = base === '24h' && this.#listings.coins.has(id);
    return this.#day - (isLong ? EXACT_DAYS : SEEDED_DAYS) * DAY_MS;
  }

  #shard(name: string, stored: Buffer | undefined): Buffer | undefined {
    const [, kind, text = '', shard = ''] = /^(\w+)\.v\d+\/(\d{4}(?:-\d\d)?)\/(\d\d)$/.exec(name) ?? [];
    const base = kind === 'days' ? '24h' : '1h';
    const time = Date.parse(text);
    if (Number.isNaN(time) || name !== seriesName(base, time, shard)) return undefined;
    const stepMs = base === '24h' ? DAY_MS : HOUR_MS;
    const period = periodOf(base, time);
    const to = Math.min(period.to, this.#day);
    const before = usable(stored, openCandles);
    if (before && before.time >= to) return undefined;
    const year = this.#day - SEEDED_DAYS * DAY_MS;
    const sources = new SourceList(before?.sources);
    const rows = new Map(before?.rows.entries());
    for (const asset of this.#shards.get(shard) ?? []) {
      const { id } = asset.coin;
      const from = Math.max(period.from, this.#beginning(base, id));
      if (from >= to) continue;
      const sampled = sampledCandles(asset, { from: Math.max(from, year), to }, stepMs);
      const candles = joined(this.#exact(id, { from, to }, stepMs), sampled);
      rows.set(id, joinSeries(rows.get(id), { candles, coverage: undefined }, { stepMs, sources }));
    }
    for (const asset of base === '24h' ? (this.#gone.get(shard) ?? []) : []) {
      const stretch = { from: Math.max(period.from, year), to: Math.min(to, this.#day - GONE_DAYS * DAY_MS) };
      const candles = sampledCandles(asset, stretch, stepMs);
      if (candles.length === 0) continue;
      const { id } = asset.coin;
      rows.set(id, joinSeries(rows.get(id), { candles, coverage: undefined }, { stepMs, sources }));
    }
    if (rows.size === 0) return undefined;
    const about = { time: to, intervalSeconds: 0, source: '', sources: sources.names };
    return encodeCandles(about, rows);
  }

  /** The object of a coin whose past of a year was fetched: candles that its shards lack do not exist. */
  #fetched(name: string): Buffer | undefined {
    this.#ids ??= new Map(this.#listed().map(({ coin }) => [objectNames.coin(coin.id), coin.id]));
    const id = this.#ids.get(name);
    if (id === undefined) return undefined;
    const spanOf = (base: BaseInterval) => ({ from: this.#beginning(base, id), to: this.#day });
    const seriesOf = (base: BaseInterval) => ({ candles: [], coverage: spanOf(base) });
    return encodeCoin(id, { '24h': seriesOf('24h'), '1h': seriesOf('1h') });
  }

  /** The hours of the running day and the one before: older ones are in the series of the coins. */
  #hoursOfDay(day: number, stored: Buffer | undefined): Buffer | undefined {
    const stretch = { from: day, to: Math.min(day + DAY_MS, this.#hour) };
    if (!(day >= this.#day - DAY_MS) || stretch.from >= stretch.to) return undefined;
    const { coins: known, ...about } = usable(stored, openHours) ?? this.#emptyHours(day);
    const coins = new Map(known);
    for (const asset of this.#listed()) {
      const { id } = asset.coin;
      const before = coins.get(id) ?? [];
      if (before.length * HOUR_MS === stretch.to - stretch.from) continue;
      const prepared = day === this.#day ? this.#prepared.get(id) : undefined;
      const hours = joined(before, prepared ?? sampledCandles(asset, stretch, HOUR_MS));
      if (hours.length > 0) coins.set(id, hours);
    }
    return coins.size > 0 ? Buffer.from(encodeHours({ ...about, day, coins })) : undefined;
  }

  /** Hours from exchanges, including the running one. */
  #exactHoursOfDay(day: number, stored: Buffer | undefined): Buffer | undefined {
    if (!(day === this.#day || day === this.#day - DAY_MS)) return undefined;
    const { coins: known, ...about } = usable(stored, openHours) ?? this.#emptyHours(day);
    const coins = new Map(known);
    for (const id of this.#listings.coins.keys()) {
      const closed = coins.get(id)?.filter(({ isSettled }) => isSettled) ?? [];
      const hours = joined(closed, this.#exact(id, { from: day, to: day + DAY_MS }, HOUR_MS));
      if (hours.length > 0) coins.set(id, hours);
    }
    return coins.size > 0 ? Buffer.from(encodeHours({ ...about, day, coins })) : undefined;
  }

  #emptyHours(day: number) {
    return {
      day,
      intervalSeconds: SAMPLE_MS / 1000,
      source: SOURCE,
      coins: new Map<string, StoredCandle[]>(),
    };
  }

  /**
   * The candles that exchanges have of a coin in USD, from the first one that has any of an interval; the last one runs
   * if the start is in it. They have no amounts, because one exchange's are not the coin's.
   */
  #exact(id: string, { from, to }: Stretch, stepMs: number): StoredCandle[] {
    const { coins, rateAt } = this.#listings;
    const now = this.#startedAt;
    const candles: StoredCandle[] = [];
    for (let opensAt = Math.ceil(from / stepMs) * stepMs; opensAt < Math.min(to, now); opensAt += stepMs) {
      for (const { exchange, tape, quote } of coins.get(id) ?? []) {
        if (exchange === 'kraken' && opensAt < now - KRAKEN_DAYS * DAY_MS) continue;
        // For an interval without a trade, Coinbase has no candle; the others repeat the last price.
        const bar =
          tape.bar(opensAt, stepMs, now) ?? (exchange === 'coinbase' ? undefined : flatBar(tape, opensAt));
        if (!bar?.close) continue;
        const isFolded = stepMs === DAY_MS && quote !== 'USD' && opensAt >= this.#day - HOUR_DAYS * DAY_MS;
        const day = isFolded ? this.#dayOfHours(id, opensAt) : undefined;
        if (day) {
          candles.push(day);
          break;
        }
        const rate = rateAt(quote, opensAt, stepMs);
        const open = bar.open * rate;
        const high = bar.high * rate;
        const low = bar.low * rate;
        const close = bar.close * rate;
        const lastAt = Math.min(opensAt + stepMs, now);
        const amounts = { volume: null, market_cap: null, volume_24h: null };
        const isSettled = opensAt + stepMs <= now;
        const made = { quality: 'exact', samples: 0, lastAt, isSettled, source: SOURCE } as const;
        candles.push({ opensAt, open, high, low, close, ...amounts, ...made });
        break;
      }
    }
    return candles;
  }

  /** A day whose hours were converted one by one; undefined if an hour is missing. */
  #dayOfHours(id: string, from: number): StoredCandle | undefined {
    const hours = this.#exact(id, { from, to: from + DAY_MS }, HOUR_MS);
    const day = dayOf(hours, { intervalMs: 0, until: Number.POSITIVE_INFINITY });
    return day?.quality === 'exact' ? day : undefined;
  }

  /** Samples of the running hour and the one before it, from which the snapshot makes hours. */
  #samples(slot: number): Buffer | undefined {
    const isPast = slot >= this.#hour - HOUR_MS && slot + SAMPLE_MS <= this.#startedAt;
    if (!isPast || slot % SAMPLE_MS !== 0) return undefined;
    const samples = this.#listed()
      .filter(({ firstMs }) => firstMs <= slot)
      .map((asset) => ({ id: asset.coin.id, ...amountsAt(asset, slot), price: priceAt(asset, slot) }));
    const run = { takenAt: slot, intervalSeconds: SAMPLE_MS / 1000, source: SOURCE };
    return Buffer.from(encodeSamples(samples, run));
  }

  /** All earlier days are in the series, so none has to be rolled up. */
  #rolledUp(stored: Buffer | undefined): Buffer | undefined {
    const through = dayText(this.#day - DAY_MS);
    const known = usable(
      stored,
      (bytes) => (JSON.parse(String(bytes)) as { through?: unknown } | null)?.through,
    );
    return typeof known === 'string' && known >= through
      ? undefined
      : Buffer.from(JSON.stringify({ through }));
  }

  /** Data that is computed on reading needs no request. */
  #pastNote(): Buffer {
    const active = this.#simulated.market.coins.filter(({ is_active }) => is_active !== false);
    const fetched = { through: this.#day, at: this.#startedAt, failed: false };
    const notesOf = (ids: Iterable<string>) => new Map(Array.from(ids, (id) => [id, fetched] as const));
    const provider = notesOf(active.map(({ id }) => id));
    const exchanges = notesOf(this.#listings.coins.keys());
    return Buffer.from(JSON.stringify(pastNote({ exchanges, tokens: new Map(), provider })));
  }

  #listed(): Asset[] {
    const { market, plan } = this.#simulated;
    // Malformed ids cannot be requested, and files cannot hold them.
    return rankedAssets(market, plan === 'free' ? FREE_TICKERS : Infinity).filter(({ coin }) =>
      coin.id.isWellFormed(),
    );
  }
}

/** The candles that own history would have, if a sample had been taken every ten minutes since the coin's first price. */
function sampledCandles(asset: Asset, { from, to }: Stretch, stepMs: number): StoredCandle[] {
  const candles: StoredCandle[] = [];
  const first = Math.ceil(Math.max(from, asset.firstMs) / SAMPLE_MS) * SAMPLE_MS;
  for (let opensAt = Math.floor(first / stepMs) * stepMs; opensAt < to; opensAt += stepMs) {
    const openMs = Math.max(opensAt, first);
    const lastAt = opensAt + stepMs - SAMPLE_MS;
    const samples = (lastAt - openMs) / SAMPLE_MS + 1;
    const quality = samples * SAMPLE_MS >= 0.8 * stepMs ? 'sampled' : 'derived';
    const range = rangeBetween(asset, openMs, lastAt);
    candles.push({
      opensAt,
      ...range,
      ...candleAmounts(asset, lastAt, stepMs),
      quality,
      samples,
      lastAt,
      isSettled: true,
      source: SOURCE,
    });
  }
  return candles;
}

/** An hour's own volume is unknown: samples have that of 24 hours. */
function candleAmounts(asset: Asset, lastAt: number, stepMs: number) {
  const { volume, market_cap } = amountsAt(asset, lastAt);
  return { volume: stepMs === DAY_MS ? volume : null, volume_24h: volume, market_cap };
}

function amountsAt(asset: Asset, ms: number) {
  const market_cap = Math.round(priceAt(asset, ms) * asset.circulatingSupply);
  return { volume: volumeBetween(asset, ms - DAY_MS, ms), market_cap };
}

/** The stored value, if it is valid; otherwise it is computed again. */
function usable<T>(stored: Buffer | undefined, open: (bytes: Buffer) => T): T | undefined {
  try {
    return stored && open(stored);
  } catch (error) {
    if (error instanceof StoreError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
