interface Part {
  /** Milliseconds since the epoch, exclusive at the end. */
  readonly from: number;
  readonly to: number;
}

/** The parts of a span that lie in one month (UTC) each, ascending. */
export function monthsIn({ from, to }: Part): Part[] {
  if (from >= to) return [];
  const date = new Date(from);
  const next = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  return next >= to ? [{ from, to }] : [{ from, to: next }, ...monthsIn({ from: next, to })];
}
