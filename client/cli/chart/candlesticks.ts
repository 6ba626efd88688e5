import type { Tone } from '../../commands/format/text.ts';
import type { SeriesCandle } from '../../commands/series.ts';
import type { Scale } from './scale.ts';

export interface Cell {
  readonly character: string;
  readonly tone: Tone | undefined;
}

type Half = 'empty' | 'wick' | 'body';
type Glyphs = Readonly<Record<Half, Readonly<Record<Half, string>>>>;

/** Indexed by the upper half of a cell, then the lower. Box drawing has all nine: wicks are thin, bodies thick. */
const thick: Glyphs = {
  empty: { empty: ' ', wick: '╷', body: '╻' },
  wick: { empty: '╵', wick: '│', body: '╽' },
  body: { empty: '╹', wick: '╿', body: '┃' },
};

/** Bodies as blocks mark falling candles without colour. There is no character for half a wick and half a block. */
const block: Glyphs = {
  empty: { empty: ' ', wick: '╷', body: '▄' },
  wick: { empty: '╵', wick: '│', body: '▄' },
  body: { empty: '▀', wick: '▀', body: '█' },
};

/** Says how rising and falling candles look without colour. */
export const colourlessLegend = `${thick.body.body} up  ${block.body.body} down`;

/** One candle as a column of cells from top to bottom, exact to half a cell. */
export function candleColumn(
  { open, high, low, close }: SeriesCandle,
  { scale, rows, hasColour }: { readonly scale: Scale; readonly rows: number; readonly hasColour: boolean },
): Cell[] {
  const isUp = close >= open;
  const glyphs = isUp || hasColour ? thick : block;
  const halfOf = (price: number) => Math.min(rows * 2 - 1, Math.floor(scale.depth(price) * rows * 2));
  const wick = [halfOf(high), halfOf(low)] as const;
  const body = [halfOf(Math.max(open, close)), halfOf(Math.min(open, close))] as const;
  const kindOf = (half: number): Half => {
    if (half >= body[0] && half <= body[1]) return 'body';
    return half >= wick[0] && half <= wick[1] ? 'wick' : 'empty';
  };
  return Array.from({ length: rows }, (_, row) => ({
    character: glyphs[kindOf(row * 2)][kindOf(row * 2 + 1)],
    tone: isUp ? 'up' : 'down',
  }));
}

/** At most `columns` candles; as many neighbours as needed are merged into one. */
export function merged(series: readonly SeriesCandle[], columns: number): SeriesCandle[] {
  const size = Math.ceil(series.length / columns);
  if (size <= 1) return [...series];
  const groups: SeriesCandle[] = [];
  for (let start = 0; start < series.length; start += size) {
    const group = series.slice(start, start + size);
    const [first] = group;
    const last = group.at(-1);
    if (!first || !last) break;
    groups.push({
      ...first,
      high: Math.max(...group.map(({ high }) => high)),
      low: Math.min(...group.map(({ low }) => low)),
      close: last.close,
    });
  }
  return groups;
}
