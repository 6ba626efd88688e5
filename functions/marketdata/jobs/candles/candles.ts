import type { SourceMap } from '../../../../shared/marketdata/sources/source-map.ts';
import type { Snapshot } from '../../../../shared/marketdata/store/snapshot.ts';
import type { StoredCandle } from '../../../../shared/marketdata/store/stored-candle.ts';
import { atMost } from '../../../../shared/platform/waiting.ts';
import type { HistoryStore } from '../history-store.ts';
import { priceIn } from '../opened.ts';
import { CURRENT_MS } from './batch.ts';
import { ratesFrom } from './rates.ts';
import { byExchange, type Coin, type ExchangeClient, type Report, Run, tradedCoins } from './run.ts';
import { type HoursByDay, hoursOf, lateHours, publishedHours, publishHours } from './running-hours.ts';

export interface CandlesOptions {
  readonly store: Pick<HistoryStore, 'exact' | 'putExact'>;
  readonly map: SourceMap;
  /** The enabled exchanges. */
  readonly clients: readonly ExchangeClient[];
  readonly snapshot: Snapshot | undefined;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

export interface Candles extends Report {
  readonly coins: number;
  /** Coins that had hours of the running day published. */
  readonly running: number;
}

/** The time for requests, of the function's 210 s: the last one ends before this. */
const TIME_MS = 165_000;
const COINS_AT_ONCE = 2;
/** Hours are published once this many coins have new ones, so that they do not wait for the slowest exchange. */
const COINS_TOGETHER = 100;
/** A coin that was updated longer ago than this was skipped by the last run. */
const SKIPPED_MS = 12 * 60_000;

/**
 * Publishes the hours of the running day until all are published or the time is over. Each exchange is queried at its own pace
 * and does not wait for the others. Safe to abort at any moment and to run twice at once. Store errors are thrown after all
 * other work is done.
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
  const rateAt = ratesFrom((id) => ({ days: [], hours: hoursOf(published, id) }), { snapshot }, startedAt);
  const failures: unknown[] = [];
  let running = 0;
  let unpublished = new Map<string, readonly StoredCandle[]>();
  let publishing = Promise.resolve();

  /** Publishes what was fetched since the last time, after the publication in progress. Never throws: a failure is recorded. */
  function publish(): Promise<void> {
    const fetched = unpublished;
    unpublished = new Map();
    publishing = publishing
      .then(() => publishHours(store, fetched))
      .catch((error: unknown) => void failures.push(error));
    return publishing;
  }
  async function fetchHours(coin: Coin): Promise<void> {
    if (run.isOver) return;
    const known = { closes: new Map(), now: priceIn({ snapshot }, coin.id, CURRENT_MS, startedAt) };
    const hours = await lateHours(run, coin, published, { known, rateAt }, startedAt);
    if (hours.length === 0) return;
    running += 1;
    unpublished.set(coin.id, hours);
    if (unpublished.size >= COINS_TOGETHER) void publish();
  }

  const groups = byExchange(coins).map((group) => inTurn(group, published, startedAt));
  await Promise.all(groups.map((group) => atMost(COINS_AT_ONCE, group, fetchHours)));
  await publish();
  if (failures.length > 0) throw failures[0];
  return { coins: coins.length, running, ...run.report };
}

/**
 * Starts with the coins that the last run had no time for: an exchange with one request a second cannot serve all coins in one
 * run.
 */
function inTurn(coins: readonly Coin[], published: HoursByDay, now: number): Coin[] {
  const fetchedAt = ({ id }: Coin) =>
    Math.max(0, ...[...published.values()].map((of) => of.get(id)?.at(-1)?.lastAt ?? 0));
  const isLong = (coin: Coin) => now - fetchedAt(coin) > SKIPPED_MS;
  return coins.toSorted((a, b) => Number(isLong(b)) - Number(isLong(a)));
}
