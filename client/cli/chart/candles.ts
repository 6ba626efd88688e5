import type { Tone } from '../../commands/format/text.ts';
import type { SeriesCandle } from '../../commands/series.ts';
import type { Scale } from './axis.ts';
import { BLANK, type Cell } from './cells.ts';

/** Widths of bodies, by the cells from one candle to the next. Odd widths have the wick in the middle. */
const BODY_WIDTHS = [
  { from: 8, width: 7 },
  { from: 6, width: 5 },
  { from: 4, width: 3 },
  { from: 3, width: 2 },
  { from: 2, width: 1.5 },
] as const;

/** The position of a candle's body. */
export interface Place {
  readonly candle: SeriesCandle;
  /** The column of its first cell. */
  readonly column: number;
  /** One and a half cells: the left half of the second cell is filled. */
  readonly width: number;
}

/** A cell's upper and lower half, each empty, wick or body. */
const WICK = 1;
const BODY = 2;
const glyphs = {
  body: '  ▄  ▄▀▀█',
  /** The cell that the body fills only in its left half. */
  narrow: '  ▖  ▖▘▘▌',
  /** The cell with the wick. No character combines half a wick with half a block, but one combines it with a thick line. */
  middle: ' ╷▄╵│╽▀╿█',
} as const;
/** Bodies of rising candles where no colour distinguishes them from falling ones. */
const SHADE = '░';

/** Explains how rising and falling candles look without colour. */
export const colourlessLegend = `${SHADE} up  █ down`;

/** Candles side by side over the whole width, with gaps between them if they fit. */
export function placesOf(candles: readonly SeriesCandle[], columns: number): Place[] {
  const step = columns / candles.length;
  const { width } = BODY_WIDTHS.find(({ from }) => from <= step) ?? { width: 1 };
  return candles.map((candle, index) => ({
    candle,
    width,
    column: Math.floor(index * step + (step - Math.ceil(width)) / 2),
  }));
}

/** The column of a candle's wick. */
export function wickOf({ column, width }: Place): number {
  return column + Math.floor((Math.ceil(width) - 1) / 2);
}

/** Candles exact to half a cell. */
export function candleCells(
  places: readonly Place[],
  size: { readonly width: number; readonly rows: number; readonly hasColour: boolean },
  scale: Scale,
): Cell[][] {
  const { width, rows, hasColour } = size;
  const cells = Array.from({ length: rows }, () => new Array<Cell>(width).fill(BLANK));
  const halfOf = (price: number) => Math.min(rows * 2 - 1, Math.floor(scale.depth(price) * rows * 2));
  for (const place of places) {
    const { open, high, low, close } = place.candle;
    const isUp = close >= open;
    const tone = isUp ? 'up' : 'down';
    const isShaded = isUp && !hasColour;
    const top = halfOf(Math.max(open, close));
    const bottom = halfOf(Math.min(open, close));
    const first = halfOf(high);
    const last = halfOf(low);
    const kindOf = (half: number) =>
      half >= top && half <= bottom ? BODY : half >= first && half <= last ? WICK : 0;
    for (const [row, line] of cells.entries()) {
      const upper = kindOf(row * 2);
      const lower = kindOf(row * 2 + 1);
      for (let at = place.column; at < place.column + place.width; at += 1) {
        const isNarrow = place.column + place.width - at < 1;
        if (isNarrow && !hasColour) continue; // no character has half a shade
        const set = at === wickOf(place) ? 'middle' : isNarrow ? 'narrow' : 'body';
        const glyph = glyphs[set][upper * 3 + lower] ?? ' ';
        const isBody = upper === BODY || lower === BODY;
        if (glyph !== ' ') line[at] = { character: isShaded && isBody ? SHADE : glyph, tone };
      }
    }
  }
  return cells;
}

/** How many neighbours are merged into one candle so that each has a body and a gap: two columns, or three after a merge. */
export function mergedSize(series: readonly SeriesCandle[], columns: number): number {
  return series.length * 2 <= columns ? 1 : Math.ceil(series.length / Math.max(1, Math.floor(columns / 3)));
}

/** Merges each `size` neighbours into one candle. */
export function merged(series: readonly SeriesCandle[], size: number): SeriesCandle[] {
  const groups: SeriesCandle[] = [];
  for (let start = 0; start < series.length; start += size) {
    const group = series.slice(start, start + size);
    const first = group[0];
    const last = group.at(-1);
    if (!first || !last) break;
    const volumes = group.flatMap(({ volume }) => volume ?? []);
    groups.push({
      ...first,
      high: Math.max(...group.map(({ high }) => high)),
      low: Math.min(...group.map(({ low }) => low)),
      close: last.close,
      volume: volumes.length === 0 ? null : volumes.reduce((a, b) => a + b),
    });
  }
  return groups;
}

const EIGHTHS = ['', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;
const faint: Readonly<Record<'up' | 'down', Tone>> = { up: 'faint-up', down: 'faint-down' };

/** The volume of each candle as a bar; the largest fills all rows. */
export function volumeCells(places: readonly Place[], width: number, rows: number): Cell[][] {
  const cells = Array.from({ length: rows }, () => new Array<Cell>(width).fill(BLANK));
  const largest = Math.max(...places.map(({ candle }) => candle.volume ?? 0));
  for (const { candle, column, width: bar } of places) {
    const eighths = candle.volume ? Math.max(1, Math.round((candle.volume / largest) * rows * 8)) : 0;
    const tone = faint[candle.close >= candle.open ? 'up' : 'down'];
    for (const [row, line] of cells.entries()) {
      const character = EIGHTHS[Math.max(0, Math.min(8, eighths - (rows - 1 - row) * 8))];
      if (character) line.fill({ character, tone }, column, column + Math.floor(bar));
    }
  }
  return cells;
}
