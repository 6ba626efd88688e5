/** RFC 4180, in the way that spreadsheets and notebooks read it without settings. */

export type Cell = string | undefined;

/** What a spreadsheet takes for the beginning of a formula (OWASP, CSV Injection). */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^-?\d+(?:\.\d+)?$/;

/** Lines end in CRLF, the last one too; what is not known is an empty cell. */
export function csvText(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [columns, ...rows].map((row) => `${row.map(field).join(',')}\r\n`).join('');
}

/** A text that would be run as a formula begins with an apostrophe, by which spreadsheets show it as it is. */
function field(cell: Cell = ''): string {
  const text = FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
