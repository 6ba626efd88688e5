import { ApiError } from '../../../../shared/http/errors.ts';
import { UnusableAnswer } from '../../../../shared/marketdata/provider.ts';
import type { ProviderClient } from '../../../../shared/marketdata/provider-client.ts';
import type { Market, MarketQuote } from '../../../../shared/marketdata/sources/market.ts';
import type { ExchangeState } from '../../../../shared/marketdata/sources/source-map.ts';
import { isSuddenDrop } from '../../../../shared/platform/is-sudden-drop.ts';
import { count } from '../../../../shared/platform/metrics.ts';
import { QUOTES } from './rates.ts';
import type { Told } from './seen.ts';

export type ExchangeClient = ProviderClient<'markets' | 'quotes'>;

export interface Wanted {
  /** As the run before has left it. */
  readonly known: ExchangeState | undefined;
  /** Whether a coin of the snapshot has this symbol. */
  readonly isSymbol: (symbol: string) => boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The same. */
  readonly deadline: number;
}

export interface Answered extends Told {
  /** What was wrong, in words; undefined: nothing. */
  readonly problem: string | undefined;
}

const LISTED_FOR_MS = 3_600_000;
/** By then a much shorter list is what the exchange has left. */
const COMPARED_FOR_MS = 24 * LISTED_FOR_MS;
const WORKERS = 4;
const FAILURES_IN_A_ROW = 3;
const byQuote: readonly string[] = QUOTES;

/** Asks one exchange for its markets, once an hour, and for their last prices. Never throws: others are asked as well. */
export async function ask(client: ExchangeClient, wanted: Wanted): Promise<Answered> {
  const exchange = client.provider.name;
  const problems: unknown[] = [];
  const noted = (error: unknown) => {
    problems.push(error);
    return undefined;
  };
  const markets = isListed(wanted) ? undefined : await listOf(client, wanted).catch(noted);
  const ids = wantedIds(markets ?? (wanted.known?.markets ?? []).map(asMarket), wanted);
  const quotes = ids.length === 0 ? undefined : await quotesOf(client, ids, wanted, noted).catch(noted);
  const problem = problems.length === 0 ? undefined : [...new Set(problems.map(inWords))].join('; ');
  return { exchange, markets, quotes, problem };
}

function isListed({ known, now }: Wanted): boolean {
  return known !== undefined && Math.abs(now - known.listedAt) < LISTED_FOR_MS;
}

async function listOf(client: ExchangeClient, { known, now, deadline }: Wanted): Promise<readonly Market[]> {
  const { data } = await client.fetch(client.provider.markets(), deadline);
  const isCompared = known !== undefined && Math.abs(now - known.listedAt) < COMPARED_FOR_MS;
  if (isCompared && isSuddenDrop(data.length, known.listed)) {
    count('SourceRefused');
    throw new Error(`a list of ${data.length} markets, where it had ${known.listed}`);
  }
  return data;
}

function asMarket({ market, base, quote, isOpen }: ExchangeState['markets'][number]): Market {
  return { id: market, base, quote, isOpen };
}

/** The open markets that may trade a coin of the snapshot; those that are known to do so first, then those nearest to USD. */
function wantedIds(markets: readonly Market[], { known, isSymbol }: Wanted): string[] {
  const mapped = new Set(known?.markets.flatMap(({ market, mapped: coin }) => (coin ? [market] : [])));
  const rankOf = ({ id, quote }: Market) => (mapped.has(id) ? -1 : byQuote.indexOf(quote));
  return markets
    .filter(({ id, base, quote, isOpen }) => {
      return isOpen && byQuote.includes(quote) && (mapped.has(id) || isSymbol(base));
    })
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .map(({ id }) => id);
}

/** In as many requests as it takes; what is missing at the deadline says nothing. */
async function quotesOf(
  client: ExchangeClient,
  ids: readonly string[],
  { deadline }: Wanted,
  noted: (error: unknown) => undefined,
): Promise<readonly MarketQuote[] | undefined> {
  const { provider } = client;
  const { quotes: perRequest = 1 } = provider.limits;
  if (perRequest !== 'all') return inParts(client, partsOf(ids, perRequest), deadline, noted);
  try {
    return (await client.fetch(provider.quotes(ids), deadline)).data;
  } catch (error) {
    const isGone = error instanceof UnusableAnswer || (error instanceof ApiError && error.statusCode === 404);
    const [first = ''] = ids;
    // Some have another path for one market alone, which lasts longer.
    const hasOther = provider.quotes([first]).path !== provider.quotes(ids).path;
    if (!isGone || !hasOther) throw error;
    noted(error);
    return inParts(client, partsOf(ids, 1), deadline, noted);
  }
}

async function inParts(
  client: ExchangeClient,
  parts: readonly (readonly string[])[],
  deadline: number,
  noted: (error: unknown) => undefined,
): Promise<readonly MarketQuote[] | undefined> {
  const left = parts.values();
  const told: MarketQuote[] = [];
  let failuresInARow = 0;
  const work = async () => {
    for (const part of left) {
      if (failuresInARow >= FAILURES_IN_A_ROW || Date.now() >= deadline) return;
      try {
        told.push(...(await client.fetch(client.provider.quotes(part), deadline)).data);
        failuresInARow = 0;
      } catch (error) {
        const isUnknown = error instanceof ApiError && error.statusCode === 404;
        if (!isUnknown) failuresInARow += 1;
        if (error instanceof ApiError && error.statusCode === 429) failuresInARow = FAILURES_IN_A_ROW;
        noted(error);
      }
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  return told.length > 0 ? told : undefined;
}

function partsOf(ids: readonly string[], size: number): string[][] {
  return Array.from({ length: Math.ceil(ids.length / size) }, (_, part) =>
    ids.slice(part * size, (part + 1) * size),
  );
}

function inWords(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
