import { displayWidth, fitted, type Line, type Span, span } from '../../commands/format/text.ts';
import { type Cell, type Column, columnsFor, GAP } from './columns.ts';
import type { WatchRow } from './rows.ts';

export interface TableOptions {
  /** Cells that a line may take. */
  readonly width: number;
  /** In capitals; undefined: US dollars. */
  readonly currency: string | undefined;
  /** The row that the keys are for; undefined: no row is marked, and no room is kept for it. */
  readonly selected?: string | undefined;
  readonly hasSelection?: boolean;
}

const SELECTED = '▸ ';

/** The heading and a line for each row, with as many columns as fit. */
export function tableLines(rows: readonly WatchRow[], options: TableOptions): Line[] {
  const { width, currency, selected, hasSelection = false } = options;
  const margin = hasSelection ? SELECTED.length : 0;
  const columns = columnsFor(rows, width - margin, currency);
  const heading = lineOf(columns, (column) => ({ text: column.heading, tone: 'muted' }));
  const lines = rows.map((row) => ({ row, line: lineOf(columns, (column) => column.cell(row)) }));
  if (!hasSelection) return [heading, ...lines.map(({ line }) => line)];
  return [
    [span(' '.repeat(margin)), ...heading],
    ...lines.map(({ row, line }) => [
      row.id === selected ? span(SELECTED, 'strong') : span(' '.repeat(margin)),
      ...line,
    ]),
  ];
}

function lineOf(columns: readonly Column[], cellOf: (column: Column) => Cell): Line {
  return columns.flatMap((column, index): Span[] => {
    const { text, tone } = cellOf(column);
    const cell = span(padded(text, column), tone);
    return index === 0 ? [cell] : [span(' '.repeat(GAP)), cell];
  });
}

function padded(text: string, { width, side }: Column): string {
  if (side === 'left') return fitted(text, width);
  return ' '.repeat(Math.max(0, width - displayWidth(text))) + text;
}
