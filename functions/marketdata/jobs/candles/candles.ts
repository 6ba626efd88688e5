import type { SourceMap } from '../../../../shared/marketdata/sources/source-map.ts';
import type { Snapshot } from '../../../../shared/marketdata/store/snapshot.ts';
import type { StoredCandle } from '../../../../shared/marketdata/store/stored-candle.ts';
import { atMost } from '../../../../shared/platform/at-most.ts';
import type { HistoryStore } from '../history-store.ts';
import { recentPrice } from './batch.ts';
import { ratesFrom } from './rates.ts';
import { byExchange, type Coin, type ExchangeClient, type Report, Run, tradedCoins } from './run.ts';
import { type HoursByDay, lateHours, publishedHours, publishHours } from './running-hours.ts';

export interface CandlesOptions {
  readonly store: Pick<HistoryStore, 'exact' | 'putExact' | 'daily'>;
  readonly map: SourceMap;
  /** Of the exchanges that may be asked. */
  readonly clients: readonly ExchangeClient[];
  readonly snapshot: Snapshot | undefined;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

export interface Candles extends Report {
  readonly coins: number;
  /** Coins of which hours of the running day were published. */
  readonly running: number;
}

/** Of the function's 210 s: the last request is over by then. */
const TIME_MS = 165_000;
const COINS_AT_ONCE = 2;
/** Hours are published as soon as so many coins have new ones: nobody waits for the slowest exchange. */
const COINS_TOGETHER = 100;
/** A coin of which was told longer ago was left out by the last run. */
const SKIPPED_MS = 12 * 60_000;

/**
 * Publishes the hours of the running day, until there is nothing left to ask for or no time. Each exchange is asked at its
 * own pace, and none waits for another. May be ended at any moment, and run twice at once. Throws what the store throws,
 * after everything else is done.
 */
export async function storeCandles({
  store,
  map,
  clients,
  snapshot,
  startedAt,
}: CandlesOptions): Promise<Candles> {
  const run = new Run(clients, startedAt + TIME_MS);
  const coins = tradedCoins(map, run.lanes, snapshot);
  const published = await publishedHours(store, startedAt);
  const rateAt = await ratesFrom(store.daily, snapshot, startedAt);
  const failures: unknown[] = [];
  let running = 0;
  let unpublished = new Map<string, readonly StoredCandle[]>();
  let publishing = Promise.resolve();

  /** Publishes what was told since the last time, after what is being published. Never throws: a failure is noted. */
  function publish(): Promise<void> {
    const told = unpublished;
    unpublished = new Map();
    publishing = publishing
      .then(() => publishHours(store, told))
      .catch((error: unknown) => void failures.push(error));
    return publishing;
  }
  async function askForHours(coin: Coin): Promise<void> {
    if (run.isOver) return;
    const known = { closes: new Map(), now: recentPrice(snapshot, coin.id, startedAt) };
    const hours = await lateHours(run, coin, published, { known, rateAt }, startedAt);
    if (hours.length === 0) return;
    running += 1;
    unpublished.set(coin.id, hours);
    if (unpublished.size >= COINS_TOGETHER) void publish();
  }

  const groups = byExchange(coins).map((group) => inTurn(group, published, startedAt));
  await Promise.all(groups.map((group) => atMost(COINS_AT_ONCE, group, askForHours)));
  await publish();
  if (failures.length > 0) throw failures[0];
  return { coins: coins.length, running, ...run.report };
}

/** Those first that the run before had no time for: an exchange that is asked once a second has none for all of them. */
function inTurn(coins: readonly Coin[], published: HoursByDay, now: number): Coin[] {
  const toldAt = ({ id }: Coin) =>
    Math.max(0, ...[...published.values()].map((of) => of.get(id)?.at(-1)?.lastAt ?? 0));
  const isLong = (coin: Coin) => now - toldAt(coin) > SKIPPED_MS;
  return coins.toSorted((a, b) => Number(isLong(b)) - Number(isLong(a)));
}
