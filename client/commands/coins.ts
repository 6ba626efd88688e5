import { ApiFailure } from '../sdk/failure.ts';
import { clean, commandSpan, type Line, span } from './format/text.ts';
import { quoted } from './parse/words.ts';
import type { Api } from './provenance.ts';

/** The coin that a symbol, an id, a name or a number of the last search stands for. */
export interface Coin {
  readonly id: string;
  readonly name: string;
  readonly symbol: string;
  /** 0 if it is unranked; undefined if that is not known. */
  readonly rank?: number | undefined;
  /** Undefined if that is not known any more. */
  readonly foundBy?: 'symbol' | 'id' | 'name' | undefined;
  /** Other active coins that have the typed text as their symbol and may well be meant. */
  readonly alternatives: number;
  readonly isActive: boolean;
  /** Its number in the list of the last search, if it was named by that. */
  readonly listNumber?: number | undefined;
}

export interface SimilarCoin {
  readonly name: string;
  /** The symbol or id by which a command finds it. */
  readonly typed: string;
}

/** A symbol means the coin up to this rank, whatever else is called so. */
const WELL_KNOWN = 100;
/** Names of more words than these are rare. */
const MOST_WORDS = 5;
const ENOUGH_MATCHES = 10;
const MOST_SUGGESTIONS = 3;

/** The coin of a symbol, an id or a name; undefined if there is none. Rejects as the client does. */
export async function findCoin(api: Api, text: string): Promise<Coin | undefined> {
  if (/^\.{1,2}$/.test(text)) return undefined; // a URL cannot carry it: dots in a path are steps, encoded or not
  const response = await orNotFound(api.resolve({ symbol: text }));
  if (!response) return undefined;
  const { id, name, symbol, rank, foundBy, is_active: isActive, isAmbiguous, alternatives } = response.data;
  return { id, name, symbol, rank, foundBy, isActive, alternatives: isAmbiguous ? alternatives : 0 };
}

/**
 * The coin whose name the words of a command are together, such as `wrapped bitcoin`; undefined if each word is meant by
 * itself. `found` has the coin of each word. Rejects as the client does.
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

/** At most three coins that may be meant by a text that names none, the likeliest first. Rejects as the client does. */
export async function similarCoins(api: Api, text: string): Promise<readonly SimilarCoin[]> {
  const response = await orNotFound(api.search({ q: text, limit: ENOUGH_MATCHES }));
  const entries = (response?.data.results ?? []).filter(({ is_active, rank }) => is_active && rank > 0);
  return await Promise.all(
    entries.slice(0, MOST_SUGGESTIONS).map(async ({ id, name, symbol, rank }) => {
      const isOfSymbol = rank <= WELL_KNOWN && (await findCoin(api, symbol))?.id === id;
      return { name, typed: isOfSymbol ? symbol : id };
    }),
  );
}

function isPlain(coin: Coin | undefined): boolean {
  return coin?.foundBy === 'id' || (coin?.foundBy === 'symbol' && placeOf(coin) <= WELL_KNOWN);
}

/** The rank, behind all others if there is none. */
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

/** The coins of the last search: the first of its list is number 1. */
export interface LastSearch {
  /** Keeps the ids of a new list in place of the one before. */
  remember(ids: readonly string[]): void;
  /** Empty without a list. */
  ids(): readonly string[];
}

/** Lasts as long as its owner. */
export function lastSearchInMemory(): LastSearch {
  let kept: readonly string[] = [];
  return {
    remember(ids) {
      kept = ids;
    },
    ids: () => kept,
  };
}

/** A word of a command as a number of the list and the id that it stands for; undefined: the word is a symbol or an id. */
export function numberedCoin(word: string, search: LastSearch | undefined) {
  const number = /^[1-9]\d{0,2}$/.test(word) ? Number(word) : 0;
  const id = search?.ids()[number - 1];
  return id === undefined ? undefined : { number, id };
}

/** `Bitcoin (BTC)`. */
export function coinTitle({ name, symbol }: Pick<Coin, 'name' | 'symbol'>): string {
  return `${clean(name)} (${clean(symbol)})`;
}

/** `7 of your last search: Bitcoin (BTC)`; the title alone of a coin that was named by anything else. */
export function coinHeading(title: string, { listNumber }: Coin): Line {
  const number = listNumber === undefined ? [] : [span(`${listNumber} of your last search: `, 'muted')];
  return [...number, span(title, 'strong')];
}

/** Remarks on the coin that was taken: others may be meant, or it is no longer active. */
export function coinNotes({ name, symbol, foundBy, alternatives, isActive }: Coin): Line[] {
  const notes: Line[] = [];
  if (!isActive) notes.push([span('This coin is no longer active.', 'muted')]);
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
