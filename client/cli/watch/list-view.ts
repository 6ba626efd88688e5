import { DOLLAR } from '../../commands/currency.ts';
import { clean, type Line, plainText, span } from '../../commands/format/text.ts';
import { formatInstant, formatWait } from '../../commands/format/time.ts';
import { shortened, wrapLines } from '../../commands/format/width.ts';
import { ranges } from '../../commands/parse/table.ts';
import { defaultProtocol } from '../../commands/sources.ts';
import { messageOf } from '../../sdk/failure.ts';
import { type Config, updateConfig } from '../config/config.ts';
import type { Session } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { type FetchList, type ListResult, type ListRow, withCoin, withoutCoin } from './list.ts';
import { listTable, newestTime, noteLines, sumLines } from './list-format.ts';
import { resultView } from './result-view.ts';
import { createFeed } from './rounds.ts';
import type { Screen, Size, View } from './screen.ts';
import { type Match, searchView } from './search-view.ts';

const TITLE = 'Market data';
const SELECTED = '▸ ';
const MARGIN = '  ';
const KEYS = '/ add  ↵ chart  d remove  s sort  ? keys  q quit';
const keyTable = [
  ['↑ ↓, j k', 'select a row'],
  ['/', 'add a coin'],
  ['d, x', 'remove the row'],
  ['u', 'undo a removal'],
  ['Enter', 'chart; ← → its range'],
  ['s', 'sort'],
  ['r', 'refresh'],
  ['Esc', 'back'],
  ['q, Ctrl-C', 'leave'],
] as const;

const usdOf = ({ coin }: ListRow) => ('error' in coin ? undefined : coin.data.quotes.USD);

/** The orders of the list, all with the highest value first. */
const orders: readonly (readonly [name: string, keyOf: (row: ListRow) => number | null | undefined])[] = [
  ['own order', () => null],
  ['24h change', (row) => usdOf(row)?.percent_change_24h],
  ['7d change', (row) => usdOf(row)?.percent_change_7d],
  ['value', ({ worth }) => worth?.value],
  ['rank', ({ coin }) => ('error' in coin || !coin.data.rank ? null : -coin.data.rank)],
];

/** The list in the window: its keys select, add and remove coins, and open a search or a chart. */
export function listView(
  fetch: FetchList,
  currency: string | undefined,
  session: Session,
  terminal: Terminal,
  screen: Screen,
): View {
  const feed = createFeed(fetch, session.settings.watch, screen.draw);
  /** Removed coins, with their positions. */
  const removed: { id: string; symbol: string; index: number }[] = [];
  let order = 0;
  let chosen: string | undefined;
  let words = '';
  let showsKeys = false;

  const rows = () => sorted(feed.answer()?.rows ?? [], order);
  /** The first row until one is selected, and again after that row is gone. */
  const selected = () => rows().find(({ id }) => id === chosen) ?? rows()[0];

  function say(text = ''): void {
    words = clean(text);
    showsKeys = false;
    screen.draw();
  }
  function backFrom(view: View, text?: string): void {
    view.close();
    screen.show(own);
    say(text);
  }
  function move(step: number): void {
    const ids = rows().map(({ id }) => id);
    const at = ids.indexOf(selected()?.id ?? '') + step;
    chosen = ids[Math.max(0, Math.min(ids.length - 1, at))];
    say();
  }
  async function update(change: (config: Config) => Config, text: string): Promise<void> {
    try {
      await updateConfig(terminal.env, change);
      feed.refresh();
      say(text);
    } catch (error) {
      say(messageOf(error));
    }
  }

  function search(): void {
    const isListed = (id: string) => rows().some((row) => row.id === id && row.isWatched);
    const view: View = searchView(session, screen, isListed, (match?: Match) => {
      backFrom(view);
      if (!match) return;
      chosen = match.id;
      const text = isListed(match.id) ? 'is already on the list' : 'added';
      void update((config) => withCoin(config, match.id), `${match.symbol} ${text}`);
    });
    screen.show(view);
  }
  function chart(): void {
    const row = selected();
    if (!row) return;
    const view: View = resultView(
      {
        ...{ name: 'chart', symbol: row.id, compare: [], style: undefined, protocol: defaultProtocol },
        ...{ range: ranges['1m'], currency: currency ?? DOLLAR },
      },
      session,
      terminal,
      screen,
      (text) => backFrom(view, text),
    );
    screen.show(view);
  }
  function remove(): void {
    const row = selected();
    if (!row) return;
    const { id } = row;
    const symbol = symbolOf(row);
    if (row.isWatched) {
      const ids = rows().map((other) => other.id);
      chosen = ids[ids.indexOf(id) + 1] ?? ids.at(-2);
      const listed = feed.answer()?.rows.filter(({ isWatched }) => isWatched) ?? [];
      removed.push({ id, symbol, index: listed.findIndex((other) => other.id === id) });
      void update((config) => withoutCoin(config, id), `${symbol} removed; u brings it back`);
    } else if (row.worth) say(`${symbol} is here because you hold it: marketdata hold ${symbol} 0`);
    else say('Your list is empty: these are the largest coins');
  }
  function undo(): void {
    const last = removed.pop();
    chosen = last?.id ?? chosen;
    if (!last) say('Nothing to undo');
    else void update((config) => withCoin(config, last.id, last.index), `${last.symbol} is back`);
  }
  /** Switches to the next sort order with known values. */
  function sort(): void {
    const all = rows();
    const next = orders.findIndex(([, keyOf], at) => at > order && all.some((row) => keyOf(row) != null));
    order = Math.max(0, next);
    say(`Sorted by ${orders[order]?.[0]}`);
  }

  const keys: Readonly<Record<string, () => void>> = {
    ...{ up: () => move(-1), k: () => move(-1), down: () => move(1), j: () => move(1) },
    ...{ '/': search, return: chart, d: remove, x: remove, u: undo, s: sort, r: feed.refresh },
    '?': () => {
      showsKeys = true;
      screen.draw();
    },
    escape: () => say(),
    q: screen.close,
  };

  function header(columns: number): Line[] {
    const { baseUrl } = session.settings;
    const answer = feed.answer();
    const failure = feed.failure();
    const now = Date.now();
    const by = order === 0 ? '' : `  by ${orders[order]?.[0]}`;
    const madeAt = answer && newestTime(answer);
    const time = madeAt === undefined ? '' : `as of ${formatInstant(madeAt, now)}  `;
    const seconds = Math.max(0, Math.floor((now - (madeAt ?? now)) / 1000));
    const age = failure && madeAt !== undefined ? `${formatWait(seconds)} old  ` : '';
    return [
      [
        span(TITLE, 'strong'),
        span(shortened(`  ${currency ?? DOLLAR}${by}  ${baseUrl}`, columns - TITLE.length), 'muted'),
      ],
      [span(shortened(`${time}${age}${feed.status()}`, columns), 'muted')],
      answer && failure ? [span(shortened(plainText(failure.lines.slice(0, 1)), columns), 'error')] : [],
    ];
  }

  function body(answer: ListResult, { columns, rows: room }: Size): Line[] {
    const all = rows();
    const id = selected()?.id;
    const marked = feed.isNew() ? all : all.map((row) => ({ ...row, moved: undefined }));
    const [heading = [], ...table] = listTable(marked, answer.conversion, columns - MARGIN.length);
    const lines = table.map((line, at) => [span(all[at]?.id === id ? SELECTED : MARGIN, 'strong'), ...line]);
    const sum = wrapLines(sumLines(answer), columns);
    const message: Line[] = words ? [[span(shortened(words, columns))]] : [];
    const own: Line = [span('Press / to add the first of your own.', 'muted')];
    const notes = wrapLines([...noteLines(answer, Date.now()), ...(answer.isDefault ? [own] : [])], columns);
    // Notes are dropped before rows take less than half of the window.
    const least = 2 + Math.min(lines.length, Math.floor(room / 2)) + sum.length + message.length;
    const foot: Line[] = [
      ...(sum.length > 0 ? [[], ...sum] : []),
      ...message,
      ...notes.slice(0, Math.max(0, room - least - (sum.length > 0 ? 1 : 0))),
      [span(shortened(KEYS, columns), 'muted')],
    ];
    const space = Math.max(0, room - foot.length - 1);
    const at = all.findIndex((row) => row.id === id);
    const start = Math.max(0, Math.min(at - Math.floor(space / 2), lines.length - space));
    const shown = lines.slice(start, start + space);
    const empty = Array.from({ length: space - shown.length }, (): Line => []);
    return [[span(MARGIN), ...heading], ...shown, ...empty, ...foot];
  }

  const own: View = {
    lines({ columns, rows: room }) {
      const head = header(columns);
      const answer = feed.answer();
      if (showsKeys) return [...head, ...keyLines(columns)];
      if (answer) return [...head, ...body(answer, { columns, rows: room - head.length })];
      const failure = wrapLines(feed.failure()?.lines ?? [], columns);
      return [...head, ...failure, [], [span(shortened(KEYS, columns), 'muted')]];
    },
    press(key) {
      if (showsKeys) say();
      else if (Object.hasOwn(keys, key)) keys[key]?.();
    },
    close: feed.close,
  };
  return own;
}

/** Rows without a value come last, in their own order. */
function sorted(rows: readonly ListRow[], order: number): readonly ListRow[] {
  const keyOf = (row: ListRow) => orders[order]?.[1](row) ?? Number.NEGATIVE_INFINITY;
  return rows.toSorted((a, b) => (keyOf(a) === keyOf(b) ? 0 : keyOf(b) - keyOf(a)));
}

function symbolOf({ id, coin }: ListRow): string {
  return 'error' in coin ? id : coin.data.symbol;
}

function keyLines(columns: number): Line[] {
  return [
    [span('Keys', 'strong')],
    ...keyTable.map(([key, effect]): Line => [span(`  ${key.padEnd(10)}`, 'strong'), span(effect)]),
    [],
    [span(shortened('Holdings: marketdata hold BTC 0.5 @ 60000', columns), 'muted')],
  ];
}
