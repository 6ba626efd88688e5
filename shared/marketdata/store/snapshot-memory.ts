/** What a snapshot remembers of each coin, so that the next list is judged by its past. */
import type { Kept } from '../provider.ts';
import type { Ticker } from '../ticker.ts';

/** A value that is not believed yet. Times of the provider's data, in milliseconds since the epoch. */
export interface HeldValue {
  /** Null: the provider reports none. */
  readonly value: number | null;
  /** Consecutive lists with a value on the same side of the believed one; a list with the same data counts once. */
  readonly runs: number;
  readonly since: number;
  readonly at: number;
}

/** The value before a step that nothing but repetition confirmed: a return to it is believed at once. */
export interface FormerValue {
  readonly value: number | null;
  /** When the step began. */
  readonly since: number;
}

/** Another symbol than the registry's. */
export interface NewSymbol {
  readonly symbol: string;
  /** Consecutive lists with it, as of a held value; 0: the coin had it before the registry's, which it must not replace. */
  readonly runs: number;
  /** The time of the last one's data, in milliseconds since the epoch. */
  readonly at: number;
}

/** What the next list is judged by, besides a coin's published figures; by the figure's name. */
export interface Memory {
  readonly held: Readonly<Record<string, HeldValue>>;
  readonly former: Readonly<Record<string, FormerValue>>;
  /** Set while markets contradict the price, and until one agrees or it returns. */
  readonly dispute?: Dispute | undefined;
  /** When the coin was last redenominated; milliseconds since the epoch. */
  readonly unitSince?: number | undefined;
  /** Set while the provider's symbol is not the registry's. */
  readonly newSymbol?: NewSymbol | undefined;
}

export interface Dispute {
  /** The median of the markets that last contradicted the price. */
  readonly against: number;
  /** When they did, by the provider's data; milliseconds since the epoch. */
  readonly at: number;
  readonly since: number;
  /** The last price before it that nobody contradicted; null: none. */
  readonly price: number | null;
}

export const noMemory: Memory = { held: {}, former: {} };

/** A coin's last believed row. */
export interface Belief {
  readonly ticker: Kept<Ticker>;
  readonly memory: Memory;
}

/** What a snapshot remembers of all coins. */
export interface Memories {
  /** The last believed rows, also those of coins that have left the list. */
  readonly beliefs: ReadonlyMap<string, Belief>;
  /** The coins that have left the list. */
  readonly left: ReadonlySet<string>;
  /** What coins that are new and not believed yet wait for. */
  readonly waiting: ReadonlyMap<string, Memory>;
}

/** The part of a snapshot that holds it. */
interface Remembering {
  ticker(name: string): Kept<Ticker> | undefined;
  fields(name: string): { readonly memory?: Memory | undefined };
  names(): Iterable<string>;
}

/** Names that begin so are those of rows that are not published. */
export const HIDDEN = '\0';

/** The name of such a row: its coin is new and not believed yet, or has left the list. */
export function hiddenName(why: 'new' | 'left', id: string): string {
  return `${HIDDEN}${why} ${id}`;
}

/** Parses each row once. */
export function memoriesIn(snapshot: Remembering): Memories {
  const beliefs = new Map<string, Belief>();
  const left = new Set<string>();
  const waiting = new Map<string, Memory>();
  const [leftFrom, newFrom] = [hiddenName('left', ''), hiddenName('new', '')];
  for (const name of snapshot.names()) {
    const ticker = snapshot.ticker(name);
    const { memory = noMemory } = snapshot.fields(name);
    const hasLeft = name.startsWith(leftFrom);
    const id = hasLeft ? name.slice(leftFrom.length) : name;
    if (name.startsWith(newFrom)) waiting.set(name.slice(newFrom.length), memory);
    else if (ticker) beliefs.set(id, { ticker, memory });
    if (hasLeft) left.add(id);
  }
  return { beliefs, left, waiting };
}

/** Whether anything has to be remembered. */
export function isUsed({ held, former, ...others }: Memory): boolean {
  const isEmpty = (part: object) => Object.keys(part).length === 0;
  return !isEmpty(held) || !isEmpty(former) || Object.values(others).some((value) => value !== undefined);
}
