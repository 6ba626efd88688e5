import { type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { explain } from '../../commands/failure.ts';
import type { FailureResult } from '../../commands/result.ts';
import { api, context } from '../app/session.ts';
import { fieldsOf, storedSignal, textOf } from '../app/stored.ts';

/** A coin as a list shows it. */
export interface ListedCoin {
  readonly id: string;
  readonly name: string;
  readonly symbol: string;
  /** 0 or undefined if it has none, or none is known. */
  readonly rank?: number | undefined;
}

/** Shorter than between two letters of a slow typist, longer than of a fast one. */
const PAUSE_MS = 120;
const MAX_FOUND = 7;
const MAX_RECENT = 6;
const MAX_KEPT = 100;

/** The coins that were opened last, the newest first. */
export const recentCoins = storedSignal(
  () => localStorage,
  'marketdata.recent',
  (value): readonly ListedCoin[] => (Array.isArray(value) ? value.flatMap((each) => coinOf(each) ?? []) : []),
);

export function rememberCoin({ id, name, symbol, rank }: ListedCoin): void {
  const others = recentCoins.peek().filter((coin) => coin.id !== id);
  recentCoins.value = [{ id, name, symbol, rank }, ...others].slice(0, MAX_RECENT);
}

function coinOf(value: unknown): ListedCoin | undefined {
  const { id, name, symbol, rank } = fieldsOf(value);
  const [ownId, ownName, ownSymbol] = [textOf(id), textOf(name), textOf(symbol)];
  if (ownId === undefined || ownName === undefined || ownSymbol === undefined) return undefined;
  return { id: ownId, name: ownName, symbol: ownSymbol, rank: typeof rank === 'number' ? rank : undefined };
}

interface CoinSearch {
  /** Those of the query before stay until there are others. */
  readonly coins: ReadonlySignal<readonly ListedCoin[]>;
  readonly isBusy: ReadonlySignal<boolean>;
  readonly failure: ReadonlySignal<FailureResult | undefined>;
}

const kept = new Map<string, readonly ListedCoin[]>();

/** Active coins for what is being typed: one request at a time, each query once. */
export function useCoinSearch(text: string): CoinSearch {
  const search = useMemo(() => createSearch(), []);
  useEffect(() => search.begin(text), [search, text]);
  return search;
}

function createSearch() {
  const coins = signal<readonly ListedCoin[]>([]);
  const isBusy = signal(false);
  const failure = signal<FailureResult>();

  async function find(query: string, abort: AbortController): Promise<void> {
    try {
      const { data } = await api.search({ q: query, limit: 2 * MAX_FOUND }, { signal: abort.signal });
      const found = data.results
        .filter(({ is_active: isActive }) => isActive)
        .slice(0, MAX_FOUND)
        .map(({ id, name, symbol, rank }) => ({ id, name, symbol, rank }));
      kept.set(query, found);
      for (const oldest of [...kept.keys()].slice(0, -MAX_KEPT)) kept.delete(oldest);
      if (abort.signal.aborted) return;
      coins.value = found;
    } catch (error) {
      if (abort.signal.aborted) return;
      coins.value = [];
      failure.value = explain(error, 'The search failed', context);
    }
    isBusy.value = false;
  }

  function begin(text: string): (() => void) | undefined {
    const query = text.trim().replace(/\s+/g, ' ').toLowerCase();
    failure.value = undefined;
    const known = query === '' ? [] : kept.get(query);
    isBusy.value = known === undefined;
    if (known) {
      coins.value = known;
      return undefined;
    }
    const abort = new AbortController();
    const timer = setTimeout(() => void find(query, abort), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }

  return { coins, isBusy, failure, begin };
}
