import { type Line, span, wrapped } from '../../commands/format/text.ts';
import { terminalText } from '../ansi.ts';
import type { OutputFormat } from '../settings.ts';
import { hasColour, type Terminal, widthOf } from '../terminal.ts';
import { dataText } from './data.ts';
import type { Loaded } from './load.ts';
import { noteTexts, sumLines, timeText } from './notes.ts';
import type { WatchRow } from './rows.ts';
import { tableLines } from './table.ts';

/** The table as it is printed once, with its sum and notes. */
export function printedLines(
  rows: readonly WatchRow[],
  loaded: Loaded,
  { width, now }: { readonly width: number; readonly now: number },
): Line[] {
  const currency = loaded.conversion?.currency;
  const time = timeText(loaded, now);
  const notes = [
    ...(time ? [`Prices ${time}.`] : []),
    ...noteTexts(rows, loaded, now),
    ...(loaded.isDefault ? ['Add your own: marketdata watch add BTC'] : []),
  ];
  return [
    ...tableLines(rows, { width, currency }),
    ...sumLines(rows, currency, width),
    ...notes.flatMap((text) => wrapped(text, width)).map((text): Line => [span(text, 'muted')]),
  ];
}

/** The list as a table, or as data. */
export function printedText(
  loaded: Loaded,
  rows: readonly WatchRow[],
  format: OutputFormat,
  { stdout, env }: Terminal,
): string {
  if (format !== 'table') return dataText(loaded, rows, format);
  const lines = printedLines(rows, loaded, { width: widthOf(stdout), now: Date.now() });
  return terminalText(lines, hasColour(stdout, env), Number.POSITIVE_INFINITY);
}

export function printOnce(
  loaded: Loaded,
  rows: readonly WatchRow[],
  format: OutputFormat,
  terminal: Terminal,
): void {
  terminal.stdout.write(printedText(loaded, rows, format, terminal));
}
