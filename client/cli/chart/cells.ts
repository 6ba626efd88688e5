import type { Line, Tone } from '../../commands/format/text.ts';

/** One character of a drawing. */
export interface Cell {
  readonly character: string;
  readonly tone?: Tone | undefined;
}

/** Rows from top to bottom, all of the same length. */
export type Cells = readonly (readonly Cell[])[];

export const BLANK: Cell = { character: ' ' };

/** A row as spans: neighbours of one tone are joined, and blanks join the span before them. */
export function lineOf(cells: readonly Cell[]): Line {
  const spans: { text: string; tone?: Tone }[] = [];
  for (const { character, tone } of cells) {
    const last = spans.at(-1);
    if (last && (last.tone === tone || character === ' ')) last.text += character;
    else spans.push({ text: character, ...(tone && character !== ' ' && { tone }) });
  }
  return spans;
}

/** A braille cell is two dots wide and four high; these are the bits from U+2800 on, by row and column. */
const DOTS = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
] as const;
const NO_DOTS = 0x2800;

export interface Point {
  /** 0 at the left edge, 1 at the right. */
  readonly x: number;
  /** 0 at the top, 1 at the bottom. */
  readonly y: number;
}

/** The number of dots drawn, then the number left out. */
export type Dash = readonly [drawn: number, left: number];

/** A line of braille dots; several lines may share a cell. */
export interface DottedLine {
  readonly points: readonly Point[];
  readonly tone?: Tone | undefined;
  readonly dash?: Dash | undefined;
}

/** Combines lines: a cell has the dots of all of them and the tone of the first. */
export function brailleCells(lines: readonly DottedLine[], width: number, rows: number): Cell[][] {
  const layers = lines.map(({ points, dash }) => dotsOf(points, width, rows, dash));
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: width }, (_, column): Cell => {
      const bits = layers.map((layer) => layer[row * width + column] ?? 0);
      const owner = bits.findIndex((dots) => dots > 0);
      if (owner < 0) return BLANK;
      const all = bits.reduce((a, b) => a | b, 0);
      return { character: String.fromCharCode(NO_DOTS + all), tone: lines[owner]?.tone };
    }),
  );
}

/** The bits of each cell, row by row. */
function dotsOf(
  points: readonly Point[],
  width: number,
  rows: number,
  [drawn, left]: Dash = [1, 0],
): Uint8Array {
  const cells = new Uint8Array(width * rows);
  const dot = (x: number, y: number) => {
    const at = Math.floor(y / 4) * width + Math.floor(x / 2);
    cells[at] = (cells[at] ?? 0) | (DOTS[y % 4]?.[x % 2] ?? 0);
  };
  const dots = points.map(({ x, y }) => [Math.round(x * (width * 2 - 1)), Math.round(y * (rows * 4 - 1))]);
  let count = 0;
  for (const [index, [toX = 0, toY = 0]] of dots.entries()) {
    const [fromX = toX, fromY = toY] = dots[index - 1] ?? [];
    const steps = Math.max(Math.abs(toX - fromX), Math.abs(toY - fromY), 1);
    for (let step = 0; step <= steps; step += 1) {
      const part = step / steps;
      if (count % (drawn + left) < drawn)
        dot(Math.round(fromX + (toX - fromX) * part), Math.round(fromY + (toY - fromY) * part));
      if (step < steps) count += 1; // the next segment starts at this point
    }
  }
  return cells;
}
