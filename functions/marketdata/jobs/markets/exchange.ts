import { ApiError } from '../../../../shared/http/errors.ts';
import type { ProviderClient } from '../../../../shared/marketdata/provider.ts';
import { UnusableAnswer } from '../../../../shared/marketdata/provider.ts';
import type { Market, MarketQuote } from '../../../../shared/marketdata/sources/market.ts';
import type { ExchangeState } from '../../../../shared/marketdata/sources/source-map.ts';
import { isSuddenDrop } from '../../../../shared/platform/is-sudden-drop.ts';
import { messageOf } from '../../../../shared/platform/message-of.ts';
import { count } from '../../../../shared/platform/metrics.ts';
import { elapsedMs } from '../../../../shared/platform/time.ts';
import { Lane } from '../lane.ts';
import { quoteRank } from './coins.ts';

export type ExchangeClient = ProviderClient<'markets' | 'quotes'>;

/** An exchange's data in one run. */
export interface Fetched {
  readonly exchange: string;
  /** All its markets; undefined: not due, or not available. */
  readonly markets: readonly Market[] | undefined;
  /** Undefined: not available. */
  readonly quotes: readonly MarketQuote[] | undefined;
  /** The problem in words. */
  readonly problem?: string | undefined;
}

export interface FetchOptions {
  /** Its state after the last run. */
  readonly known: ExchangeState | undefined;
  /** Which of its markets may trade a coin of the snapshot. */
  readonly candidates: (markets: readonly Market[]) => (market: Market) => boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The deadline of all requests, in milliseconds since the epoch. */
  readonly deadline: number;
}

const LISTED_FOR_MS = 3_600_000;
/** After this time a much shorter list is accepted as the exchange's real one. */
const COMPARED_FOR_MS = 24 * LISTED_FOR_MS;
const LANE = { atATime: 4, answerMs: 10_000 } as const;

/**
 * Fetches an exchange's markets, once an hour, and their last prices. Never throws, so that other exchanges are not affected.
 */
export async function fetchExchange(client: ExchangeClient, options: FetchOptions): Promise<Fetched> {
  const exchange = client.provider.name;
  const { known, now } = options;
  const problems: unknown[] = [];
  const note = (error: unknown) => {
    problems.push(error);
    return undefined;
  };
  const isListed = known !== undefined && elapsedMs(known.listedAt, now) < LISTED_FOR_MS;
  const markets = isListed ? undefined : await fetchList(client, options).catch(note);
  const ids = idsOf(markets ?? known?.markets.map((one) => ({ ...one, id: one.market })) ?? [], options);
  const quotes = await fetchQuotes(client, ids, options.deadline, problems);
  const texts = problems.map(messageOf);
  return {
    exchange,
    markets,
    quotes,
    problem: texts.length > 0 ? [...new Set(texts)].join('; ') : undefined,
  };
}

async function fetchList(
  client: ExchangeClient,
  { known, now, deadline }: FetchOptions,
): Promise<readonly Market[]> {
  const { data } = await client.fetch(client.provider.markets(), deadline);
  const isCompared = known !== undefined && elapsedMs(known.listedAt, now) < COMPARED_FOR_MS;
  if (isCompared && isSuddenDrop(data.length, known.listed)) {
    count('SourceRefused');
    throw new Error(`a list of ${data.length} markets after one of ${known.listed}`);
  }
  return data;
}

/** The open markets that may trade a coin of the snapshot, mapped ones first, then those closest to USD. */
function idsOf(markets: readonly Market[], { known, candidates }: FetchOptions): string[] {
  const mapped = new Set(known?.markets.flatMap(({ market, mapped: coin }) => (coin ? [market] : [])));
  const isCandidate = candidates(markets);
  const rankOf = ({ id, quote }: Market) => (mapped.has(id) ? -1 : quoteRank(quote));
  return markets
    .filter((market) => {
      const { id, quote, isOpen } = market;
      return isOpen && quoteRank(quote) >= 0 && (mapped.has(id) || isCandidate(market));
    })
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .map(({ id }) => id);
}

/** Makes as many requests as necessary; undefined if there are no quotes. Adds failures to `problems`. */
async function fetchQuotes(
  client: ExchangeClient,
  ids: readonly string[],
  deadline: number,
  problems: unknown[],
): Promise<readonly MarketQuote[] | undefined> {
  if (ids.length === 0) return undefined;
  const { provider } = client;
  const { quotes: perRequest = 1 } = provider.limits;
  const fetchParts = (size: number) => fetchInParts(client, ids, { size, deadline, problems });
  if (perRequest !== 'all') return fetchParts(perRequest);
  const failed = problems.length;
  const all = await fetchParts(ids.length);
  const isGone = problems
    .slice(failed)
    .some(
      (error) => error instanceof UnusableAnswer || (error instanceof ApiError && error.statusCode === 404),
    );
  // Some exchanges have another path for a single market, which keeps working.
  const hasOther = () => provider.quotes(ids.slice(0, 1)).path !== provider.quotes(ids).path;
  return isGone && hasOther() ? fetchParts(1) : all;
}

async function fetchInParts(
  client: ExchangeClient,
  ids: readonly string[],
  options: { readonly size: number; readonly deadline: number; readonly problems: unknown[] },
): Promise<readonly MarketQuote[] | undefined> {
  const { size, deadline, problems } = options;
  const parts = Array.from({ length: Math.ceil(ids.length / size) }, (_, part) =>
    ids.slice(part * size, (part + 1) * size),
  );
  const lane = new Lane(LANE);
  const quotes: MarketQuote[] = [];
  await lane.each(parts, deadline, async (part) => {
    try {
      const request = client.provider.quotes(part);
      quotes.push(...(await lane.fetch((until) => client.fetch(request, until), deadline)).data);
    } catch (error) {
      problems.push(error);
      throw error;
    }
  });
  return quotes.length > 0 ? quotes : undefined;
}
