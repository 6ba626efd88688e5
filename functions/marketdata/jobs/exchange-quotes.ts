/** The last prices of an exchange's markets. */
import { ApiError } from '../../../shared/http/errors.ts';
import { type ProviderClient, UnusableAnswer } from '../../../shared/marketdata/provider.ts';
import type { MarketQuote } from '../../../shared/marketdata/sources/market.ts';
import { Lane } from './lane.ts';

export type QuotesClient = ProviderClient<'quotes'>;

export interface Quoted {
  readonly quotes: readonly MarketQuote[];
  /** When the exchange made its oldest response, in milliseconds since the epoch. */
  readonly madeAt: number;
  /** The exchange's name, or `simulated`. */
  readonly source: string;
}

/** A turn comes late while another job of the same source has many requests. */
const LANE = { atATime: 4, answerMs: 15_000 } as const;

/** Makes as many requests as necessary; undefined if there are no quotes. Adds failures to `problems`. */
export async function fetchQuotes(
  client: QuotesClient,
  ids: readonly string[],
  deadline: number,
  problems: unknown[],
): Promise<Quoted | undefined> {
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
  client: QuotesClient,
  ids: readonly string[],
  options: { readonly size: number; readonly deadline: number; readonly problems: unknown[] },
): Promise<Quoted | undefined> {
  const { size, deadline, problems } = options;
  const parts = Array.from({ length: Math.ceil(ids.length / size) }, (_, part) =>
    ids.slice(part * size, (part + 1) * size),
  );
  const lane = new Lane(LANE);
  const quotes: MarketQuote[] = [];
  let madeAt = Number.POSITIVE_INFINITY;
  let source: string = client.provider.name;
  await lane.each(parts, deadline, async (part) => {
    try {
      const request = client.provider.quotes(part);
      const received = await lane.fetch((until) => client.fetch(request, until), deadline);
      quotes.push(...received.data);
      madeAt = Math.min(madeAt, received.madeAt);
      source = received.source;
    } catch (error) {
      problems.push(error);
      throw error;
    }
  });
  return quotes.length > 0 ? { quotes, madeAt, source } : undefined;
}
