import type { SourceMap, SourceState } from '../../../../shared/marketdata/sources/source-map.ts';
import { count, recordValue } from '../../../../shared/platform/metrics.ts';
import type { StoredObject } from '../../../../shared/platform/objects.ts';
import { ConditionFailed } from '../../../../shared/platform/publish-object.ts';
import { symbolKey } from '../../../../shared/registry/fold.ts';
import type { SourcesStore } from '../sources-store.ts';
import { type Answered, ask, type ExchangeClient } from './ask.ts';
import { nextState } from './next-state.ts';
import { mapOf, quotesOf } from './published.ts';
import { seenIn } from './seen-snapshot.ts';

export interface RunOptions {
  readonly store: SourcesStore;
  /** The preferred one first. */
  readonly exchanges: readonly ExchangeClient[];
  /** The published snapshot; undefined: there is none. */
  readonly snapshot: () => Promise<StoredObject | undefined>;
  /** False of a coin that is known to be traded no more. */
  readonly isActive: (id: string) => boolean;
  /** For all answers, in milliseconds since the epoch. */
  readonly deadline: number;
}

export interface AboutExchange {
  /** Markets that told a price. */
  readonly told: number;
  readonly mapped: number;
  readonly problem?: string | undefined;
}

export interface Found {
  /** Coins that have a market. */
  readonly coins: number;
  /** By exchange. */
  readonly exchanges: Readonly<Record<string, AboutExchange>>;
  /** Some of the markets that lost their coin in this run, with it and why. */
  readonly dropped: readonly string[];
  /** Why nothing was compared or published, if so. */
  readonly note?: string;
}

const NAMED = 20;

/**
 * Asks all exchanges and publishes which market is which coin, and what they say. What is there is read before anybody
 * is asked, and replaced only if it is still there: of two runs at once the slower one is lost. Throws what the store
 * throws.
 */
export async function findMarkets(options: RunOptions): Promise<Found> {
  const { store, exchanges, isActive, deadline } = options;
  const now = Date.now();
  const [before, quotesBefore] = await Promise.all([store.publishedMap(), store.publishedQuotes()]);
  const previous = before.content?.state;
  // After the map, so that it never is older than the one that the map was made with.
  const seen = seenIn(await options.snapshot(), now, isActive);
  const symbols = new Set(seen?.coins.map(({ symbol }) => symbolKey(symbol)));
  const answers = await Promise.all(
    exchanges.map((client) => {
      const known = previous?.exchanges.find(({ exchange }) => exchange === client.provider.name);
      const isSymbol = (symbol: string) => symbols.has(symbolKey(symbol));
      return ask(client, { known, isSymbol, now, deadline });
    }),
  );
  const state = nextState(previous, { told: answers, snapshot: seen?.comparable, now });
  const coins = mapOf(state);
  const quotes = quotesOf({ coins, state }, answers, now);
  const dropped = previous ? droppedIn(state, now) : [];
  const found = { ...foundIn(coins, answers), dropped: dropped.slice(0, NAMED) };
  try {
    await store.publishMap({ coins, state, at: now }, before.etag);
    await store.publishQuotes(quotes, quotesBefore.etag);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    return { ...found, note: 'Not all published: another run was quicker' };
  }
  recordValue(
    'MarketsMapped',
    Object.values(found.exchanges).reduce((sum, { mapped }) => sum + mapped, 0),
  );
  if (dropped.length > 0) count('MarketsDropped', dropped.length);
  const note = seen?.comparable ? {} : { note: 'Nothing was compared: there is no snapshot of now' };
  return { ...found, ...note };
}

function foundIn(coins: SourceMap['coins'], answers: readonly Answered[]): Omit<Found, 'dropped'> {
  const mapped = [...coins.values()].flat();
  const exchanges = Object.fromEntries(
    answers.map(({ exchange, quotes, problem }): [string, AboutExchange] => [
      exchange,
      {
        told: quotes?.length ?? 0,
        mapped: mapped.filter((one) => one.exchange === exchange).length,
        ...(problem !== undefined && { problem }),
      },
    ]),
  );
  return { coins: coins.size, exchanges };
}

function droppedIn({ exchanges }: SourceState, now: number): string[] {
  return exchanges.flatMap(({ exchange, markets }) =>
    markets.flatMap(({ market, lost }) =>
      lost?.at === now ? [`${exchange} ${market}: ${lost.coin} (${lost.why})`] : [],
    ),
  );
}
