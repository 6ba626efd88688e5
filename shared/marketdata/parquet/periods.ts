/** The stored candles by years of days and months of hours: those of the shards, and of the coins' objects. */
import { createHash } from 'node:crypto';
import { ifMissing, type Objects } from '../../platform/objects.ts';
import { atMost } from '../../platform/waiting.ts';
import { openCandles } from '../store/candle-files.ts';
import { readSeries } from '../store/candle-rows.ts';
import { openCoin } from '../store/coin-object.ts';
import {
  objectNames,
  periodNamed,
  periodOf,
  shardNamed,
  shardOf,
  shardOfCoin,
  steps,
} from '../store/names.ts';
import { joined, type StoredCandle } from '../store/stored-candle.ts';
import type { BaseInterval } from '../window.ts';

export type HistoryObjects = Pick<Objects, 'get' | 'getRange' | 'list'>;

/** Times in milliseconds since the epoch. */
export interface Wanted {
  readonly bases: readonly BaseInterval[];
  /** Undefined: all. */
  readonly coins: readonly string[] | undefined;
  readonly from: number;
  readonly to: number;
}

export interface Period {
  readonly base: BaseInterval;
  /** Such as `2026`, or `2026-11`. */
  readonly name: string;
  /** The names of its objects, with a digest of the period's candles for a coin's object, and '' for a shard. */
  readonly objects: Map<string, string>;
}

const AT_ONCE = 16;
const READ_TIMEOUT_MS = 30_000;

/** Reads one shard of a period at a time, because more may not fit into memory. Throws what `Objects` throw. */
export class StoredPeriods {
  /** The names of objects that cannot be opened completely. */
  readonly damaged = new Set<string>();
  readonly #objects: HistoryObjects;
  readonly #wanted: Wanted;

  constructor(objects: HistoryObjects, wanted: Wanted) {
    this.#objects = objects;
    this.#wanted = wanted;
  }

  /** The periods with stored data, ascending. */
  async list(): Promise<Period[]> {
    const { bases, coins, from, to } = this.#wanted;
    const periods = new Map<string, Period>();
    const add = (base: BaseInterval, period: string, name: string, digest: string) => {
      const known = periods.get(period) ?? { base, name: period, objects: new Map() };
      periods.set(period, known);
      known.objects.set(name, digest);
    };
    const shards = coins && new Set(coins.map(shardOf));
    for (const base of bases)
      for (const name of await this.#objects.list(objectNames.allSeries(base))) {
        const time = Date.parse(periodNamed(name));
        const isWanted = shards?.has(shardNamed(name)) ?? true;
        if (isWanted && periodOf(base, time).to > from && time < to) add(base, periodNamed(name), name, '');
      }
    const names = coins?.map(objectNames.coin) ?? (await this.#objects.list(objectNames.coins));
    await atMost(AT_ONCE, names, async (name) => {
      const { periodsOf } = await this.#fetched(name);
      for (const base of bases)
        for (const [period, own] of periodsOf(base))
          add(base, period, name, createHash('sha256').update(JSON.stringify(own)).digest('base64url'));
    });
    return [...periods.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Whether a period is made of exactly these objects, by name with their ETags or digests. */
  async isMadeOf({ objects }: Period, made: Readonly<Record<string, string>>): Promise<boolean> {
    if (Object.keys(made).length !== objects.size) return false;
    const isSame = await atMost(AT_ONCE, [...objects], async ([name, digest]) => {
      const beginning = () => this.#objects.getRange(name, [0, 0], AbortSignal.timeout(READ_TIMEOUT_MS));
      // If an object's metadata cannot be read, the whole object is read, which reports the reason.
      const now = digest || (await beginning().catch(() => undefined))?.etag;
      return now !== undefined && now === made[name];
    });
    return isSame.every(Boolean);
  }

  /** Each coin's candles in a period, ascending; records the objects that they are read from, for `isMadeOf`. */
  async *coins(
    { base, name: period, objects }: Period,
    note: (name: string, digest: string) => void,
  ): AsyncGenerator<readonly [id: string, candles: readonly StoredCandle[]]> {
    const { coins, from, to } = this.#wanted;
    const selected = coins && new Set(coins);
    const shards = Map.groupBy(objects, ([name, digest]) => (digest ? shardOfCoin(name) : shardNamed(name)));
    for (const [, own] of [...shards].sort()) {
      const fetched = new Map<string, readonly StoredCandle[]>();
      const [shard] = own.find(([, digest]) => !digest) ?? [];
      await atMost(AT_ONCE, own, async ([name, digest]) => {
        if (!digest) return;
        const { id, periodsOf } = await this.#fetched(name);
        fetched.set(id, periodsOf(base).get(period) ?? []);
        note(name, digest);
      });
      const object = shard === undefined ? undefined : await this.#read(shard);
      const file = shard === undefined ? undefined : this.#opened(shard, object?.bytes, openCandles);
      const ids = new Set([...Array.from(file?.rows.entries() ?? [], ([id]) => id), ...fetched.keys()]);
      for (const id of [...ids].filter((one) => selected?.has(one) ?? true).sort()) {
        const row = file?.rows.content(id);
        const merged = row && file ? readSeries(row, steps[base], file.sources, from, to).candles : [];
        const more = fetched.get(id);
        yield [id, more ? joined(merged, more) : merged];
      }
      // The next run reads and reports a damaged one again.
      if (shard !== undefined) note(shard, this.damaged.has(shard) ? '' : (object?.etag ?? ''));
    }
  }

  /** The candles that were fetched for a coin, by the name of the period. */
  async #fetched(name: string) {
    const { from, to } = this.#wanted;
    const coin = this.#opened(name, (await this.#read(name))?.bytes, openCoin);
    const isIn = ({ opensAt, isSettled }: StoredCandle) => isSettled && opensAt >= from && opensAt < to;
    return {
      id: coin?.id ?? '',
      periodsOf: (base: BaseInterval) =>
        Map.groupBy(coin?.series(base)?.candles.filter(isIn) ?? [], ({ opensAt }) =>
          periodNamed(objectNames.series(base, '', opensAt)),
        ),
    };
  }

  /** Undefined for an object that does not exist. */
  #read(name: string) {
    return this.#objects.get(name, AbortSignal.timeout(READ_TIMEOUT_MS)).catch(ifMissing);
  }

  #opened<T>(name: string, bytes: Uint8Array | undefined, open: (bytes: Uint8Array) => T): T | undefined {
    try {
      return bytes && open(bytes);
    } catch {
      this.damaged.add(name);
      return undefined;
    }
  }
}
