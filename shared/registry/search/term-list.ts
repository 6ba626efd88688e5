/** The terms that one text matches, each with what that costs; some come more than once. */
export class TermList {
  readonly terms: number[] = [];
  readonly costs: number[] = [];
  /** Letters of the text. */
  readonly letters: number;

  constructor(letters: number) {
    this.letters = letters;
  }

  get count(): number {
    return this.terms.length;
  }

  add(term: number, cost: number): void {
    this.terms.push(term);
    this.costs.push(cost);
  }
}
