import { displayWidth, fitted, type Line, type Span, span } from './text.ts';

export interface Column<Row> {
  readonly heading: string;
  /** Text stands at the left, numbers at the right. */
  readonly side: 'left' | 'right';
  /** `width` cells are all that it may take. */
  readonly cellOf: (row: Row, width: number) => Span;
  /** The narrowest that it is shown; left out, it is shown whole or not at all. */
  readonly from?: number;
  /** The widest that it is shown. */
  readonly to?: number;
  /** Shown also where there is no room for it. */
  readonly isRequired?: boolean;
}

const GAP = 2;

/**
 * A heading and a line for each row, in at most `width` cells. The columns stand in the order of `columns`; where there is
 * not room for all, `priorities` says which of them come first. A column in which nothing stands is left out.
 */
export function tableLines<Row, Name extends string>(
  rows: readonly Row[],
  columns: Readonly<Record<Name, Column<Row>>>,
  priorities: readonly Name[],
  width: number,
): Line[] {
  const widest = new Map<Name, number>();
  const widths = new Map<Name, number>();
  let left = width + GAP;
  for (const name of priorities) {
    const { heading, cellOf, from, to = Number.POSITIVE_INFINITY, isRequired } = columns[name];
    const texts = rows.map((row) => cellOf(row, to).text);
    if (!isRequired && texts.every((text) => text.trim() === '')) continue;
    const whole = Math.min(to, Math.max(displayWidth(heading), ...texts.map(displayWidth)));
    const least = Math.min(whole, from ?? whole);
    if (!isRequired && least + GAP > left) continue;
    widest.set(name, whole);
    widths.set(name, least);
    left -= least + GAP;
  }
  const shown = (Object.keys(columns) as Name[]).flatMap((name) => {
    const least = widths.get(name);
    if (least === undefined) return [];
    const more = Math.max(0, Math.min(left, (widest.get(name) ?? least) - least));
    left -= more;
    return [{ ...columns[name], width: least + more }];
  });
  const lineOf = (spanOf: (column: (typeof shown)[number]) => Span): Line =>
    shown.flatMap((column, index) => [
      ...(index === 0 ? [] : [span(' '.repeat(GAP))]),
      ...padded(spanOf(column), column),
    ]);
  return [
    lineOf(({ heading }) => span(heading, 'muted')),
    ...rows.map((row) => lineOf((column) => column.cellOf(row, column.width))),
  ];
}

/** The spaces are no part of the cell, which may stand for a command. */
function padded(cell: Span, { width, side }: { readonly width: number; readonly side: string }): Span[] {
  const text = fitted(cell.text, width).trimEnd();
  const space = span(' '.repeat(Math.max(0, width - displayWidth(text))));
  return side === 'left' ? [{ ...cell, text }, space] : [space, { ...cell, text }];
}
