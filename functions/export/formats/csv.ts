/** RFC 4180, in the variant that spreadsheets and notebooks read without settings. */
import { csvField } from '../../../shared/platform/csv-field.ts';

export type Cell = string | undefined;

/** Lines end in CRLF, also the last one; an unknown value is an empty cell. */
export function csvText(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [columns, ...rows].map((row) => `${row.map((cell = '') => csvField(cell)).join(',')}\r\n`).join('');
}
