/** The coins of the last search, by the numbers of its list. */
export interface LastSearch {
  /** Keeps the ids of a new list in place of the one before. */
  remember(ids: readonly string[]): void;
  /** How many it has; 0 without one. */
  count(): number;
  /** The id with this number, counted from 1; undefined if there is none. */
  nth(number: number): string | undefined;
}

/** Lasts as long as its owner. */
export function lastSearchInMemory(): LastSearch {
  let kept: readonly string[] = [];
  return {
    remember(ids) {
      kept = ids;
    },
    count: () => kept.length,
    nth: (number) => kept[number - 1],
  };
}

/** A word of a command as a number of the list and the id that it stands for; undefined: the word is a symbol or an id. */
export function numberedCoin(word: string, search: LastSearch | undefined) {
  const number = /^[1-9]\d{0,2}$/.test(word) ? Number(word) : undefined;
  const id = number === undefined ? undefined : search?.nth(number);
  return number === undefined || id === undefined ? undefined : { number, id };
}
