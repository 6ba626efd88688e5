import type { Part } from './estimate.ts';

export const dollars = (amount: number): string => `$${amount.toFixed(2)}`;

const units = [
  [1e9, 'GB'],
  [1e6, 'MB'],
  [1e3, 'kB'],
] as const;

/** With three digits. */
export function sizeOf(bytes: number): string {
  const [unit, name] = units.find(([size]) => bytes >= size) ?? [1, 'bytes'];
  return `${Number((bytes / unit).toPrecision(3))} ${name}`;
}

/** USD a month of all parts. */
export const sumOf = (parts: readonly Part[]): number => parts.reduce((sum, { month }) => sum + month, 0);
