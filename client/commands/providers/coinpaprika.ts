import { ApiFailure, type MarketdataSearchData } from '../../sdk/index.ts';
import type { Api } from '../api.ts';
import type { Coin, Provider } from '../provider.ts';
import { isFarBetter, isWellKnown, placeOf } from '../rank.ts';

/** Exact matches come first, those of a symbol and of a name together by rank. */
const ENOUGH_MATCHES = 10;
const MOST_SUGGESTIONS = 3;

type Entry = MarketdataSearchData['results'][number];

/** CoinPaprika, behind the `marketdata` routes. */
export const coinPaprika: Provider = {
  label: 'CoinPaprika',
  // As the note has always said it; the plan's documents of 2026 say 20,000.
  freeRequestsPerMonth: 25_000,

  // Nearly every id has a hyphen and nearly no symbol, but both exceptions exist: `mobilecoin` is an id.
  async find(api, text) {
    if (/^\.{1,2}$/.test(text)) return undefined; // a URL cannot carry it: dots in a path are steps, encoded or not
    const id = text.includes('-') ? await byId(api, text) : undefined;
    if (id) return id;
    const coin = await bySymbol(api, text);
    if (coin) return isWellKnown(coin) ? { ...coin, alternatives: 0 } : await likelier(api, text, coin);
    return (text.includes('-') ? undefined : await byId(api, text)) ?? (await named(api, text));
  },
  findNamed: named,
  async similar(api, text) {
    const entries = (await matchesOf(api, text)).filter(({ is_active, rank }) => is_active && rank > 0);
    return await Promise.all(
      entries.slice(0, MOST_SUGGESTIONS).map(async (entry) => {
        const isOfSymbol = isWellKnown(entry) && (await bySymbol(api, entry.symbol))?.id === entry.id;
        return { name: entry.name, typed: isOfSymbol ? entry.symbol : entry.id };
      }),
    );
  },
  chart: (api, id, range) => api.ohlcv({ id, ...range }),
  search: (api, query, limit) => api.search({ q: query, limit }),
};

async function bySymbol(api: Api, symbol: string): Promise<Coin | undefined> {
  const answer = await orNotFound(api.resolve({ symbol }));
  if (!answer) return undefined;
  const { id, name, symbol: spelling, rank, alternatives } = answer.data;
  return { id, name, symbol: spelling, rank, foundBy: 'symbol', alternatives, isActive: true };
}

async function byId(api: Api, id: string): Promise<Coin | undefined> {
  const answer = await orNotFound(api.coin({ id }));
  return answer && coinOf(answer.data, 'id');
}

function coinOf({ id, name, symbol, rank, is_active: isActive }: Entry, foundBy: 'id' | 'name'): Coin {
  return { id, name, symbol, rank, foundBy, alternatives: 0, isActive };
}

async function named(api: Api, name: string): Promise<Coin | undefined> {
  const entry = entryNamed(name, await matchesOf(api, name));
  return entry && coinOf(entry, 'name');
}

/** The coin that has the text as its symbol, unless a far better known one has it as its name: `Bitcoin`. */
async function likelier(api: Api, text: string, coin: Coin): Promise<Coin> {
  const matches = await matchesOf(api, text);
  const entry = entryNamed(text, matches);
  if (entry && isFarBetter(entry, coin)) {
    return { ...coinOf(entry, 'name'), alternatives: coin.alternatives + 1 };
  }
  const next = bestOf(matches.filter(hasSymbol(text)).filter(({ id }) => id !== coin.id));
  return next && !isFarBetter(coin, next) ? coin : { ...coin, alternatives: 0 };
}

function hasSymbol(symbol: string) {
  return (entry: Entry) => folded(entry.symbol) === folded(symbol);
}

/** The best known entry with that name. Words may be joined by hyphens: `ethereum-classic`. */
function entryNamed(name: string, entries: readonly Entry[]): Entry | undefined {
  return bestOf(entries.filter((entry) => folded(entry.name) === folded(name)));
}

/** Of the active, ranked ones. */
function bestOf(entries: readonly Entry[]): Entry | undefined {
  const [best] = entries
    .filter(({ is_active, rank }) => is_active && rank > 0)
    .sort((one, other) => placeOf(one) - placeOf(other));
  return best;
}

function folded(text: string): string {
  return text
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ')
    .trim();
}

async function matchesOf(api: Api, query: string): Promise<readonly Entry[]> {
  const answer = await orNotFound(api.search({ q: query, limit: ENOUGH_MATCHES }));
  return answer?.data.results ?? [];
}

async function orNotFound<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 404 && error.isAnswer) return undefined;
    throw error;
  }
}
