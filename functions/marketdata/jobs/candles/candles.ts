import { priceIn } from '../../../../shared/marketdata/running.ts';
import type { SourceMap } from '../../../../shared/marketdata/sources/source-map.ts';
import type { Snapshot } from '../../../../shared/marketdata/store/snapshot.ts';
import type { StoredCandle } from '../../../../shared/marketdata/store/stored-candle.ts';
import { atMost } from '../../../../shared/platform/at-most.ts';
import { count } from '../../../../shared/platform/metrics.ts';
import { DAY_MS } from '../../../../shared/platform/time.ts';
import { type NoteStore, Progress } from '../backfill/progress.ts';
import type { HistoryStore } from '../history-store.ts';
import { OF_LATE_MS } from './batch.ts';
import { pastFrom } from './filled.ts';
import { storePast } from './past.ts';
import { RATE_WAIT_MS, type RateAt, ratesFrom, stableIds } from './rates.ts';
import { type Coin, type ExchangeClient, type ExchangeLane, exchangeLane, Run } from './run.ts';
import { type HoursByDay, lateHours, publishedHours, publishHours } from './running-hours.ts';

export interface CandlesOptions {
  readonly store: Pick<HistoryStore, 'exact' | 'putExact' | 'daily' | 'hourly' | 'addToCoin'>;
  readonly notes: NoteStore;
  readonly map: SourceMap;
  /** Of the exchanges that may be asked. */
  readonly clients: readonly ExchangeClient[];
  readonly snapshot: Snapshot | undefined;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

export interface Candles {
  readonly coins: number;
  /** Coins of which hours of the running day were published. */
  readonly running: number;
  /** Coins that got days, and those whose past is left to be asked for. */
  readonly filled: number;
  readonly left: number;
  /** Markets whose candles were refused, and exchanges that were asked no more, with the reason. */
  readonly refused: readonly string[];
  readonly stopped: readonly string[];
  /** Markets whose candles could not all be converted: for want of which closes, and whether these are waited for. */
  readonly waiting: readonly string[];
}

/** Of the function's 300 s: the last request for the hours of the running day is over by then, and the last one of all. */
const TIME_MS = { running: 165_000, all: 265_000 } as const;
/** A day is over for good by then. */
const DAY_AFTER_MS = 10 * 60_000;
const COINS_AT_ONCE = 2;
/** Hours are published as soon as so many coins have new ones: nobody waits for the slowest exchange. */
const COINS_TOGETHER = 100;
/** A coin of which was told longer ago was left out by the last run. */
const SKIPPED_MS = 12 * 60_000;
const NAMED = 20;

/**
 * Publishes the hours of the running day, and stores days that are over and the past of coins that are new, until there
 * is nothing left to ask for or no time. Each exchange is asked at its own pace, and none waits for another. May be ended
 * at any moment, and run twice at once. Throws what the store throws, after everything else is done.
 */
export async function storeCandles(options: CandlesOptions): Promise<Candles> {
  const { store, notes, snapshot, startedAt } = options;
  const [progress, published] = await Promise.all([Progress.read(notes), publishedHours(store, startedAt)]);
  const work = new Work(options, progress, published);
  const { groups } = work;
  const rateAt = await ratesFrom(store.daily, snapshot, startedAt);
  const late = groups.map((coins) =>
    atMost(COINS_AT_ONCE, work.inTurn(coins), (coin) => work.askForHours(coin, rateAt)),
  );
  const publishing = Promise.all(late).then(() => work.publish());
  // Stable coins come before those that are priced in them.
  const isStable = ({ id }: Coin) => stableIds.includes(id);
  const past = async (index: number, coins: readonly Coin[], rates: RateAt) => {
    await late[index];
    await atMost(COINS_AT_ONCE, coins, (coin) => work.storePast(coin, rates));
  };
  const stables = Promise.all(groups.map((coins, index) => past(index, coins.filter(isStable), rateAt)));
  const others = stables.then(async () => {
    const rates = await ratesFrom(store.daily, snapshot, startedAt);
    await Promise.all(
      groups.map((coins, index) =>
        past(
          index,
          coins.filter((coin) => !isStable(coin)),
          rates,
        ),
      ),
    );
  });
  const ends = await Promise.allSettled([publishing, others]);
  await progress.save();
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  if (work.failures.length > 0) throw work.failures[0];
  return work.done();
}

class Work {
  /** By the exchange that is asked first; in each by rank. */
  readonly groups: readonly (readonly Coin[])[];
  readonly told = new Map<string, readonly StoredCandle[]>();
  readonly failures: unknown[] = [];
  readonly #options: CandlesOptions;
  readonly #progress: Progress;
  readonly #published: HoursByDay;
  readonly #running: Run;
  readonly #past: Run;
  readonly #today: number;
  #unpublished = new Map<string, readonly StoredCandle[]>();
  #publishing = Promise.resolve();
  #filled = 0;

  constructor(options: CandlesOptions, progress: Progress, published: HoursByDay) {
    [this.#options, this.#progress, this.#published] = [options, progress, published];
    const { clients, map, snapshot, startedAt } = options;
    const lanes = new Map(clients.map((client) => [client.provider.name, exchangeLane(client)]));
    this.#running = new Run(lanes, startedAt + TIME_MS.running);
    this.#past = new Run(lanes, startedAt + TIME_MS.all, this.#running);
    this.#today = Math.floor((startedAt - DAY_AFTER_MS) / DAY_MS) * DAY_MS;
    const coins = coinsOf(map, lanes, snapshot);
    this.groups = [...Map.groupBy(coins, ({ markets }) => markets[0]?.exchange).values()];
  }

  /** Those first that the run before had no time for: an exchange that is asked once a second has none for all of them. */
  inTurn(coins: readonly Coin[]): Coin[] {
    const toldAt = ({ id }: Coin) =>
      Math.max(0, ...[...this.#published.values()].map((of) => of.get(id)?.at(-1)?.lastAt ?? 0));
    const isLong = (coin: Coin) => this.#options.startedAt - toldAt(coin) > SKIPPED_MS;
    return coins.toSorted((a, b) => Number(isLong(b)) - Number(isLong(a)));
  }

  async askForHours(coin: Coin, rateAt: RateAt): Promise<void> {
    if (this.#running.isOver) return;
    const prices = { known: { closes: new Map(), now: this.#priceOf(coin) }, rateAt };
    const hours = await lateHours(this.#running, coin, this.#published, prices, this.#options.startedAt);
    if (hours.length === 0) return;
    this.told.set(coin.id, hours);
    this.#unpublished.set(coin.id, hours);
    if (this.#unpublished.size >= COINS_TOGETHER) void this.publish();
  }

  /** Publishes what was told since the last time, after what is being published. Never throws: a failure is noted. */
  publish(): Promise<void> {
    const told = this.#unpublished;
    this.#unpublished = new Map();
    this.#publishing = this.#publishing
      .then(() => publishHours(this.#options.store, told))
      .catch((error: unknown) => void this.failures.push(error));
    return this.#publishing;
  }

  /** One coin that cannot be stored keeps no other waiting. */
  async storePast(coin: Coin, rateAt: RateAt): Promise<void> {
    const known = this.#progress.coins.get(coin.id);
    const from = pastFrom(known, this.#today, this.#options.startedAt);
    if (from === undefined || this.#past.isOver) return;
    try {
      const [today, price] = [this.#today, this.#priceOf(coin)];
      const about = { from, today, hours: this.#hoursOf(coin), price, rateAt };
      const past = await storePast(this.#past, this.#options.store, coin, about);
      if (past.days > 0) this.#filled += 1;
      // What could not be asked for in time is asked for by the next run.
      if (!past.isWhole && this.#past.isOver) return;
      const isDone = past.isWhole || past.isUpToDate;
      // All that is older is stored, or given up.
      const waitsFrom = (past.waitsFrom ?? 0) >= today - RATE_WAIT_MS ? past.waitsFrom : undefined;
      const through = isDone ? today : (waitsFrom ?? known?.through ?? 'never');
      await this.#progress.note(coin.id, { through, at: Date.now(), failed: !past.isWhole });
    } catch (error) {
      this.failures.push(error);
    }
  }

  done(): Candles {
    if (this.#past.waiting.size > 0) count('MarketsWithoutRates', this.#past.waiting.size);
    const coins = this.groups.flat();
    const isLeft = ({ id }: Coin) => (this.#progress.coins.get(id)?.through ?? 'never') === 'never';
    const inWords = (reasons: ReadonlyMap<string, string>) =>
      [...reasons].slice(0, NAMED).map(([name, reason]) => `${name}: ${reason}`);
    return {
      coins: coins.length,
      running: this.told.size,
      filled: this.#filled,
      left: coins.filter(isLeft).length,
      refused: inWords(new Map([...this.#running.refused, ...this.#past.refused])),
      stopped: inWords(this.#past.stopped),
      waiting: inWords(this.#past.waiting),
    };
  }

  /** As a measure for what exchanges say: not one that they contradict, nor an old one. */
  #priceOf({ id }: Coin): number | undefined {
    const { snapshot, startedAt } = this.#options;
    const known = priceIn(snapshot, id);
    return known && startedAt - known.madeAt < OF_LATE_MS ? known.price : undefined;
  }

  /** The coin's hours of late, each as it was told last. */
  #hoursOf({ id }: Coin): StoredCandle[] {
    const published = [...this.#published.values()].flatMap((coins) => coins.get(id) ?? []);
    const all = [...published, ...(this.told.get(id) ?? [])];
    return [...new Map(all.map((hour) => [hour.opensAt, hour])).values()];
  }
}

/** Those that exchanges may be asked for, by rank. */
function coinsOf(
  map: SourceMap,
  lanes: ReadonlyMap<string, ExchangeLane>,
  snapshot: Snapshot | undefined,
): Coin[] {
  const coins = Array.from(map.coins, ([id, markets]) => {
    const rank = snapshot?.ticker(id)?.data.rank || Number.POSITIVE_INFINITY;
    return { id, rank, markets: markets.filter(({ exchange }) => lanes.has(exchange)) };
  });
  return coins
    .filter(({ markets }) => markets.length > 0)
    .sort((a, b) => (a.rank < b.rank ? -1 : Number(a.rank > b.rank)));
}
