import { clean } from './format/text.ts';
import type { Cell, Records } from './records.ts';

/** What a spreadsheet would take for a formula. */
const FORMULA = /^[=+\-@]/;

/**
 * Comma-separated values with a header, quoted as RFC 4180 has it; lines end with a line feed alone, as a shell's tools
 * expect them. Numbers have a point and no separators of thousands, and what is not known is empty. A text has no control
 * characters, and an apostrophe in front of it if a spreadsheet would calculate it.
 */
export function csvText({ columns, records }: Records): string {
  const rows = records.map((record) => columns.map((column) => record[column] ?? null));
  return [columns, ...rows].map((row) => `${row.map(field).join(',')}\n`).join('');
}

function field(cell: Cell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  const text = clean(cell);
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return /[",]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
