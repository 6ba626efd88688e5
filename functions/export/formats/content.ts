/** What the formats share: their names, media types and numbers. */
import { decimal, decimalText } from '../../../shared/marketdata/serve/decimals.ts';

export const contentTypes = {
  csv: 'text/csv; charset=utf-8',
  ledger: 'text/plain; charset=utf-8',
  beancount: 'text/plain; charset=utf-8',
  prom: 'text/plain; version=0.0.4; charset=utf-8',
} as const;

export type Format = keyof typeof contentTypes;

/** Never with an exponent; undefined if unknown. */
export function numberText(value: number | null | undefined): string | undefined {
  return value === null || value === undefined ? undefined : decimalText(decimal(value));
}

/** `2026-11-25T15:00:00Z`. */
export function timeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}
