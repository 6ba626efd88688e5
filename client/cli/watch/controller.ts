import { type RangeName, rangeNames, ranges } from '../../commands/parse/ranges.ts';
import { type Coin, defaultProtocol } from '../../commands/providers.ts';
import type { RunContext } from '../../commands/run.ts';
import { runChart } from '../../commands/run-chart.ts';
import { messageOf } from '../../sdk/failure.ts';
import type { Config } from '../config/config.ts';
import type { Feed } from './feed.ts';
import { type Removed, withCoin, withoutCoin } from './list.ts';
import type { Match, Mode, WatchView } from './mode.ts';
import { rowsOf, type WatchRow } from './rows.ts';
import { nextSort, type Sort, sorted, sorts } from './sort.ts';

/** A pressed key: a character, or one of these names. */
export type KeyName = 'up' | 'down' | 'left' | 'right' | 'enter' | 'escape' | 'backspace' | (string & {});

export interface ControllerOptions {
  readonly feed: Feed;
  readonly contextOf: (signal?: AbortSignal) => RunContext;
  readonly readConfig: () => Config;
  /** Rejects with what to tell. */
  readonly updateConfig: (change: (config: Config) => Config) => Promise<Config>;
  readonly changed: () => void;
  readonly quit: () => void;
}

export interface Controller {
  view(): WatchView;
  press(key: KeyName): void;
}

/** A search begins when nothing was typed for so long. */
const TYPING_MS = 120;
const MAX_MATCHES = 20;

/** Turns keys into what the screen shows, and keeps the list in the user's settings. */
export function createController(options: ControllerOptions): Controller {
  const { feed, contextOf, changed } = options;
  const removed: Removed[] = [];
  let mode: Mode = { kind: 'list' };
  let sort: Sort = 'own';
  let chosen: string | undefined;
  let told = '';
  let asked = new AbortController();

  const rows = (): readonly WatchRow[] => {
    const { loaded } = feed.state();
    return loaded ? sorted(rowsOf(loaded), sort) : [];
  };
  /** The first row until one is chosen, and when that is gone. */
  const selectedRow = () => rows().find(({ id }) => id === chosen) ?? rows()[0];

  function show(next: Mode, words = ''): void {
    mode = next;
    told = words;
    changed();
  }

  function leave(words = ''): void {
    asked.abort();
    show({ kind: 'list' }, words);
  }

  function move(step: number): void {
    const ids = rows().map(({ id }) => id);
    const at = ids.indexOf(selectedRow()?.id ?? '');
    chosen = ids[Math.max(0, Math.min(ids.length - 1, at + step))];
    show(mode);
  }

  async function update(change: (config: Config) => Config, words: string): Promise<void> {
    try {
      await options.updateConfig(change);
      feed.refresh();
      show({ kind: 'list' }, words);
    } catch (error) {
      show({ kind: 'list' }, messageOf(error));
    }
  }

  function remove(): void {
    const row = selectedRow();
    if (!row) return;
    const { id, symbol } = row;
    const index = watchlist().indexOf(id);
    if (index < 0) {
      const why = row.worth
        ? `${symbol} is shown because you hold it: marketdata hold ${symbol} 0`
        : 'Your list is empty: these are the largest coins';
      show({ kind: 'list' }, why);
      return;
    }
    const ids = rows().map((other) => other.id);
    chosen = ids[ids.indexOf(id) + 1] ?? ids.at(-2);
    removed.push({ id, symbol, index });
    void update((config) => withoutCoin(config, id), `${symbol} removed; u brings it back`);
  }

  function undo(): void {
    const last = removed.pop();
    if (!last) {
      show({ kind: 'list' }, 'Nothing to undo');
      return;
    }
    chosen = last.id;
    void update((config) => withCoin(config, last.id, last.index), `${last.symbol} is back`);
  }

  function watchlist(): readonly string[] {
    try {
      return options.readConfig().watchlist ?? [];
    } catch {
      return []; // the next change tells what is wrong with the file
    }
  }

  function search(query: string): void {
    asked.abort();
    asked = new AbortController();
    const { signal } = asked;
    const former = mode.kind === 'search' && query !== '' ? mode.matches : [];
    show({
      kind: 'search',
      query,
      matches: former,
      index: 0,
      told: query === '' ? 'Symbol, name or id' : '',
    });
    if (query.trim() === '') return;
    const timer = setTimeout(() => void find(query, signal), TYPING_MS);
    signal.addEventListener('abort', () => clearTimeout(timer));
  }

  async function find(query: string, signal: AbortSignal): Promise<void> {
    const show1 = (matches: Extract<Mode, { kind: 'search' }>['matches'], words: string) => {
      if (!signal.aborted) show({ kind: 'search', query, matches, index: 0, told: words });
    };
    try {
      const { data } = await contextOf(signal).api.search({ q: query.trim(), limit: MAX_MATCHES });
      show1(data.results, data.results.length === 0 ? 'No coin is like that' : '');
    } catch (error) {
      show1([], messageOf(error));
    }
  }

  function pressInSearch(key: KeyName, at: Extract<Mode, { kind: 'search' }>): void {
    const { query, matches, index } = at;
    if (key === 'escape') leave();
    else if (key === 'backspace') search([...query].slice(0, -1).join(''));
    else if (key === 'up') show({ ...at, index: Math.max(0, index - 1) });
    else if (key === 'down') show({ ...at, index: Math.max(0, Math.min(matches.length - 1, index + 1)) });
    else if (key === 'enter') add(matches[index]);
    else if (isText(key)) search(query + key);
  }

  function add(match: Match | undefined): void {
    if (!match) return;
    asked.abort();
    chosen = match.id;
    const isKnown = watchlist().includes(match.id);
    const words = `${match.symbol} ${isKnown ? 'is on the list already' : 'added'}`;
    void update((config) => withCoin(config, match.id), words);
  }

  function openChart(row: WatchRow | undefined, range: RangeName): void {
    if (!row) return;
    asked.abort();
    asked = new AbortController();
    show({ kind: 'chart', id: row.id, range, result: undefined });
    void chart(row, range, asked.signal);
  }

  async function chart({ id, name, symbol }: WatchRow, range: RangeName, signal: AbortSignal): Promise<void> {
    const coin: Coin = { id, name: name || id, symbol, alternatives: 0, isActive: true };
    const command = {
      name: 'chart',
      symbol: id,
      compare: [],
      protocol: defaultProtocol,
      style: undefined,
      range: ranges[range],
    } as const;
    const result = await runChart(coin, command, contextOf(signal));
    if (signal.aborted) return;
    const conversion = feed.state().loaded?.conversion;
    show({ kind: 'chart', id, range, result: result.kind === 'chart' ? { ...result, conversion } : result });
  }

  function pressInChart(key: KeyName, { id, range }: Extract<Mode, { kind: 'chart' }>): void {
    if (['escape', 'q', 'enter', 'backspace'].includes(key)) {
      leave();
      return;
    }
    const step = key === 'left' || key === 'h' ? -1 : key === 'right' || key === 'l' ? 1 : 0;
    const next = rangeNames[rangeNames.indexOf(range) + step];
    if (next && next !== range)
      openChart(
        rows().find((row) => row.id === id),
        next,
      );
  }

  const listKeys: Readonly<Record<string, () => void>> = {
    up: () => move(-1),
    k: () => move(-1),
    down: () => move(1),
    j: () => move(1),
    '/': () => search(''),
    a: () => search(''),
    d: remove,
    x: remove,
    u: undo,
    enter: () => openChart(selectedRow(), '1m'),
    s: () => {
      sort = nextSort(sort, rows());
      show({ kind: 'list' }, `Sorted by ${sorts[sort]}`);
    },
    r: () => {
      feed.refresh();
      show({ kind: 'list' });
    },
    '?': () => show({ kind: 'keys' }),
    q: options.quit,
  };

  return {
    view: () => ({
      mode,
      feed: feed.state(),
      sort,
      selected: selectedRow()?.id,
      told,
      watchlist: watchlist(),
    }),
    press(key) {
      if (mode.kind === 'search') pressInSearch(key, mode);
      else if (mode.kind === 'chart') pressInChart(key, mode);
      else if (mode.kind === 'keys') leave();
      else if (Object.hasOwn(listKeys, key)) listKeys[key]?.();
    },
  };
}

function isText(key: string): boolean {
  return [...key].length === 1 && !/\p{Cc}/u.test(key);
}
