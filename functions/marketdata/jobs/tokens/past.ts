import { derive, isoSeconds } from '../../../../shared/marketdata/candles.ts';
import { isFar } from '../../../../shared/marketdata/gate/implausible.ts';
import { UnusableAnswer } from '../../../../shared/marketdata/provider.ts';
import type { ProviderClient } from '../../../../shared/marketdata/provider-client.ts';
import type { TokenHistory } from '../../../../shared/marketdata/sources/token.ts';
import type { StoredCandle } from '../../../../shared/marketdata/store/stored-candle.ts';
import { type Window, windowOf } from '../../../../shared/marketdata/window.ts';
import { atMost } from '../../../../shared/platform/at-most.ts';
import { DAY_MS } from '../../../../shared/platform/time.ts';
import type { HistoryStore } from '../history-store.ts';
import { Lane } from '../lane.ts';
import { type CoinPrice, LEAST_CONFIDENCE } from './gate.ts';
import { PastNote } from './past-note.ts';

interface Options {
  readonly client: ProviderClient<'tokenHistory'>;
  readonly store: Pick<HistoryStore, 'daily' | 'addToCoin' | 'note' | 'putNote'>;
  /** By coin, the first most urgently. */
  readonly prices: ReadonlyMap<string, CoinPrice>;
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

const DAYS = 365;
const COINS_A_REQUEST = 10;
const LANE = { atATime: 2, answerMs: 10_000 } as const;
/** A price that is further from a midnight is that of no day’s end. */
const MAX_DISTANCE_MS = DAY_MS / 4;

/**
 * Stores the year before today of coins whose past nobody was asked for yet, each once, ten to a request, until there is
 * none left, no time, or the source fails. May be ended at any moment. Throws what the store throws.
 */
export async function storePast({ client, store, prices, deadline }: Options): Promise<Past> {
  const note = await PastNote.read(store);
  const lane = new Lane(LANE);
  const left = [...prices.keys()].filter((id) => !note.has(id));
  const batches = Array.from({ length: Math.ceil(left.length / COINS_A_REQUEST) }, (_, index) =>
    left.slice(index * COINS_A_REQUEST, (index + 1) * COINS_A_REQUEST),
  );
  const past: Past = { stored: 0, nothing: 0 };

  /** Those of which nothing is stored that a provider was asked for. */
  async function withoutPast(ids: readonly string[]): Promise<string[]> {
    const known = await atMost(
      COINS_A_REQUEST,
      ids,
      async (id) => (await store.daily(id))?.asked !== undefined,
    );
    for (const [index, id] of ids.entries()) if (known[index]) note.add(id);
    return ids.filter((_id, index) => !known[index]);
  }
  async function storeDays(ids: readonly string[]): Promise<void> {
    const now = Date.now();
    const window = windowOf({ interval: '24h', limit: DAYS, end: isoSeconds(now - (now % DAY_MS)) }, now);
    const tokens = ids.flatMap((id) => prices.get(id)?.token ?? []);
    const request = client.provider.tokenHistory(tokens, window);
    const { data, source } = await lane.fetch((until) => client.fetch(request, until), deadline);
    const byToken = new Map(data.map((history) => [history.token, history]));
    await atMost(COINS_A_REQUEST, ids, async (id) => {
      const price = prices.get(id);
      const candles = price ? daysOf(byToken.get(price.token), price, window, source) : [];
      if (candles.length > 0) {
        await store.addToCoin(id, { '24h': { candles, asked: { from: window.from, to: window.to } } });
        past.stored += 1;
      } else past.nothing += 1;
      note.add(id);
    });
  }

  try {
    const stopped = await lane.each(batches, deadline, async (batch) => {
      const ids = await withoutPast(batch);
      if (ids.length === 0) return;
      await storeDays(ids).catch((error: unknown) => {
        // The next run asks for them again, perhaps beside others.
        if (error instanceof UnusableAnswer) past.nothing += ids.length;
        throw error;
      });
    });
    if (stopped !== undefined) past.stopped = stopped;
  } finally {
    await note.save();
  }
  return past;
}

/** Days of prices at their ends; none if the history is that of something else than what the price now is of. */
function daysOf(
  history: TokenHistory | undefined,
  { price }: CoinPrice,
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
