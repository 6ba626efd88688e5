import { derive } from '../../../../shared/marketdata/candles.ts';
import { isFar } from '../../../../shared/marketdata/gate/bounds.ts';
import type { ProviderClient } from '../../../../shared/marketdata/provider.ts';
import { UnusableAnswer } from '../../../../shared/marketdata/provider.ts';
import {
  batchesOf,
  type CoinTokens,
  type TokenHistory,
} from '../../../../shared/marketdata/sources/token.ts';
import type { StoredCandle } from '../../../../shared/marketdata/store/stored-candle.ts';
import { type Window, windowOf } from '../../../../shared/marketdata/window.ts';
import { DAY_MS, isoSeconds } from '../../../../shared/platform/time.ts';
import { atMost } from '../../../../shared/platform/waiting.ts';
import type { HistoryStore } from '../history-store.ts';
import { Lane } from '../lane.ts';
import { LEAST_CONFIDENCE } from '../tokens/gate.ts';
import type { Progress } from './progress.ts';

/** A coin of the tail with its published price in USD. */
interface PricedCoin extends CoinTokens {
  readonly price: number;
}

interface Options {
  /** Undefined if no source of token prices is enabled. */
  readonly client: ProviderClient<'tokenHistory'> | undefined;
  readonly store: Pick<HistoryStore, 'daily' | 'addToCoin'>;
  readonly progress: Progress;
  /** The coins by rank. */
  readonly coins: readonly PricedCoin[];
  /** Milliseconds since the epoch. */
  readonly deadline: number;
}

export interface FromTokens {
  stored: number;
  /** Coins without usable history. */
  nothing: number;
  /** Why it ended early, if it did. */
  stopped?: string;
}

const DAYS = 365;
const TOKENS_A_REQUEST = 10;
const LANE = { atATime: 2, answerMs: 10_000 } as const;
/** A price further from midnight is not the day's close. */
const MAX_DISTANCE_MS = DAY_MS / 4;

/**
 * Stores the year before today of coins without history, each once and several in a request, until none is left, the time is
 * over, or the source fails. Throws what the store throws.
 */
export async function storeFromTokens({
  client,
  store,
  progress,
  coins,
  deadline,
}: Options): Promise<FromTokens> {
  const past: FromTokens = { stored: 0, nothing: 0 };
  if (!client) return past;
  const lane = new Lane(LANE);
  const source = client;

  /** Coins without stored candles from a provider. */
  async function withoutPast(batch: readonly PricedCoin[]): Promise<PricedCoin[]> {
    const known = await atMost(TOKENS_A_REQUEST, batch, async ({ id }) => (await store.daily(id)).coverage);
    for (const [index, { id }] of batch.entries()) {
      const coverage = known[index];
      if (coverage) await progress.note('tokens', id, coverage.to);
    }
    return batch.filter((_coin, index) => !known[index]);
  }

  async function storeDays(batch: readonly PricedCoin[]): Promise<void> {
    const now = Date.now();
    const window = windowOf({ interval: '24h', limit: DAYS, end: isoSeconds(now - (now % DAY_MS)) }, now);
    const request = source.provider.tokenHistory(
      batch.flatMap(({ tokens }) => tokens),
      window,
    );
    const answer = await lane.fetch((until) => source.fetch(request, until), deadline);
    const byToken = new Map(answer.data.map((history) => [history.token, history]));
    await atMost(TOKENS_A_REQUEST, batch, async ({ id, tokens, price }) => {
      const histories = tokens.flatMap((token) => byToken.get(token) ?? []);
      const candles = daysOf(histories, price, window, answer.source);
      if (candles.length > 0) {
        await store.addToCoin(id, { '24h': { candles, coverage: { from: window.from, to: window.to } } });
        past.stored += 1;
      } else past.nothing += 1;
      await progress.note('tokens', id, candles.length > 0 ? window.to : 'nothing');
    });
  }

  const left = coins.filter(({ id }) => !progress.notes.tokens.has(id));
  const stopped = await lane.each(batchesOf(left, TOKENS_A_REQUEST), deadline, async (batch) => {
    const unknown = await withoutPast(batch);
    if (unknown.length === 0) return;
    await storeDays(unknown).catch((error: unknown) => {
      // The next run fetches them again, perhaps with others.
      if (error instanceof UnusableAnswer) past.nothing += unknown.length;
      throw error;
    });
  });
  return stopped === undefined ? past : { ...past, stopped };
}

/**
 * Daily prices of the token with the longest history whose last price is close to the coin's; any other token is something
 * else. Empty without such a token.
 */
function daysOf(
  histories: readonly TokenHistory[],
  price: number,
  window: Window,
  source: string,
): StoredCandle[] {
  const usable = histories.filter(({ confidence, prices }) => {
    const last = prices.at(-1);
    return last !== undefined && confidence >= LEAST_CONFIDENCE && !isFar(price, last.price);
  });
  const [longest] = usable.toSorted((a, b) => b.prices.length - a.prices.length);
  const ends = new Map<number, number>();
  for (const { at, price: close } of longest?.prices ?? []) {
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
    const made = {
      lastAt: opensAt + DAY_MS,
      isSettled: true,
      samples: 0,
      quality: 'derived',
      source,
    } as const;
    return { ...candle, volume_24h: null, opensAt, ...made };
  });
}
