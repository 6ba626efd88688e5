import type { Cell, Records } from './records.ts';

/**
 * Comma-separated values with a header, quoted as RFC 4180 has it; lines end as a shell's tools want them, with a line
 * feed alone. Numbers have a point and no separators of thousands, and what is not known is empty.
 */
export function csvText({ columns, records }: Records): string {
  const rows = records.map((record) => columns.map((column) => record[column] ?? null));
  return [columns, ...rows].map((row) => `${row.map(field).join(',')}\n`).join('');
}

function field(cell: Cell): string {
  const text = cell === null ? '' : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
