import type { Random } from './random.ts';

/** The most that one symbol is shared in the real list. */
const MOST_SHARED = 65;
/** Symbols that everybody takes, most taken first: the n-th has about 65 / n entries. */
const popular =
  `PEPE TRUMP AI CAT DOGE MOON ELON META GOLD INU BABY KING SAFE SHIB PUMP BULL FROG BEAR WIF FLOKI APE MEME
  ROCKET STAR SUN FIRE LUCKY GROK PANDA NOVA ZERO ALPHA OMEGA ORB`.split(/\s+/);

/** Gives symbols to names: made of the name, or one that many entries share. */
export class Symbols {
  readonly #random: Random;
  readonly #shared: string[];
  readonly #taken = new Map<string, number>();

  /** `known` are those that are taken already. */
  constructor(random: Random, known: readonly string[]) {
    this.#random = random;
    for (const symbol of known) this.#taken.set(symbol.toUpperCase(), 1);
    this.#shared = popular.flatMap((symbol, index) =>
      Array(Math.floor(MOST_SHARED / (index + 1))).fill(symbol),
    );
  }

  of(name: string): string {
    const symbol = this.#choose(name);
    const taken = (this.#taken.get(symbol) ?? 0) + 1;
    if (taken > MOST_SHARED) return this.of(`${name} ${taken}`);
    this.#taken.set(symbol, taken);
    return symbol;
  }

  /** A shared symbol, as long as there are some left, for about one name in a hundred. */
  #choose(name: string): string {
    const shared = this.#random.chance(0.01) ? this.#shared.pop() : undefined;
    return shared ?? (this.#abbreviate(name.replace(/[^A-Za-z0-9 ]/g, '').trim()) || 'COIN');
  }

  #abbreviate(name: string): string {
    const words = name.split(' ').filter((word) => word !== '');
    const [first = ''] = words;
    const initials = words.map((word) => word.charAt(0)).join('');
    const skeleton = first.charAt(0) + first.slice(1).replace(/[aeiou]/gi, '');
    const style = this.#random.next();
    if (words.length > 2 && style < 0.6) return initials.toUpperCase();
    if (words.length === 2 && style < 0.35) return `${first.slice(0, 3)}${initials.slice(1)}`.toUpperCase();
    if (style < 0.5) return first.slice(0, 3 + this.#random.below(4)).toUpperCase();
    if (style < 0.75) return skeleton.slice(0, 3 + this.#random.below(3)).toUpperCase();
    return first.slice(0, 10).toUpperCase();
  }
}
