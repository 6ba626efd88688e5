import type { WatchRow } from './rows.ts';

/** The orders of the table, in the order of the key that changes them. */
export const sorts = {
  own: 'own order',
  change24h: '24h change',
  change7d: '7d change',
  value: 'value',
  rank: 'rank',
} as const;

export type Sort = keyof typeof sorts;

const names: readonly Sort[] = ['own', 'change24h', 'change7d', 'value', 'rank'];

/** The next order; by value only if something is held. */
export function nextSort(sort: Sort, rows: readonly WatchRow[]): Sort {
  const offered = names.filter((name) => name !== 'value' || rows.some(({ worth }) => worth));
  return offered[(offered.indexOf(sort) + 1) % offered.length] ?? 'own';
}

/** The highest first, by rank the lowest; what is not known comes last, in its own order. */
export function sorted(rows: readonly WatchRow[], sort: Sort): readonly WatchRow[] {
  if (sort === 'own') return rows;
  const keyOf = (row: WatchRow) => keys[sort](row) ?? Number.NEGATIVE_INFINITY;
  return rows.toSorted((a, b) => {
    const [left, right] = [keyOf(a), keyOf(b)];
    return left === right ? 0 : right - left;
  });
}

const keys: Readonly<Record<Exclude<Sort, 'own'>, (row: WatchRow) => number | null | undefined>> = {
  change24h: ({ change24h }) => change24h,
  change7d: ({ change7d }) => change7d,
  value: ({ worth }) => worth?.value,
  rank: ({ rank }) => (rank !== null && rank > 0 ? -rank : null),
};
