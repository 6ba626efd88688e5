import type { RunContext } from '../../commands/run.ts';
import { messageOf } from '../../sdk/failure.ts';
import type { Config } from '../config/config.ts';
import { createCharts } from './chart-mode.ts';
import type { Feed } from './feed.ts';
import type { KeyName } from './keys.ts';
import { withCoin, withoutCoin } from './list.ts';
import type { Match, Mode, WatchView } from './mode.ts';
import { rowsOf, type WatchRow } from './rows.ts';
import { createSearch } from './search-mode.ts';
import { nextSort, type Sort, sorted, sorts } from './sort.ts';

export interface ControllerOptions {
  readonly feed: Feed;
  readonly contextOf: (signal?: AbortSignal) => RunContext;
  readonly watchlist: () => readonly string[];
  /** Rejects with what to tell. */
  readonly updateConfig: (change: (config: Config) => Config) => Promise<unknown>;
  readonly changed: () => void;
  readonly quit: () => void;
}

export interface Controller {
  view(): WatchView;
  press(key: KeyName): void;
}

/** A coin that was on the list, and where. */
interface Removed {
  readonly id: string;
  readonly symbol: string;
  readonly index: number;
}

/** Turns keys into what the screen shows, and keeps the list in the user's settings. */
export function createController(options: ControllerOptions): Controller {
  const { feed, contextOf, watchlist, changed } = options;
  const removed: Removed[] = [];
  let mode: Mode = { kind: 'list' };
  let sort: Sort = 'own';
  let chosen: string | undefined;
  let told = '';

  const search = createSearch({ apiWith: (signal) => contextOf(signal).api, show, add, leave: list });
  const charts = createCharts({
    contextOf,
    conversion: () => feed.state().loaded?.conversion,
    show,
    leave: list,
  });

  function show(next: Mode, words = ''): void {
    mode = next;
    told = words;
    changed();
  }

  /** Back to the list, with words on what was done. */
  function list(words = ''): void {
    search.close();
    charts.close();
    show({ kind: 'list' }, words);
  }

  function rows(): readonly WatchRow[] {
    const { loaded } = feed.state();
    return loaded ? sorted(rowsOf(loaded), sort) : [];
  }

  /** The first row until one is chosen, and when that is gone. */
  function selectedRow(): WatchRow | undefined {
    return rows().find(({ id }) => id === chosen) ?? rows()[0];
  }

  function move(step: number): void {
    const ids = rows().map(({ id }) => id);
    const at = ids.indexOf(selectedRow()?.id ?? '');
    chosen = ids[Math.max(0, Math.min(ids.length - 1, at + step))];
    list();
  }

  async function update(change: (config: Config) => Config, words: string): Promise<void> {
    try {
      await options.updateConfig(change);
      feed.refresh();
      list(words);
    } catch (error) {
      list(messageOf(error));
    }
  }

  function add({ id, symbol }: Match): void {
    chosen = id;
    const words = watchlist().includes(id) ? 'is on the list already' : 'added';
    void update((config) => withCoin(config, id), `${symbol} ${words}`);
  }

  function remove(): void {
    const row = selectedRow();
    if (!row) return;
    const { id, symbol, worth } = row;
    const index = watchlist().indexOf(id);
    if (index >= 0) {
      const ids = rows().map((other) => other.id);
      chosen = ids[ids.indexOf(id) + 1] ?? ids.at(-2);
      removed.push({ id, symbol, index });
      void update((config) => withoutCoin(config, id), `${symbol} removed; u brings it back`);
    } else if (worth) {
      list(`${symbol} is here because you hold it: marketdata hold ${symbol} 0`);
    } else {
      list('Your list is empty: these are the largest coins');
    }
  }

  function undo(): void {
    const last = removed.pop();
    if (last) {
      chosen = last.id;
      void update((config) => withCoin(config, last.id, last.index), `${last.symbol} is back`);
    } else {
      list('Nothing to undo');
    }
  }

  function openChart(): void {
    const row = selectedRow();
    if (!row) return;
    const { id, name, symbol } = row;
    charts.open({ id, name: name || id, symbol, alternatives: 0, isActive: true });
  }

  function sortOtherwise(): void {
    sort = nextSort(sort, rows());
    list(`Sorted by ${sorts[sort]}`);
  }

  function askAgain(): void {
    // Prices that live are the newest: the service would give the same again.
    if (feed.state().failure) feed.refresh();
    else list('These are the newest prices');
  }

  const listKeys: Readonly<Record<string, () => void>> = {
    up: () => move(-1),
    k: () => move(-1),
    down: () => move(1),
    j: () => move(1),
    '/': search.open,
    d: remove,
    x: remove,
    u: undo,
    enter: openChart,
    s: sortOtherwise,
    r: askAgain,
    '?': () => show({ kind: 'keys' }),
    escape: () => list(),
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
      if (mode.kind === 'search') search.press(key, mode);
      else if (mode.kind === 'chart') charts.press(key, mode);
      else if (mode.kind === 'keys') list();
      else if (Object.hasOwn(listKeys, key)) listKeys[key]?.();
    },
  };
}
