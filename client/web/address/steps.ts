import { type DashboardItem, hashOf } from '../dashboard.ts';

/**
 * Whether other cards are a step of the reader's, which the browser's back button undoes: one that came or went, or another
 * time. Order, look and comparison are refinements of the same step.
 */
export function isStep(before: readonly DashboardItem[], after: readonly DashboardItem[]): boolean {
  return outlineOf(before) !== outlineOf(after);
}

function outlineOf(items: readonly DashboardItem[]): string {
  return items
    .map(({ command }) =>
      hashOf([{ command: { ...command, compare: [], style: undefined }, isLogarithmic: false }]),
    )
    .sort()
    .join();
}
