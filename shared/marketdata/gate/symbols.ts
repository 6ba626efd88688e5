/** Rows of a list under another symbol than the registry's: whose they are, and when the new symbol is believed. */
import { symbolKey } from '../../registry/fold.ts';
import type { Labels } from '../provider.ts';
import { type Belief, type Memory, type NewSymbol, noMemory } from '../store/snapshot-memory.ts';
import { type Ticker, tickerMadeAt } from '../ticker.ts';
import { CONFIRMING_RUNS, isTenth } from './bounds.ts';
import { isContinued } from './figures.ts';
import { OtherSymbol } from './implausible.ts';
import { isRelabelled } from './ticker.ts';
import type { Opinion } from './witness.ts';

export type LabelsOf = (id: string) => Labels | undefined;

interface Context {
  readonly belief: Belief | undefined;
  /** What a coin without a believed row waits for. */
  readonly waiting: Memory | undefined;
  readonly opinion: Opinion;
  /** Milliseconds since the epoch. */
  readonly takenAt: number;
}

/** The names that a row is published with, and what to remember of its symbol. */
export interface Names {
  readonly labels: Labels;
  readonly newSymbol: NewSymbol | undefined;
}

/**
 * The names of a list's rows; undefined for a row that has the registry's symbol. Any other row has the registry's names until three
 * lists agree on the new symbol. Its price counts from the first one on, unless it is a step, which waits for three lists too.
 *
 * A symbol that a second row has, in the list or in the registry, may come from mixed-up rows, and so may all if a tenth of the list is
 * new. Only the registry confirms these. Such a row, and one whose price markets contradict, is refused with OtherSymbol, unless its
 * figures continue the coin's or markets agree with its price.
 */
export function symbolsOf(tickers: readonly Ticker[], labelsOf: LabelsOf) {
  const relabelled = tickers.filter((ticker) => isRelabelled(ticker, labelsOf(ticker.id)));
  const holders = relabelled.length > 0 ? holdersOf(tickers, labelsOf) : new Map<string, number>();

  return function namesOf(ticker: Ticker, { belief, waiting, opinion, takenAt }: Context): Names | undefined {
    const registered = labelsOf(ticker.id);
    if (!registered || !isRelabelled(ticker, registered)) return undefined;
    const { newSymbol: known } = belief?.memory ?? waiting ?? noMemory;
    const key = symbolKey(ticker.symbol);
    const before = known && symbolKey(known.symbol) === key ? known : undefined;
    const { name, symbol } = ticker;
    if (before && before.runs >= CONFIRMING_RUNS) return { labels: { name, symbol }, newSymbol: before };

    const isMixedUp = isTenth(relabelled.length, tickers.length) || (holders.get(key) ?? 0) > 1;
    const isContradicted = opinion.verdict === 'contradicts';
    const isSame = opinion.verdict === 'agrees' || (belief && isContinued(ticker, belief.ticker));
    if (!isSame && (isMixedUp || isContradicted)) throw new OtherSymbol(symbol, registered.symbol);
    if (isMixedUp || isContradicted) return { labels: registered, newSymbol: undefined };
    const at = tickerMadeAt(ticker) ?? takenAt;
    const isFormer = belief !== undefined && symbolKey(belief.ticker.data.symbol) === key;
    const newSymbol = before ? counted(before, at) : { symbol, runs: isFormer ? 0 : 1, at };
    const labels = newSymbol.runs >= CONFIRMING_RUNS ? { name, symbol } : registered;
    return { labels, newSymbol };
  };
}

function counted(known: NewSymbol, at: number): NewSymbol {
  return known.runs > 0 && at > known.at ? { ...known, runs: known.runs + 1, at } : known;
}

/** The number of rows that have a symbol, by themselves or in the registry. */
function holdersOf(tickers: readonly Ticker[], labelsOf: LabelsOf): Map<string, number> {
  const holders = new Map<string, number>();
  for (const { id, symbol } of tickers) {
    const registered = labelsOf(id)?.symbol;
    const own = new Set([symbol, registered ?? symbol].map(symbolKey));
    for (const key of own) holders.set(key, (holders.get(key) ?? 0) + 1);
  }
  return holders;
}
