import type { ListedCoin } from './recent.ts';

/** Shorter than between two letters of a slow typist, longer than of a fast one. */
const PAUSE_MS = 120;
const MAX_KEPT = 100;

export interface SuggestionsOptions {
  readonly search: (query: string, signal: AbortSignal) => Promise<readonly ListedCoin[]>;
  /** After an answer or a failure for the query that was asked for last. */
  readonly onChange: () => void;
}

export interface Suggestions {
  /** Asks for a query after a pause; what was asked for before is given up. */
  ask(query: string): void;
  /** Coins that were found for a query; undefined if it was not answered yet. */
  found(query: string): readonly ListedCoin[] | undefined;
  /** Why the query that was asked for last has no answer. */
  readonly failure: () => unknown;
  readonly isAsking: () => boolean;
  stop(): void;
}

/** Answers to what is being typed: one request at a time, each query once. */
export function createSuggestions({ search, onChange }: SuggestionsOptions): Suggestions {
  const kept = new Map<string, readonly ListedCoin[]>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: AbortController | undefined;
  let failure: unknown;

  function stop(): void {
    clearTimeout(timer);
    running?.abort();
    running = undefined;
    failure = undefined;
  }

  async function attempt(query: string, own: AbortController): Promise<void> {
    try {
      const coins = await search(query, own.signal);
      if (running !== own) return;
      kept.set(query, coins);
      for (const oldest of [...kept.keys()].slice(0, -MAX_KEPT)) kept.delete(oldest);
    } catch (error) {
      if (running !== own) return;
      failure = error;
    }
    running = undefined;
    onChange();
  }

  return {
    ask(text) {
      stop();
      const query = keyOf(text);
      if (query === '' || kept.has(query)) return;
      const own = new AbortController();
      running = own;
      timer = setTimeout(() => void attempt(query, own), PAUSE_MS);
    },
    found: (text) => kept.get(keyOf(text)),
    failure: () => failure,
    isAsking: () => running !== undefined,
    stop,
  };
}

function keyOf(text: string): string {
  return text.trim().replace(/\s+/g, ' ').toLowerCase();
}
