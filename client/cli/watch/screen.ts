import { displayWidth, type Line, plainText, span, wrapped } from '../../commands/format/text.ts';
import { formatWait } from '../../commands/format/time.ts';
import type { FailureResult } from '../../commands/result.ts';
import { chartScreen } from './chart-screen.ts';
import { keysScreen } from './keys-screen.ts';
import type { Loaded } from './load.ts';
import type { WatchView } from './mode.ts';
import { newestTime, noteTexts, sumLines, timeText } from './notes.ts';
import { rowsOf } from './rows.ts';
import { searchScreen } from './search-screen.ts';
import { sorted, sorts } from './sort.ts';
import { tableLines } from './table.ts';

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
  readonly hasColour: boolean;
}

export interface ScreenContext {
  readonly baseUrl: string;
  /** In capitals; undefined: US dollars. */
  readonly currency: string | undefined;
  readonly now: number;
}

/** A frame: the header, and below it what the mode shows, in at most as many lines as the window has. */
export function screenLines(view: WatchView, size: ScreenSize, context: ScreenContext): Line[] {
  const header = headerLines(view, size.columns, context);
  const room = { ...size, rows: size.rows - header.length };
  const body = bodyLines(view, room, context);
  return [...header, ...body].slice(0, size.rows);
}

function bodyLines(view: WatchView, size: ScreenSize, context: ScreenContext): Line[] {
  const { mode } = view;
  if (mode.kind === 'keys') return keysScreen(size);
  if (mode.kind === 'search') return searchScreen(mode, view.watchlist, size);
  if (mode.kind === 'chart') return chartScreen(mode, size, context.now);
  return listLines(view, size, context);
}

function headerLines({ feed, sort }: WatchView, width: number, context: ScreenContext): Line[] {
  const { baseUrl, currency = 'USD', now } = context;
  const { loaded, failure, isLoading, nextAt } = feed;
  const first = ['Market data', currency, ...(sort === 'own' ? [] : [`by ${sorts[sort]}`]), baseUrl];
  const time = loaded && timeText(loaded, now);
  const when = isLoading ? 'asking …' : `${failure ? 'again' : 'next'} in ${countdown(nextAt - now)}`;
  const age = failure && loaded ? [ageText(loaded, now)] : [];
  const second = fitting([...(time ? [time] : []), ...age, when], width);
  const third = failure && loaded ? [span(cutTo(reasonOf(failure), width), 'error')] : [];
  return [titled(first, width), [span(second, 'muted')], third];
}

/** Of the newest price, if newer ones cannot be had. */
function ageText(loaded: Loaded, now: number): string {
  const madeAt = newestTime(loaded);
  return madeAt === undefined
    ? 'old prices'
    : `${formatWait(Math.max(0, Math.floor((now - madeAt) / 1000)))} old`;
}

/** The first line of a failure. */
function reasonOf({ lines }: FailureResult): string {
  return plainText(lines.slice(0, 1));
}

function listLines(view: WatchView, { columns, rows }: ScreenSize, context: ScreenContext): Line[] {
  const { loaded, failure } = view.feed;
  const { currency, now } = context;
  const keys: Line = [span(cutTo('/ add  ↵ chart  d remove  s sort  ? keys  q quit', columns), 'muted')];
  if (!loaded) {
    const told = failure ? failure.lines : [[span('Asking for prices …', 'muted')]];
    return filled(told, [keys], rows);
  }
  const all = sorted(rowsOf(loaded), view.sort);
  const sum = sumLines(all, currency, columns);
  const notes = [
    ...noteTexts(all, loaded, now),
    ...(loaded.isDefault ? ['Press / to add the first of your own.'] : []),
  ];
  const foot: Line[] = [
    ...(sum.length > 0 ? [[], ...sum] : []),
    ...(view.told ? [[span(cutTo(view.told, columns))]] : []),
    ...notes.flatMap((text) => wrapped(text, columns)).map((text): Line => [span(text, 'muted')]),
    keys,
  ];
  // Notes give way before prices do.
  const kept = foot.slice(-Math.max(1, Math.min(foot.length, rows - 4)));
  const [heading = [], ...lines] = tableLines(all, {
    width: columns,
    currency,
    selected: view.selected,
    hasSelection: true,
  });
  const selected = Math.max(
    0,
    all.findIndex(({ id }) => id === view.selected),
  );
  return filled([heading, ...windowed(lines, selected, rows - kept.length - 1)], kept, rows);
}

/** The lines around the selected one, as many as there is room for. */
function windowed<T>(lines: readonly T[], selected: number, room: number): readonly T[] {
  const start = Math.max(0, Math.min(selected - Math.floor(room / 2), lines.length - room));
  return lines.slice(start, start + Math.max(0, room));
}

/** The body, then empty lines, so that the foot stands at the bottom. */
function filled(body: readonly Line[], foot: readonly Line[], rows: number): Line[] {
  const shown = body.slice(0, Math.max(0, rows - foot.length));
  const empty: Line[] = Array.from({ length: Math.max(0, rows - foot.length - shown.length) }, () => []);
  return [...shown, ...empty, ...foot];
}

function titled([title = '', ...rest]: readonly string[], width: number): Line {
  const others = fitting([title, ...rest], width).slice(title.length);
  return [span(title, 'strong'), span(others, 'muted')];
}

/** As many of the parts as fit, in their order. */
function fitting(parts: readonly string[], width: number): string {
  let text = '';
  for (const part of parts) {
    const longer = text === '' ? part : `${text}  ${part}`;
    if (displayWidth(longer) <= width) text = longer;
  }
  return text;
}

export function cutTo(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = text;
  while (displayWidth(kept) > width - 1) kept = kept.slice(0, -1);
  return `${kept.trimEnd()}…`;
}

/** `9:41` or `0:07`; never below zero. */
function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
