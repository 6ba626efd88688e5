/** RFC 4180, in the variant that spreadsheets and notebooks read without settings. */

export type Cell = string | undefined;

/** Characters that begin a formula in spreadsheets (OWASP, CSV Injection). */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^-?\d+(?:\.\d+)?$/;

/** Lines end in CRLF, also the last one; an unknown value is an empty cell. */
export function csvText(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [columns, ...rows].map((row) => `${row.map(field).join(',')}\r\n`).join('');
}

/** A text that would run as a formula gets an apostrophe in front, so that spreadsheets show it as text. */
function field(cell: Cell = ''): string {
  const text = FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
