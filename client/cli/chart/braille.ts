/** A braille cell is two dots wide and four high; these are their bits from U+2800 on, by row and column. */
const BITS = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
] as const;
const BLANK = 0x2800;

export interface Point {
  /** 0 at the left edge, 1 at the right. */
  readonly x: number;
  /** 0 at the top, 1 at the bottom. */
  readonly y: number;
}

/** So many steps of a line that are drawn, then so many that are not. */
export type Dash = readonly [drawn: number, left: number];

/** The points joined by a line, drawn with braille dots into rows of `width` characters. */
export function brailleLine(
  points: readonly Point[],
  width: number,
  rows: number,
  [drawn, left]: Dash = [1, 0],
): string[] {
  let count = 0;
  const cells = Array.from({ length: rows }, () => new Array<number>(width).fill(0));
  const dot = (x: number, y: number): void => {
    const row = cells[Math.floor(y / 4)];
    const column = Math.floor(x / 2);
    if (row) row[column] = (row[column] ?? 0) | (BITS[y % 4]?.[x % 2] ?? 0);
  };
  const dots = points.map(({ x, y }) => ({
    x: Math.round(x * (width * 2 - 1)),
    y: Math.round(y * (rows * 4 - 1)),
  }));
  for (const [index, to] of dots.entries()) {
    const from = dots[index - 1] ?? to;
    const steps = Math.max(Math.abs(to.x - from.x), Math.abs(to.y - from.y), 1);
    for (let step = 0; step <= steps; step += 1) {
      const part = step / steps;
      if (count % (drawn + left) < drawn)
        dot(Math.round(from.x + (to.x - from.x) * part), Math.round(from.y + (to.y - from.y) * part));
      if (step < steps) count += 1; // the next line begins with this point
    }
  }
  return cells.map((row) =>
    row.map((bits) => (bits === 0 ? ' ' : String.fromCharCode(BLANK + bits))).join(''),
  );
}
