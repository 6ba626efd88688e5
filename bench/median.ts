/** The middle one of a figure of many runs, sorted. */
export function medianOf<Name extends string>(
  all: readonly Readonly<Record<Name, number>>[],
  name: Name,
): number {
  const sorted = all.map((figures) => figures[name]).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
