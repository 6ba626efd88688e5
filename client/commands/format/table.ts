import { type Line, span } from './text.ts';
import { displayWidth, lineWidth, shortened } from './width.ts';

/** A column of a table of rows. */
export interface Column<Row> {
  readonly title?: string;
  /** `cells` is the width available. */
  readonly cell: (row: Row, cells: number) => Line;
  /** Text is aligned left, numbers right. */
  readonly side?: 'left' | 'right';
  /** The least and the most cells; by default as wide as the widest cell. */
  readonly from?: number;
  readonly to?: number;
  /**
   * Columns with a high number are left out first when space is short, and when they are empty; without a number, a
   * column always stays.
   */
  readonly order?: number;
}

const GAP = 2;

/** The rows as lines, below the titles if there are any: as many columns as fit `width` cells, with spare width shared. */
export function tableLines<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
): Line[] {
  const shown = fittedColumns(columns, rows, width);
  const line = (cellOf: (column: Column<Row>, cells: number) => Line): Line =>
    withoutEnd(
      shown.flatMap(({ column, cells }, index) => [
        ...(index > 0 ? [span(' '.repeat(GAP))] : []),
        ...padded(cellOf(column, cells), cells, column.side),
      ]),
    );
  const titles = shown.some(({ column }) => column.title)
    ? [line(({ title = '' }) => [span(title, 'muted')])]
    : [];
  return [...titles, ...rows.map((row) => line(({ cell }, cells) => cell(row, cells)))];
}

/** The least width that fits every column. */
export function leastWidth<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): number {
  return columns.reduce((sum, column) => sum + leastOf(column, widestOf(column, rows)) + GAP, -GAP);
}

function fittedColumns<Row>(columns: readonly Column<Row>[], rows: readonly Row[], width: number) {
  let left = width + GAP;
  const chosen = [...columns]
    .sort((a, b) => (a.order ?? 0) - (b.order ?? 0))
    .filter((column) => {
      if (column.order !== undefined && rows.every((row) => lineWidth(column.cell(row, width)) === 0))
        return false;
      const needed = leastOf(column, widestOf(column, rows)) + GAP;
      if (column.order !== undefined && needed > left) return false;
      left -= needed;
      return true;
    });
  return columns
    .filter((column) => chosen.includes(column))
    .map((column) => {
      const widest = widestOf(column, rows);
      const least = leastOf(column, widest);
      const more = Math.max(0, Math.min(left, widest - least));
      left -= more;
      return { column, cells: least + more };
    });
}

function widestOf<Row>(
  { title = '', cell, to = Number.POSITIVE_INFINITY }: Column<Row>,
  rows: readonly Row[],
) {
  return Math.min(to, Math.max(displayWidth(title), ...rows.map((row) => lineWidth(cell(row, to)))));
}

function leastOf<Row>({ from }: Column<Row>, widest: number): number {
  return Math.min(widest, from ?? widest);
}

/** A cell padded to its width, its last part cut if necessary; the padding is not part of a command's link. */
function padded(cell: Line, cells: number, side: Column<unknown>['side']): Line {
  const before = cell.slice(0, -1);
  const short = cell.slice(-1).map((last) => ({
    ...last,
    text: shortened(last.text, Math.max(1, cells - lineWidth(before))),
  }));
  const space = span(' '.repeat(Math.max(0, cells - lineWidth([...before, ...short]))));
  return side === 'right' ? [space, ...before, ...short] : [...before, ...short, space];
}

/** The line without trailing spaces. */
function withoutEnd(line: Line): Line {
  const end = line.findLastIndex(({ text }) => text.trim() !== '');
  return line.slice(0, end + 1);
}
