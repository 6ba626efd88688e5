import type { ProviderClient } from '../../../../shared/marketdata/provider.ts';
import type { Market } from '../../../../shared/marketdata/sources/market.ts';
import type { ExchangeState } from '../../../../shared/marketdata/sources/source-map.ts';
import { isSuddenDrop } from '../../../../shared/platform/is-sudden-drop.ts';
import { messageOf } from '../../../../shared/platform/message-of.ts';
import { count } from '../../../../shared/platform/metrics.ts';
import { elapsedMs } from '../../../../shared/platform/time.ts';
import { fetchQuotes, type Quoted } from '../exchange-quotes.ts';
import { quoteRank } from './coins.ts';

export type ExchangeClient = ProviderClient<'markets' | 'quotes'>;

/** An exchange's data in one run. */
export interface Fetched {
  readonly exchange: string;
  /** All its markets; undefined: not due, or not available. */
  readonly markets: readonly Market[] | undefined;
  /** Undefined: not available. */
  readonly quotes: Quoted['quotes'] | undefined;
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
  const quoted = await fetchQuotes(client, ids, options.deadline, problems);
  const texts = problems.map(messageOf);
  return {
    exchange,
    markets,
    quotes: quoted?.quotes,
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
