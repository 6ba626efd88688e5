import type { Api } from '../../commands/provenance.ts';
import { messageOf } from '../../sdk/failure.ts';
import type { KeyName } from './keys.ts';
import type { Match, SearchMode } from './mode.ts';

export interface SearchOptions {
  readonly apiWith: (signal: AbortSignal) => Api;
  readonly show: (mode: SearchMode) => void;
  readonly add: (match: Match) => void;
  readonly leave: () => void;
}

export interface Search {
  open(): void;
  press(key: KeyName, mode: SearchMode): void;
  /** Gives up what is being searched. */
  close(): void;
}

/** A search begins when nothing was typed for so long. */
const TYPING_MS = 120;
const MAX_MATCHES = 20;

/** Searches while it is typed: what was typed last has the last word. */
export function createSearch({ apiWith, show, add, leave }: SearchOptions): Search {
  let asked = new AbortController();

  function type(query: string, former: readonly Match[]): void {
    asked.abort();
    asked = new AbortController();
    const { signal } = asked;
    const isEmpty = query.trim() === '';
    const told = isEmpty ? 'Symbol, name or id' : '';
    show({ kind: 'search', query, matches: isEmpty ? [] : former, index: 0, told });
    if (isEmpty) return;
    const timer = setTimeout(() => void find(query, signal), TYPING_MS);
    signal.addEventListener('abort', () => clearTimeout(timer));
  }

  async function find(query: string, signal: AbortSignal): Promise<void> {
    const found = await matchesOf(apiWith(signal), query);
    if (!signal.aborted) show({ kind: 'search', query, index: 0, ...found });
  }

  return {
    open: () => type('', []),
    close: () => asked.abort(),
    press(key, mode) {
      const { query, matches, index } = mode;
      const match = matches[index];
      if (key === 'escape') leave();
      else if (key === 'backspace') type([...query].slice(0, -1).join(''), matches);
      else if (key === 'up') show({ ...mode, index: Math.max(0, index - 1) });
      else if (key === 'down') show({ ...mode, index: Math.max(0, Math.min(matches.length - 1, index + 1)) });
      else if (key === 'enter' && match) add(match);
      else if (isText(key)) type(query + key, matches);
    },
  };
}

async function matchesOf(api: Api, query: string): Promise<Pick<SearchMode, 'matches' | 'told'>> {
  try {
    const { data } = await api.search({ q: query.trim(), limit: MAX_MATCHES });
    return {
      matches: tradedFirst(data.results),
      told: data.results.length === 0 ? 'No coin is like that' : '',
    };
  } catch (error) {
    return { matches: [], told: messageOf(error) };
  }
}

/** Nobody adds a coin without a rank while one that has it is as like the query: they stay behind, in their order. */
function tradedFirst(matches: readonly Match[]): Match[] {
  const isTraded = ({ is_active, rank }: Match) => is_active && rank > 0;
  return [...matches.filter(isTraded), ...matches.filter((match) => !isTraded(match))];
}

function isText(key: KeyName): boolean {
  return [...key].length === 1 && !/\p{Cc}/u.test(key);
}
