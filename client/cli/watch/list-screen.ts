import { type Line, shortened, span, wrapped } from '../../commands/format/text.ts';
import { wordBroken } from './fit.ts';
import type { ScreenContext, ScreenSize, WatchView } from './mode.ts';
import { noteTexts, sumLines } from './notes.ts';
import { rowsOf } from './rows.ts';
import { sorted } from './sort.ts';
import { tableLines } from './table.ts';

/** The rows around the selected one, and at the bottom the sum, the notes and the keys. */
export function listScreen(
  view: WatchView,
  { columns, rows }: ScreenSize,
  { currency, now }: ScreenContext,
): Line[] {
  const { loaded, failure } = view.feed;
  const keys: Line = [span(shortened('/ add  ↵ chart  d remove  s sort  ? keys  q quit', columns), 'muted')];
  if (!loaded) {
    const told = failure
      ? failure.lines.flatMap((line) => wordBroken(line, columns))
      : [[span('Asking for prices …', 'muted')]];
    return filled(told, [keys], rows);
  }
  const all = sorted(rowsOf(loaded), view.sort);
  const sum = sumLines(all, currency, columns);
  const notes = [
    ...noteTexts(all, loaded, now),
    ...(loaded.isDefault ? ['Press / to add the first of your own.'] : []),
  ];
  const [heading = [], ...lines] = tableLines(all, {
    width: columns,
    currency,
    selected: view.selected,
    hasSelection: true,
  });
  const summed: Line[] = sum.length > 0 ? [[], ...sum] : [];
  const told: Line[] = view.told ? [[span(shortened(view.told, columns))]] : [];
  // Notes give way before half of the window's rows do.
  const least = 1 + Math.min(lines.length, Math.floor(rows / 2)) + summed.length + told.length + 1;
  const noted = notes
    .flatMap((text) => wrapped(text, columns))
    .map((text): Line => [span(text, 'muted')])
    .slice(0, Math.max(0, rows - least));
  const foot = [...summed, ...told, ...noted, keys];
  const selected = Math.max(
    0,
    all.findIndex(({ id }) => id === view.selected),
  );
  return filled([heading, ...windowed(lines, selected, rows - foot.length - 1)], foot, rows);
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
