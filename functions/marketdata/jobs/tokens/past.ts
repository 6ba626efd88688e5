import { ApiError } from '../../../../shared/http/errors.ts';
import { derive, isoSeconds } from '../../../../shared/marketdata/candles.ts';
import { isFar } from '../../../../shared/marketdata/gate/implausible.ts';
import { UnusableAnswer } from '../../../../shared/marketdata/provider.ts';
import type { ProviderClient } from '../../../../shared/marketdata/provider-client.ts';
import type { TokenHistory } from '../../../../shared/marketdata/sources/token.ts';
import type { StoredCandle } from '../../../../shared/marketdata/store/stored-candle.ts';
import { type Window, windowOf } from '../../../../shared/marketdata/window.ts';
import { atMost } from '../../../../shared/platform/at-most.ts';
import type { HistoryStore } from '../history-store.ts';
import { type Counted, LEAST_CONFIDENCE } from './counted.ts';
import { PastNote } from './past-note.ts';

interface Options {
  readonly client: ProviderClient<'tokenHistory'>;
  readonly store: Pick<HistoryStore, 'daily' | 'addDays' | 'note' | 'putNote'>;
  /** By coin, the first most urgently. */
  readonly counted: ReadonlyMap<string, Counted>;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
}

export interface Past {
  /** Coins whose past was stored by this run. */
  stored: number;
  /** Coins of which there is none that can be used. */
  nothing: number;
  /** Why it ended before all was asked for, if it did. */
  stopped?: string;
}

const DAY_MS = 86_400_000;
const DAYS = 365;
const COINS_A_REQUEST = 10;
const AT_A_TIME = 2;
/** For one more request, and for writing down what came of it. */
const LEAST_TIME_MS = 10_000;
/** A price that is further from a midnight is that of no day’s end. */
const MAX_DISTANCE_MS = DAY_MS / 4;

/**
 * Stores the year before today of coins whose past nobody was asked for yet, each once, ten to a request, until there is
 * none left, no time, or the source fails. May be ended at any moment. Throws what the store throws.
 */
export async function storePast({ client, store, counted, deadline }: Options): Promise<Past> {
  const note = await PastNote.read(store);
  const left = [...counted.keys()].filter((id) => !note.has(id));
  const past: Past = { stored: 0, nothing: 0 };

  async function work(): Promise<void> {
    while (past.stopped === undefined) {
      if (Date.now() > deadline - LEAST_TIME_MS) {
        past.stopped ??= 'the time is over';
        return;
      }
      const ids = await withoutPast(left.splice(0, COINS_A_REQUEST));
      if (ids === undefined) return;
      if (ids.length > 0) await ask(ids);
    }
  }
  /** Those of which nothing is stored that a provider was asked for; undefined: there were none to look at. */
  async function withoutPast(ids: readonly string[]): Promise<string[] | undefined> {
    if (ids.length === 0) return undefined;
    const known = await atMost(
      COINS_A_REQUEST,
      ids,
      async (id) => (await store.daily(id))?.asked !== undefined,
    );
    for (const [index, id] of ids.entries()) if (known[index]) note.add(id);
    return ids.filter((_id, index) => !known[index]);
  }
  async function ask(ids: readonly string[]): Promise<void> {
    const now = Date.now();
    const window = windowOf({ interval: '24h', limit: DAYS, end: isoSeconds(now - (now % DAY_MS)) }, now);
    const tokens = ids.flatMap((id) => counted.get(id)?.token ?? []);
    try {
      const request = client.provider.tokenHistory(tokens, window);
      const { data, source } = await client.fetch(request, Math.min(deadline, now + LEAST_TIME_MS));
      const byToken = new Map(data.map((history) => [history.token, history]));
      await atMost(COINS_A_REQUEST, ids, async (id) => {
        const price = counted.get(id);
        const candles = price ? daysOf(byToken.get(price.token), price, window, source) : [];
        if (candles.length > 0) {
          await store.addDays(id, { candles, asked: { from: window.from, to: window.to } });
          past.stored += 1;
        } else past.nothing += 1;
        note.add(id);
      });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // The next run asks for them again, perhaps beside others.
      if (error instanceof UnusableAnswer) past.nothing += ids.length;
      else past.stopped ??= error.message;
    }
  }

  const ends = await Promise.allSettled(Array.from({ length: AT_A_TIME }, work));
  await note.save();
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return past;
}

/** Days of prices at their ends; none if the history is that of something else than what the price now is of. */
function daysOf(
  history: TokenHistory | undefined,
  { price }: Counted,
  window: Window,
  source: string,
): StoredCandle[] {
  const last = history?.prices.at(-1);
  if (!history || !last || history.confidence < LEAST_CONFIDENCE || isFar(price, last.price)) return [];
  const ends = new Map<number, number>();
  for (const { at, price: close } of history.prices) {
    const midnight = Math.round(at / DAY_MS) * DAY_MS;
    const opensAt = midnight - DAY_MS;
    const isEnd = Math.abs(at - midnight) <= MAX_DISTANCE_MS;
    if (isEnd && opensAt >= window.from && opensAt < window.to) ends.set(opensAt, close);
  }
  const points = [...ends].map(([opensAt, close]) => ({
    timestamp: isoSeconds(opensAt),
    price: close,
    volume_24h: null,
    market_cap: null,
  }));
  return derive(points, window).map(({ time_open, time_close: _, ...candle }) => {
    const opensAt = Date.parse(time_open);
    return { ...candle, opensAt, lastAt: opensAt + DAY_MS, samples: 0, quality: 'derived', source };
  });
}
