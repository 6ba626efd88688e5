const MAX_LETTERS = 256;
const rows = [0, 1, 2].map(() => new Int32Array(MAX_LETTERS)) as [Int32Array, Int32Array, Int32Array];

/**
 * Typing errors between two texts of fewer than 256 letters: insertions, deletions, substitutions, and
 * transpositions of neighbours (optimal string alignment). Returns `limit + 1` when there are more than `limit`.
 *
 * The beginning and the end that both share are cut off first; with one error hardly anything is left, and for the
 * rest only the diagonals within the limit are filled in.
 */
export function typingErrors(
  a: Int32Array,
  aLength: number,
  b: Int32Array,
  bLength: number,
  limit: number,
): number {
  if (Math.abs(aLength - bLength) > limit) return limit + 1;
  let start = 0;
  let aEnd = aLength;
  let bEnd = bLength;
  while (aEnd > 0 && bEnd > 0 && a[aEnd - 1] === b[bEnd - 1]) {
    aEnd--;
    bEnd--;
  }
  while (start < aEnd && start < bEnd && a[start] === b[start]) start++;
  const height = aEnd - start;
  const width = bEnd - start;
  if (height === 0 || width === 0) return Math.min(height + width, limit + 1);

  const beyond = limit + 1;
  let [twoUp, up, row] = rows;
  let leastUp = 0;
  for (let column = 0; column <= width; column++) up[column] = Math.min(column, beyond);
  for (let line = 1; line <= height; line++) {
    const from = Math.max(1, line - limit);
    const to = Math.min(width, line + limit);
    row[from - 1] = from === 1 ? Math.min(line, beyond) : beyond;
    let least = beyond;
    for (let column = from; column <= to; column++) {
      const same = a[start + line - 1] === b[start + column - 1];
      const above = column < line + limit ? (up[column] ?? beyond) : beyond;
      let errors = Math.min(
        (up[column - 1] ?? beyond) + (same ? 0 : 1),
        above + 1,
        (row[column - 1] ?? beyond) + 1,
      );
      if (
        line > 1 &&
        column > 1 &&
        a[start + line - 1] === b[start + column - 2] &&
        a[start + line - 2] === b[start + column - 1]
      ) {
        errors = Math.min(errors, (twoUp[column - 2] ?? beyond) + 1);
      }
      row[column] = Math.min(errors, beyond);
      if (errors < least) least = errors;
    }
    if (least === beyond && leastUp === beyond) return beyond;
    leastUp = least;
    [twoUp, up, row] = [up, row, twoUp];
  }
  return up[width] ?? beyond;
}
