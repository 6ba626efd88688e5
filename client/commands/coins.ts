import { ApiFailure } from '../sdk/failure.ts';
import type { MarketdataResolveData } from '../sdk/index.ts';
import { clean, commandSpan, type Line, span } from './format/text.ts';
import { quoted } from './parse/words.ts';
import type { Api } from './provenance.ts';

/** The coin that a symbol, id, name or number of the last search stands for. */
export interface Coin {
  readonly id: string;
  readonly name: string;
  readonly symbol: string;
  /** 0 if it is unranked; undefined if unknown. */
  readonly rank?: number | undefined;
  /** Undefined if unknown. */
  readonly foundBy?: MarketdataResolveData['foundBy'] | undefined;
  /** The coin as which this one continues. */
  readonly successor?: MarketdataResolveData['successor'];
  /** The coin whose symbol was typed, if this one is what it continued as. */
  readonly predecessor?: MarketdataResolveData['predecessor'];
  /** Other active coins with the typed text as their symbol that may be meant. */
  readonly alternatives: number;
  readonly isActive: boolean;
  /** Its number in the last search's list, if the user typed that. */
  readonly listNumber?: number | undefined;
}

export interface SimilarCoin {
  readonly name: string;
  /** The symbol or id with which a command finds it. */
  readonly typed: string;
}

/** Up to this rank, a symbol means the coin, whatever else has that name. */
const WELL_KNOWN = 100;
/** Longer names are rare. */
const MOST_WORDS = 5;
const ENOUGH_MATCHES = 10;
const MOST_SUGGESTIONS = 3;

/** The coin with a symbol, id or name; undefined if there is none. Rejects as the client does. */
export async function findCoin(api: Api, text: string): Promise<Coin | undefined> {
  if (/^\.{1,2}$/.test(text)) return undefined; // a URL cannot carry it: dots in a path are steps, encoded or not
  const response = await orNotFound(api.resolve({ symbol: text }));
  if (!response) return undefined;
  const { id, name, symbol, rank, foundBy, is_active: isActive, isAmbiguous, alternatives } = response.data;
  const { successor, predecessor } = response.data;
  return {
    ...{ id, name, symbol, rank, foundBy, isActive, alternatives: isAmbiguous ? alternatives : 0 },
    ...(successor && { successor }),
    ...(predecessor && { predecessor }),
  };
}

/**
 * The coin whose name is all words of a command together, such as `wrapped bitcoin`; undefined if each word is a coin
 * of its own. `found` has the coin of each word. Rejects as the client does.
 */
export async function namedTogether(
  words: readonly string[],
  found: readonly (Coin | undefined)[],
  api: Api,
): Promise<Coin | undefined> {
  if (words.length < 2 || words.length > MOST_WORDS || found.every(isPlain)) return undefined;
  const coin = await findCoin(api, words.join(' '));
  return coin && found.some((word) => placeOf(coin) < placeOf(word)) ? coin : undefined;
}

/** At most three coins that an unknown text may mean, the likeliest first. Rejects as the client does. */
export async function similarCoins(api: Api, text: string): Promise<readonly SimilarCoin[]> {
  const response = await orNotFound(api.search({ q: text, limit: ENOUGH_MATCHES }));
  const entries = (response?.data.results ?? []).filter(isTraded);
  return await Promise.all(
    entries.slice(0, MOST_SUGGESTIONS).map(async ({ id, name, symbol, rank }) => {
      const isOfSymbol = rank <= WELL_KNOWN && (await findCoin(api, symbol))?.id === id;
      return { name, typed: isOfSymbol ? symbol : id };
    }),
  );
}

/** Whether a match is active and ranked: others are rarely meant. */
export function isTraded({
  is_active,
  rank,
}: {
  readonly is_active: boolean;
  readonly rank: number;
}): boolean {
  return is_active && rank > 0;
}

function isPlain(coin: Coin | undefined): boolean {
  return coin?.foundBy === 'id' || (coin?.foundBy === 'symbol' && placeOf(coin) <= WELL_KNOWN);
}

/** The rank; unranked coins come last. */
function placeOf(coin: Coin | undefined): number {
  return coin?.rank || Number.POSITIVE_INFINITY;
}

async function orNotFound<T>(response: Promise<T>): Promise<T | undefined> {
  try {
    return await response;
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 404 && error.isAnswer) return undefined;
    throw error;
  }
}

/** The coins of the last search, numbered from 1. */
export interface LastSearch {
  /** Replaces the ids with those of a new list. */
  remember(ids: readonly string[]): void;
  /** Empty without a list. */
  ids(): readonly string[];
}

/** An in-memory list. */
export function lastSearchInMemory(): LastSearch {
  let kept: readonly string[] = [];
  return {
    remember(ids) {
      kept = ids;
    },
    ids: () => kept,
  };
}

/** A list number and the id that it stands for; undefined if the word is a symbol or an id. */
export function numberedCoin(word: string, search: LastSearch | undefined) {
  const number = /^[1-9]\d{0,2}$/.test(word) ? Number(word) : 0;
  const id = search?.ids()[number - 1];
  return id === undefined ? undefined : { number, id };
}

/** `Bitcoin (BTC)`. */
export function coinTitle({ name, symbol }: Pick<Coin, 'name' | 'symbol'>): string {
  return `${clean(name)} (${clean(symbol)})`;
}

/** `7 of your last search: Bitcoin (BTC)`; only the title if the coin was not named by number. */
export function coinHeading(title: string, { listNumber }: Coin): Line {
  const number = listNumber === undefined ? [] : [span(`${listNumber} of your last search: `, 'muted')];
  return [...number, span(title, 'strong')];
}

type RelatedCoin = NonNullable<Coin['successor']>;

/** `MATIC continued as POL (pol-polygon-ecosystem-token)`, with the ratio of the swap unless that is one to one. */
export function continuedAs(symbol: string, { ratio, ...successor }: RelatedCoin): string {
  const [old, next] = [clean(symbol), clean(successor.symbol)];
  const swap = ratio === 1 ? '' : `, 1 ${old} for ${ratio} ${next}`;
  return `${old} continued as ${next} (${clean(successor.id)})${swap}`;
}

/** That a coin continues as another, or continues the one that was typed; undefined for other coins. */
export function successionOf({ id, symbol, successor, predecessor }: Coin): string | undefined {
  if (successor) return continuedAs(symbol, successor);
  return predecessor && continuedAs(predecessor.symbol, { ...predecessor, id, symbol });
}

/** Remarks on the chosen coin: it continues as another, others may be meant, or it is no longer active. */
export function coinNotes(coin: Coin): Line[] {
  const { name, symbol, foundBy, alternatives, isActive } = coin;
  const notes: Line[] = [];
  if (!isActive) notes.push([span('This coin is no longer active.', 'muted')]);
  const succession = successionOf(coin);
  if (succession) notes.push([span(`${succession}.`, 'muted')]);
  if (alternatives > 0) {
    const isName = foundBy === 'name';
    const typed = clean(isName ? name : symbol);
    const others = alternatives === 1 ? '1 other coin' : `${alternatives} other coins`;
    notes.push([
      span(`${isName ? 'Found by name; ' : ''}${typed} is also the symbol of ${others}: `, 'muted'),
      commandSpan(`coinsearch ${quoted(typed)}`),
    ]);
  }
  return notes;
}
