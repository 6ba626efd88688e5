/** Counts the requests that the simulated provider has taken since its start or the last reset. */
export interface Calls {
  readonly total: number;
  /** By path with query, exactly as sent. */
  readonly byPath: Readonly<Record<string, number>>;
  reset(): void;
}

export interface CallCounter extends Calls {
  count(url: string): void;
}

export function createCallCounter(): CallCounter {
  const counts = new Map<string, number>();
  return {
    get total() {
      return [...counts.values()].reduce((sum, count) => sum + count, 0);
    },
    get byPath() {
      return Object.fromEntries(counts);
    },
    reset: () => counts.clear(),
    count: (url) => counts.set(url, (counts.get(url) ?? 0) + 1),
  };
}
