import type { Part } from './estimate.ts';

export const dollars = (amount: number): string => `$${amount.toFixed(2)}`;

/** USD a month of all parts. */
export const sumOf = (parts: readonly Part[]): number => parts.reduce((sum, { month }) => sum + month, 0);
