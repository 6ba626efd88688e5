/** The rows that have all words of a query so far, with their costs. One for all queries; `clear` ends each. */
export class RowTally {
  /** By row: words matched so far, their costs, and the letters of the name that they account for. */
  readonly #matched: Uint8Array;
  readonly #total: Uint16Array;
  readonly #covered: Uint16Array;
  /** By row, for the word at hand: cost + 1 (0: none yet) and letters. */
  readonly #cost: Uint16Array;
  readonly #letters: Uint8Array;
  readonly #firstRows: Uint32Array;
  readonly #laterRows: Uint32Array;
  #word = 0;
  #added = 0;
  #firstCount = 0;

  /** The rows that have all words up to the last one that ended are the first `count` of these. */
  rows: Uint32Array;
  count = 0;

  constructor(size: number) {
    this.#matched = new Uint8Array(size);
    this.#total = new Uint16Array(size);
    this.#covered = new Uint16Array(size);
    this.#cost = new Uint16Array(size);
    this.#letters = new Uint8Array(size);
    this.#firstRows = new Uint32Array(size);
    this.#laterRows = new Uint32Array(size);
    this.rows = this.#firstRows;
  }

  /** A match of the word at hand; of several for one row the cheapest counts, and none that lacks earlier words. */
  add(row: number, cost: number, letters: number): void {
    if (this.#matched[row] !== this.#word) return;
    const best = this.#cost[row] ?? 0;
    if (best !== 0 && best <= cost + 1) return;
    if (best === 0) (this.#word === 0 ? this.#firstRows : this.#laterRows)[this.#added++] = row;
    this.#cost[row] = cost + 1;
    this.#letters[row] = letters;
  }

  endWord(): void {
    this.rows = this.#word === 0 ? this.#firstRows : this.#laterRows;
    this.count = this.#added;
    if (this.#word === 0) this.#firstCount = this.#added;
    this.#word++;
    this.#added = 0;
    for (let at = 0; at < this.count; at++) {
      const row = this.rows[at] ?? 0;
      this.#matched[row] = this.#word;
      this.#total[row] = (this.#total[row] ?? 0) + (this.#cost[row] ?? 0) - 1;
      this.#covered[row] = (this.#covered[row] ?? 0) + (this.#letters[row] ?? 0);
      this.#cost[row] = 0;
    }
  }

  total(row: number): number {
    return this.#total[row] ?? 0;
  }

  covered(row: number): number {
    return this.#covered[row] ?? 0;
  }

  clear(): void {
    for (let at = 0; at < this.#firstCount; at++) {
      const row = this.#firstRows[at] ?? 0;
      this.#matched[row] = 0;
      this.#total[row] = 0;
      this.#covered[row] = 0;
    }
    this.#word = 0;
    this.#firstCount = 0;
    this.count = 0;
  }
}
