/** What the formats share: their names, media types and numbers. */
import { type Decimal, decimal, decimalText } from '../../../shared/marketdata/serve/decimals.ts';

export const contentTypes = {
  csv: 'text/csv; charset=utf-8',
  ledger: 'text/plain; charset=utf-8',
  beancount: 'text/plain; charset=utf-8',
  prom: 'text/plain; version=0.0.4; charset=utf-8',
} as const;

export type Format = keyof typeof contentTypes;

/** The significant digits of a double. */
const SIGNIFICANT_DIGITS = 17;

/** Never with an exponent; undefined if unknown. */
export function numberText(value: Decimal | number | null | undefined): string | undefined {
  if (value === null || value === undefined) return undefined;
  return decimalText(typeof value === 'number' ? decimal(value) : value.prec(SIGNIFICANT_DIGITS));
}

/** `2026-11-25T15:00:00Z`. */
export function timeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}
